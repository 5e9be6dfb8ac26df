// The clocks of real servers, set from outside: what each kind makes of them.
#include "harness/base/clock.h"
#include "harness/base/clock_shift.h"
#include "harness/base/file.h"
#include "harness/base/test_folder.h"
#include "harness/cluster/mysql_ask.h"
#include "harness/cluster/process.h"
#include "harness/cluster/server.h"
#include "harness/cluster/topology.h"
#include "harness/testing/test.h"
#include "harness/wire/zookeeper.h"

#include <postgresql/libpq-fe.h>
#include <unistd.h>

#define MINUTE_NS (60 * NS_PER_S)
#define HOUR_NS (60 * MINUTE_NS)
#define MOST_NS (30 * NS_PER_S) // that anything here may take, on a busy machine
#define HOUR_S 3600

// --- servers -------------------------------------------------------------------------------------

// One server in a folder of its own.
struct place {
    struct cluster cluster;
    char folder[64];
};

static int open_server(struct place *place, const char *kind, bool shiftable, struct error *error)
{
    *place = (struct place){.folder = "/tmp/lockpick-clocks-XXXXXX"};
    struct group_settings group = {.name = "server",
                                   .topology = topology_find(kind, "single"),
                                   .count = 1,
                                   .shiftable_clock = shiftable};
    struct cluster_settings settings = {.isolation = ISOLATION_LOOPBACK,
                                        .groups = &group,
                                        .group_count = 1,
                                        .folder = place->folder,
                                        .serial = 1};
    if (test_folder_make(place->folder) != 0)
        return -1;
    return cluster_open(&place->cluster, &settings, error);
}

// Returns the only node.
static struct node *start(struct place *place, const char *kind)
{
    struct error error = {0};
    if (open_server(place, kind, true, &error) != 0)
        fail_msg("%s", error.text);
    assert_non_null(place->cluster.nodes[0].clock);
    return &place->cluster.nodes[0];
}

static void stop(struct place *place)
{
    cluster_close(&place->cluster);
    assert_int_equal(test_folder_remove(place->folder), 0);
}

static void jump(const struct node *node, enum shifted_clock which, int64_t by_ns)
{
    int64_t now_ns = which == SHIFTED_REALTIME ? clock_realtime_ns() : clock_monotonic_ns();
    clock_shift_set(node->clock, which, now_ns, by_ns, CLOCK_RATE_NORMAL);
}

// One request in text; the first line of the answer is left in `answer`.
static const char *tell(const struct node *node, const char *request, char answer[128])
{
    size_t length = 0;
    int descriptor = server_connect(node);
    assert_true(descriptor >= 0);
    assert_int_equal(write(descriptor, request, strlen(request)), strlen(request));
    do {
        ssize_t got = read(descriptor, answer + length, 127 - length);
        assert_true(got > 0);
        length += (size_t)got;
        answer[length] = '\0';
    } while (strchr(answer, '\n') == NULL);
    close(descriptor);
    answer[strcspn(answer, "\r")] = '\0';
    return answer;
}

static void expect(const struct node *node, const char *request, const char *expected)
{
    char answer[128];
    assert_string_equal(tell(node, request, answer), expected);
}

static void await(const struct node *node, const char *request, const char *expected)
{
    char answer[128];
    int64_t give_up_ns = clock_monotonic_ns() + MOST_NS;
    while (strcmp(tell(node, request, answer), expected) != 0) {
        if (clock_monotonic_ns() > give_up_ns)
            fail_msg("%s is still answered %s", request, answer);
        clock_sleep_until_ns(clock_monotonic_ns() + 5 * NS_PER_MS);
    }
}

// --- redis: leases by CLOCK_REALTIME -------------------------------------------------------------

#define TAKE "SET lock me NX PX 60000\r\n"

static int64_t left_ms(const struct node *node)
{
    char answer[128];
    tell(node, "PTTL lock\r\n", answer);
    assert_int_equal(answer[0], ':');
    return atoll(answer + 1);
}

TEST(redis_ends_a_lease_when_its_wall_clock_jumps_past_the_end)
{
    struct place place;
    const struct node *node = start(&place, "redis");
    expect(node, TAKE, "+OK");
    jump(node, SHIFTED_MONOTONIC, 2 * MINUTE_NS);
    expect(node, TAKE, "$-1");
    jump(node, SHIFTED_REALTIME, 2 * MINUTE_NS);
    expect(node, TAKE, "+OK");
    stop(&place);
}

