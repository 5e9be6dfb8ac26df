// The clocks of real servers, set from outside: what each kind makes of them.
#include "harness/base/file.h"
#include "harness/cluster/test_control.h"
#include "harness/testing/test.h"
#include "harness/wire/zookeeper.h"

#include <unistd.h>

#define MINUTE_NS (60 * NS_PER_S)
#define HOUR_NS (60 * MINUTE_NS)
#define MOST_NS (30 * NS_PER_S) // that anything here may take, on a busy machine
#define HOUR_S 3600

// A test on a server whose clocks can be set.
#define CLOCK_TEST(name, server_kind)                                                              \
    SERVERS_TEST(name, .kind = server_kind, .topology = "single", .shiftable_clock = true)

static void jump(const struct node *node, enum shifted_clock which, int64_t by_ns)
{
    int64_t now_ns = which == SHIFTED_REALTIME ? clock_realtime_ns() : clock_monotonic_ns();
    assert_non_null(node->clock);
    clock_shift_set(node->clock, which, now_ns, by_ns, CLOCK_RATE_NORMAL);
}

static int64_t number_of(const struct node *node, const char *request)
{
    AUTO_TEXT struct text answer = {0};
    struct error error = {0};
    MUST_BE(0, server_ask(node, request, &answer, &error));
    return atoll(answer.bytes + strcspn(answer.bytes, "-0123456789"));
}

// --- redis: leases by CLOCK_REALTIME -------------------------------------------------------------

#define TAKE "SET lock me NX PX 60000"

CLOCK_TEST(redis_ends_a_lease_when_its_wall_clock_jumps_past_the_end, "redis")
{
    must_answer(node, TAKE, "+OK");
    jump(node, SHIFTED_MONOTONIC, 2 * MINUTE_NS);
    must_answer(node, TAKE, "$-1");
    jump(node, SHIFTED_REALTIME, 2 * MINUTE_NS);
    must_answer(node, TAKE, "+OK");
}

CLOCK_TEST(redis_lengthens_a_lease_when_its_wall_clock_jumps_back, "redis")
{
    must_answer(node, TAKE, "+OK");
    assert_in_range(number_of(node, "PTTL lock"), 0, 60000);
    jump(node, SHIFTED_REALTIME, -10 * MINUTE_NS);
    assert_in_range(number_of(node, "PTTL lock"), 600000, 660000);
    clock_shift_clear(node->clock, SHIFTED_REALTIME);
    assert_in_range(number_of(node, "PTTL lock"), 0, 60000);
}

CLOCK_TEST(redis_never_ends_a_lease_while_its_wall_clock_is_frozen, "redis")
{
    clock_shift_set(node->clock, SHIFTED_REALTIME, clock_realtime_ns(), 0, 0);
    must_answer(node, "SET lock me NX PX 30", "+OK");
    int64_t over_ns = clock_monotonic_ns() + 60 * NS_PER_MS;
    while (clock_monotonic_ns() < over_ns)
        assert_int_equal(number_of(node, "PTTL lock"), 30);
    clock_shift_clear(node->clock, SHIFTED_REALTIME);
    must_come_to_answer(node, "EXISTS lock", ":0");
}

CLOCK_TEST(a_clock_stays_wrong_when_the_server_is_started_again, "redis")
{
    jump(node, SHIFTED_REALTIME, HOUR_NS);
    die(node);
    MUST_BE(0, cluster_start_node(node, &error));
    long long now_s = clock_realtime_ns() / NS_PER_S;
    char request[64];
    snprintf(request, sizeof request, "SET lock me PXAT %lld", (now_s + HOUR_S / 2) * 1000);
    must_answer(node, request, "+OK");
    must_answer(node, "EXISTS lock", ":0");
}

// --- memcached: leases by CLOCK_MONOTONIC --------------------------------------------------------

CLOCK_TEST(memcached_ends_a_lease_when_its_monotonic_clock_jumps_past_the_end, "memcached")
{
    must_answer(node, "add lock 0 1000 2\r\nme", "STORED");
    jump(node, SHIFTED_REALTIME, HOUR_NS);
    // Its clock ticks once a second: it has, once what lasts a second is gone.
    must_answer(node, "add tick 0 1 2\r\nme", "STORED");
    must_come_to_answer(node, "mg tick", "EN");
    must_answer(node, "mg lock", "HD");
    jump(node, SHIFTED_MONOTONIC, HOUR_NS);
    must_come_to_answer(node, "mg lock", "EN");
}

// --- zookeeper: sessions by CLOCK_MONOTONIC ------------------------------------------------------

static void note_end(void *context, int64_t number)
{
    (void)number;
    atomic_fetch_add((atomic_int *)context, 1);
}

static struct zk *open_session(const struct test_server *server, atomic_int *ended)
{
    struct error error = {0};
    const struct zk_settings settings = {.service = &server->service,
                                         .session_ns = 4 * NS_PER_S,
                                         .request_ns = NS_PER_S,
                                         .ended = note_end,
                                         .context = ended};
    struct zk *zk = zk_open(&settings, &error);
    if (zk == NULL)
        fail_msg("%s", error.text);
    return zk;
}

static bool ends_within(atomic_int *ended, int64_t limit_ns)
{
    int64_t give_up_ns = clock_monotonic_ns() + limit_ns;
    while (atomic_load(ended) == 0 && clock_monotonic_ns() < give_up_ns)
        clock_sleep_until_ns(clock_monotonic_ns() + 5 * NS_PER_MS);
    return atomic_load(ended) != 0;
}

// Twice, as a server that would wait by the machine's clock would not wake for a minute. A ping, or
// a new connection, that comes between the jump and the server's next look saves a session: then
// the clock jumps again.
CLOCK_TEST(zookeeper_ends_sessions_when_its_monotonic_clock_jumps, "zookeeper")
{
    for (int i = 0; i < 2; i++) {
        atomic_int ended = 0;
        struct zk *zk = open_session(server, &ended);
        jump(node, SHIFTED_REALTIME, MINUTE_NS);
        assert_false(ends_within(&ended, NS_PER_S)); // several ticks
        int64_t give_up_ns = clock_monotonic_ns() + MOST_NS;
        do {
            jump(node, SHIFTED_MONOTONIC, MINUTE_NS);
        } while (!ends_within(&ended, NS_PER_S) && clock_monotonic_ns() < give_up_ns);
        assert_int_equal(atomic_load(&ended), 1);
        zk_close(zk);
    }
}

// --- databases -----------------------------------------------------------------------------------

// It waits for times of its clock, on condition variables.
CLOCK_TEST(mariadb_tells_the_time_of_its_wall_clock_and_waits_as_long_as_ever, "mysql")
{
    static const int64_t jumps_s[] = {HOUR_S, -2 * HOUR_S};
    int64_t ahead_s = 0;
    for (size_t i = 0; i < 2; i++) {
        jump(node, SHIFTED_REALTIME, jumps_s[i] * NS_PER_S);
        jump(node, SHIFTED_MONOTONIC, jumps_s[i] * NS_PER_S);
        ahead_s += jumps_s[i];
        int64_t before_ns = clock_realtime_ns();
        int64_t now_s = number_of(node, "SELECT UNIX_TIMESTAMP(NOW())") - ahead_s;
        assert_in_range(now_s, before_ns / NS_PER_S, clock_realtime_ns() / NS_PER_S);
        before_ns = clock_monotonic_ns();
        assert_int_equal(number_of(node, "SELECT SLEEP(0.3)"), 0);
        assert_true(clock_monotonic_ns() - before_ns >= 300 * NS_PER_MS);
    }
}

CLOCK_TEST(postgres_tells_the_time_of_its_wall_clock, "postgres")
{
    jump(node, SHIFTED_REALTIME, -HOUR_NS);
    int64_t before_ns = clock_realtime_ns();
    int64_t now_s = number_of(node, "SELECT floor(extract(epoch FROM now()))::bigint") + HOUR_S;
    assert_in_range(now_s, before_ns / NS_PER_S, clock_realtime_ns() / NS_PER_S);
    before_ns = clock_monotonic_ns();
    number_of(node, "SELECT count(pg_sleep(0.1))");
    assert_true(clock_monotonic_ns() - before_ns >= 100 * NS_PER_MS);
}

// --- who has none --------------------------------------------------------------------------------

static const struct {
    struct test_group group;
} without_clocks[] = {{{.kind = "redis"}}, {{.kind = "etcd", .shiftable_clock = true}}};

SERVERS_TEST_OF_EACH(servers_have_the_machines_clock_unless_another_is_asked_for_and_can_be_had,
                     without_clocks)
{
    char path[64], start_of[16384] = "";
    assert_null(node->clock);
    snprintf(path, sizeof path, "/proc/%d/environ", (int)node->server);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    size_t length = fread(start_of, 1, sizeof start_of, file);
    assert_true(length > 0);
    assert_null(memmem(start_of, length, CLOCK_SHIFT_VARIABLE, sizeof CLOCK_SHIFT_VARIABLE - 1));
    fclose(file);
}

TEST(the_file_of_a_clock_goes_with_the_cluster)
{
    struct test_server server;
    assert_int_equal(
        test_group_start(&server, (struct test_group){.kind = "redis", .shiftable_clock = true}),
        0);
    AUTO_FREE char *path = path_join(node_of(&server, 1)->home, NODE_CLOCK_FILE);
    assert_int_equal(access(path, F_OK), 0);
    test_server_stop(&server);
    assert_int_equal(access(path, F_OK), -1);
}

// Not silently by the machine's clock.
TEST(a_server_that_does_not_load_the_preload_is_an_error)
{
    static const char *const wrong[] = {"/proc/self/status", "/no/such/library.so"};
    static const char *const complaints[] = {"did not load", "/no/such/library.so"};
    for (size_t i = 0; i < 2; i++) {
        struct test_server server;
        struct error error = {0};
        assert_int_equal(setenv("LOCKPICK_CLOCK_PRELOAD", wrong[i], 1), 0);
        const struct test_group group = {.kind = "redis", .shiftable_clock = true};
        MUST_BE(-1, test_group_open(&server, group, &error));
        assert_int_equal(unsetenv("LOCKPICK_CLOCK_PRELOAD"), 0);
        assert_non_null(strstr(error.text, complaints[i]));
    }
}