TEST(redis_lengthens_a_lease_when_its_wall_clock_jumps_back)
{
    struct place place;
    const struct node *node = start(&place, "redis");
    expect(node, TAKE, "+OK");
    assert_in_range(left_ms(node), 0, 60000);
    jump(node, SHIFTED_REALTIME, -10 * MINUTE_NS);
    assert_in_range(left_ms(node), 600000, 660000);
    clock_shift_clear(node->clock, SHIFTED_REALTIME);
    assert_in_range(left_ms(node), 0, 60000);
    stop(&place);
}

TEST(redis_never_ends_a_lease_while_its_wall_clock_is_frozen)
{
    struct place place;
    const struct node *node = start(&place, "redis");
    clock_shift_set(node->clock, SHIFTED_REALTIME, clock_realtime_ns(), 0, 0);
    expect(node, "SET lock me NX PX 30\r\n", "+OK");
    int64_t over_ns = clock_monotonic_ns() + 60 * NS_PER_MS;
    while (clock_monotonic_ns() < over_ns)
        assert_int_equal(left_ms(node), 30);
    clock_shift_clear(node->clock, SHIFTED_REALTIME);
    await(node, "EXISTS lock\r\n", ":0");
    stop(&place);
}

TEST(a_clock_stays_wrong_when_the_server_is_started_again)
{
    struct place place;
    struct error error = {0};
    struct node *node = start(&place, "redis");
    jump(node, SHIFTED_REALTIME, HOUR_NS);
    process_kill(node->server);
    if (cluster_start_node(node, &error) != 0)
        fail_msg("%s", error.text);
    long long now_s = clock_realtime_ns() / NS_PER_S;
    char request[64];
    snprintf(request, sizeof request, "SET lock me PXAT %lld\r\n", (now_s + HOUR_S / 2) * 1000);
    expect(node, request, "+OK");
    expect(node, "EXISTS lock\r\n", ":0");
    stop(&place);
}

// --- memcached: leases by CLOCK_MONOTONIC --------------------------------------------------------

TEST(memcached_ends_a_lease_when_its_monotonic_clock_jumps_past_the_end)
{
    struct place place;
    const struct node *node = start(&place, "memcached");
    expect(node, "add lock 0 1000 2\r\nme\r\n", "STORED");
    jump(node, SHIFTED_REALTIME, HOUR_NS);
    // Its clock ticks once a second: it has, once what lasts a second is gone.
    expect(node, "add tick 0 1 2\r\nme\r\n", "STORED");
    await(node, "get tick\r\n", "END");
    expect(node, "get lock\r\n", "VALUE lock 0 2");
    jump(node, SHIFTED_MONOTONIC, HOUR_NS);
    await(node, "get lock\r\n", "END");
    stop(&place);
}

// --- zookeeper: sessions by CLOCK_MONOTONIC ------------------------------------------------------

static void note_end(void *context, int64_t number)
{
    (void)number;
    atomic_fetch_add((atomic_int *)context, 1);
}

static struct zk *open_session(const struct place *place, struct service *service,
                               atomic_int *ended)
{
    struct error error = {0};
    group_describe(&place->cluster.groups[0], service);
    const struct zk_settings settings = {.service = service,
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
TEST(zookeeper_ends_sessions_when_its_monotonic_clock_jumps)
{
    struct place place;
    const struct node *node = start(&place, "zookeeper");
    for (int i = 0; i < 2; i++) {
        struct service service;
        atomic_int ended = 0;
        struct zk *zk = open_session(&place, &service, &ended);
        jump(node, SHIFTED_REALTIME, MINUTE_NS);
        assert_false(ends_within(&ended, NS_PER_S)); // several ticks
        int64_t give_up_ns = clock_monotonic_ns() + MOST_NS;
        do {
            jump(node, SHIFTED_MONOTONIC, MINUTE_NS);
        } while (!ends_within(&ended, NS_PER_S) && clock_monotonic_ns() < give_up_ns);
        assert_int_equal(atomic_load(&ended), 1);
        zk_close(zk);
    }
    stop(&place);
}

// --- databases -----------------------------------------------------------------------------------

static int64_t mysql_number(const struct node *node, const char *statement)
{
    char answer[64];
    struct error error = {0};
    if (mysql_ask(node, statement, answer, sizeof answer, &error) != 0)
        fail_msg("%s", error.text);
    return atoll(answer);
}

// It waits for times of its clock, on condition variables.
TEST(mariadb_tells_the_time_of_its_wall_clock_and_waits_as_long_as_ever)
{
    static const int64_t jumps_s[] = {HOUR_S, -2 * HOUR_S};
    struct place place;
    const struct node *node = start(&place, "mysql");
    int64_t ahead_s = 0;
    for (size_t i = 0; i < 2; i++) {
        jump(node, SHIFTED_REALTIME, jumps_s[i] * NS_PER_S);
        jump(node, SHIFTED_MONOTONIC, jumps_s[i] * NS_PER_S);
        ahead_s += jumps_s[i];
        int64_t before_ns = clock_realtime_ns();
        int64_t now_s = mysql_number(node, "SELECT UNIX_TIMESTAMP(NOW())") - ahead_s;
        assert_in_range(now_s, before_ns / NS_PER_S, clock_realtime_ns() / NS_PER_S);
        before_ns = clock_monotonic_ns();
        assert_int_equal(mysql_number(node, "SELECT SLEEP(0.3)"), 0);
        assert_true(clock_monotonic_ns() - before_ns >= 300 * NS_PER_MS);
    }
    stop(&place);
}

static int64_t postgres_number(const struct node *node, const char *statement)
{
    char settings[160];
    snprintf(settings, sizeof settings, "host=%s port=%d user=postgres dbname=postgres",
             node->end.address, node->port);
    PGconn *connection = PQconnectdb(settings);
    PGresult *result = PQexec(connection, statement);
    assert_int_equal(PQresultStatus(result), PGRES_TUPLES_OK);
    int64_t number = atoll(PQgetvalue(result, 0, 0));
    PQclear(result);
    PQfinish(connection);
    return number;
}

TEST(postgres_tells_the_time_of_its_wall_clock)
{
    struct place place;
    const struct node *node = start(&place, "postgres");
    jump(node, SHIFTED_REALTIME, -HOUR_NS);
    int64_t before_ns = clock_realtime_ns();
    int64_t now_s =
        postgres_number(node, "SELECT floor(extract(epoch FROM now()))::bigint") + HOUR_S;
    assert_in_range(now_s, before_ns / NS_PER_S, clock_realtime_ns() / NS_PER_S);
    before_ns = clock_monotonic_ns();
    postgres_number(node, "SELECT count(pg_sleep(0.1))");
    assert_true(clock_monotonic_ns() - before_ns >= 100 * NS_PER_MS);
    stop(&place);
}

// --- who has none --------------------------------------------------------------------------------

TEST(servers_have_the_machines_clock_unless_another_is_asked_for_and_can_be_had)
{
    static const struct {
        const char *kind;
        bool shiftable;
    } cases[] = {{"redis", false}, {"etcd", true}};
    for (size_t i = 0; i < 2; i++) {
        struct place place;
        struct error error = {0};
        char path[64];
        char start_of[16384] = "";
        assert_int_equal(open_server(&place, cases[i].kind, cases[i].shiftable, &error), 0);
        const struct node *node = &place.cluster.nodes[0];
        assert_null(node->clock);
        snprintf(path, sizeof path, "/proc/%d/environ", (int)node->server);
        FILE *file = fopen(path, "r");
        assert_non_null(file);
        size_t length = fread(start_of, 1, sizeof start_of, file);
        assert_true(length > 0);
        assert_null(
            memmem(start_of, length, CLOCK_SHIFT_VARIABLE, sizeof CLOCK_SHIFT_VARIABLE - 1));
        fclose(file);
        stop(&place);
    }
}

TEST(the_file_of_a_clock_goes_with_the_cluster)
{
    struct place place;
    char *path = path_join(start(&place, "redis")->home, NODE_CLOCK_FILE);
    assert_int_equal(access(path, F_OK), 0);
    cluster_close(&place.cluster);
    assert_int_equal(access(path, F_OK), -1);
    free(path);
    assert_int_equal(test_folder_remove(place.folder), 0);
}

// Not silently by the machine's clock.
TEST(a_server_that_does_not_load_the_preload_is_an_error)
{
    static const char *const wrong[] = {"/proc/self/status", "/no/such/library.so"};
    static const char *const complaints[] = {"did not load", "/no/such/library.so"};
    for (size_t i = 0; i < 2; i++) {
        struct place place;
        struct error error = {0};
        assert_int_equal(setenv("LOCKPICK_CLOCK_PRELOAD", wrong[i], 1), 0);
        assert_int_equal(open_server(&place, "redis", true, &error), -1);
        assert_int_equal(unsetenv("LOCKPICK_CLOCK_PRELOAD"), 0);
        assert_non_null(strstr(error.text, complaints[i]));
        assert_int_equal(test_folder_remove(place.folder), 0);
    }
}
