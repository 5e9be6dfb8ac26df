// The faults `disk` and `upgrade` on a real Redis that writes each change to its disk.
#include "faults/fault.h"

#include "harness/base/clock.h"
#include "harness/base/file.h"
#include "harness/base/test_folder.h"
#include "harness/cluster/control.h"
#include "harness/cluster/disk.h"
#include "harness/cluster/server.h"
#include "harness/cluster/topology.h"
#include "harness/testing/test.h"

#include <hiredis/hiredis.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_NS (60 * NS_PER_S)
enum way { FULL, SLOW, LOST_WRITES, CORRUPT };

struct fixture {
    struct cluster cluster;
    char folder[64];
    struct scenario scenario;
    struct fault_environment environment;
    struct fault_instance instance;
    struct fault_strike strike;
};

static int start_with(void **state, enum persistence persistence)
{
    static struct fixture fixture;
    struct error error = {0};
    struct group_settings group = {.name = "redis",
                                   .topology = topology_find("redis", "single"),
                                   .count = 1,
                                   .persistence = persistence,
                                   .hindered_disk = true};
    fixture = (struct fixture){.folder = "/tmp/lockpick-disk-fault-XXXXXX"};
    struct cluster_settings settings = {.isolation = ISOLATION_LOOPBACK,
                                        .groups = &group,
                                        .group_count = 1,
                                        .folder = fixture.folder,
                                        .serial = 1};
    *state = &fixture;
    if (test_folder_make(fixture.folder) != 0)
        return -1;
    if (cluster_open(&fixture.cluster, &settings, &error) != 0) {
        fprintf(stderr, "%s\n", error.text);
        return -1;
    }
    fixture.environment = (struct fault_environment){
        .scenario = &fixture.scenario, .lock_group = &fixture.cluster.groups[0], .seed = 7};
    return 0;
}

static int start(void **state)
{
    return start_with(state, PERSISTENCE_AOF_ALWAYS);
}

static int start_everysec(void **state)
{
    return start_with(state, PERSISTENCE_AOF_EVERYSEC);
}

static int start_without(void **state)
{
    return start_with(state, PERSISTENCE_NONE);
}

static int stop(void **state)
{
    struct fixture *fixture = *state;
    cluster_close(&fixture->cluster);
    return test_folder_remove(fixture->folder);
}

static struct node *node_of(struct fixture *fixture)
{
    return &fixture->cluster.nodes[0];
}

static void aim(struct fixture *fixture, enum way way)
{
    fixture->instance = (struct fault_instance){.number = 1,
                                                .verb = "disk",
                                                .form = *fault_find("disk")->form.ways[way],
                                                .target = {.server = "server-1"},
                                                .by_ns = 100 * NS_PER_MS};
    fixture->strike =
        (struct fault_strike){.instance = &fixture->instance, .environment = &fixture->environment};
}

static void aim_upgrade(struct fixture *fixture, char *to)
{
    fixture->instance = (struct fault_instance){.number = 1,
                                                .verb = "upgrade",
                                                .form = fault_find("upgrade")->form,
                                                .target = {.server = "server-1"},
                                                .to = to};
    fixture->strike =
        (struct fault_strike){.instance = &fixture->instance, .environment = &fixture->environment};
}

// Asks again until it is proven. Nobody else may take the server's end for a failure meanwhile.
static void strike(struct fixture *fixture,
                   enum strike_state (*first)(struct fault_strike *, struct error *),
                   enum strike_state (*again)(struct fault_strike *, struct error *))
{
    struct error error = {0};
    int64_t give_up_ns = clock_monotonic_ns() + MOST_NS;
    enum strike_state now = first(&fixture->strike, &error);
    while (now == STRIKE_PENDING && clock_monotonic_ns() < give_up_ns) {
        clock_sleep_until_ns(clock_monotonic_ns() + NS_PER_MS);
        assert_int_equal(cluster_check_servers(&fixture->cluster, &error), 0);
        now = again(&fixture->strike, &error);
    }
    if (now != STRIKE_IN_EFFECT)
        fail_msg("%d: %s", now, error.text);
}

static void inject(struct fixture *fixture, const struct fault *fault)
{
    strike(fixture, fault->inject, fault->prove);
}

static void heal(struct fixture *fixture, const struct fault *fault)
{
    strike(fixture, fault->heal, fault->heal);
}

// What the server answers; "" if it does not.
static const char *ask(struct fixture *fixture, const char *command, char answer[256])
{
    const struct node *node = node_of(fixture);
    struct timeval patience = {.tv_sec = 30};
    redisContext *context = redisConnectWithTimeout(node->end.address, node->port, patience);
    assert_non_null(context);
    answer[0] = '\0';
    redisReply *reply = context->err == 0 ? redisCommand(context, command) : NULL;
    if (reply != NULL && reply->str != NULL)
        snprintf(answer, 256, "%s", reply->str);
    if (reply != NULL)
        freeReplyObject(reply);
    redisFree(context);
    return answer;
}

static void crash(struct fixture *fixture)
{
    struct error error = {0};
    struct node *node = node_of(fixture);
    int64_t give_up_ns = clock_monotonic_ns() + MOST_NS;
    assert_int_equal(server_kill(node, &error), 0);
    assert_int_equal(server_restart(node, LOSS_NONE, &error), 0);
    int state;
    while ((state = server_is_back(node, &error)) == 1 && clock_monotonic_ns() < give_up_ns)
        clock_sleep_until_ns(clock_monotonic_ns() + NS_PER_MS);
    if (state != 0)
        fail_msg("%d: %s", state, error.text);
}

TEST_WITH(what_a_lying_disk_said_was_written_is_lost_in_a_crash, start, stop)
{
    struct fixture *fixture = *state;
    char answer[256];
    aim(fixture, LOST_WRITES);
    assert_string_equal(ask(fixture, "SET old 1", answer), "OK");
    inject(fixture, fault_find("disk"));
    for (int round = 0; round < 2; round++) {
        assert_string_equal(ask(fixture, "SET lock 1", answer), "OK");
        crash(fixture);
        assert_string_equal(ask(fixture, "GET old", answer), "1");
        assert_string_equal(ask(fixture, "GET lock", answer), "");
    }
    assert_string_equal(ask(fixture, "SET lock 2", answer), "OK");
    heal(fixture, fault_find("disk"));
    crash(fixture);
    assert_string_equal(ask(fixture, "GET lock", answer), "2");
}

// The server writes each change before it answers: without the fault a crash takes nothing.
TEST_WITH(a_sound_disk_loses_nothing_in_a_crash, start, stop)
{
    struct fixture *fixture = *state;
    char answer[256];
    assert_string_equal(ask(fixture, "SET lock 1", answer), "OK");
    crash(fixture);
    assert_string_equal(ask(fixture, "GET lock", answer), "1");
}

TEST_WITH(a_server_that_ends_by_a_full_disk_is_started_again_with_its_data, start, stop)
{
    struct fixture *fixture = *state;
    char answer[256];
    struct error error = {0};
    aim(fixture, FULL);
    assert_string_equal(ask(fixture, "SET lock 1", answer), "OK");
    inject(fixture, fault_find("disk"));
    assert_string_equal(ask(fixture, "SET lock 2", answer), "");
    int64_t give_up_ns = clock_monotonic_ns() + MOST_NS;
    while (!server_has_ended(node_of(fixture)) && clock_monotonic_ns() < give_up_ns)
        assert_int_equal(cluster_check_servers(&fixture->cluster, &error), 0);
    heal(fixture, fault_find("disk"));
    assert_true(fixture->strike.met > 0);
    assert_string_equal(fixture->strike.found,
                        "(redis-1 had ended by itself, and is started again)");
    assert_string_equal(ask(fixture, "GET lock", answer), "1");
    // What it does from now on by itself is a failure again.
    assert_false(node_of(fixture)->may_end);
}

TEST_WITH(a_server_that_refuses_by_a_full_disk_takes_writes_when_there_is_room, start_everysec,
          stop)
{
    struct fixture *fixture = *state;
    char answer[256];
    pid_t before = node_of(fixture)->server;
    aim(fixture, FULL);
    assert_string_equal(ask(fixture, "SET lock 1", answer), "OK");
    inject(fixture, fault_find("disk"));
    int64_t give_up_ns = clock_monotonic_ns() + MOST_NS;
    while (strncmp(ask(fixture, "SET lock 2", answer), "MISCONF", 7) != 0)
        assert_true(clock_monotonic_ns() < give_up_ns);
    heal(fixture, fault_find("disk"));
    assert_int_equal(node_of(fixture)->server, before);
    assert_string_equal(fixture->strike.found, "");
    while (strcmp(ask(fixture, "SET lock 2", answer), "OK") != 0)
        assert_true(clock_monotonic_ns() < give_up_ns);
}

TEST_WITH(a_slow_disk_makes_each_write_wait, start, stop)
{
    struct fixture *fixture = *state;
    char answer[256];
    aim(fixture, SLOW);
    inject(fixture, fault_find("disk"));
    int64_t from_ns = clock_monotonic_ns();
    assert_string_equal(ask(fixture, "SET lock 1", answer), "OK");
    assert_true(clock_monotonic_ns() - from_ns >= 200 * NS_PER_MS); // a write and a flush
    heal(fixture, fault_find("disk"));
    assert_true(fixture->strike.met >= 2);
}

TEST_WITH(a_disk_has_one_fault_at_a_time, start, stop)
{
    struct fixture *fixture = *state;
    struct error error = {0};
    aim(fixture, SLOW);
    inject(fixture, fault_find("disk"));
    aim(fixture, FULL);
    assert_int_equal(fault_find("disk")->inject(&fixture->strike, &error), STRIKE_FAILED);
    assert_non_null(strstr(error.text, "another fault has the disk of redis-1"));
}

// The log has checksums of nothing, but what is no command any more is refused.
TEST_WITH(damage_is_told_and_shows_when_the_server_starts, start, stop)
{
    struct fixture *fixture = *state;
    struct error error = {0};
    char answer[256];
    struct node *node = node_of(fixture);
    aim(fixture, CORRUPT);
    for (int i = 0; i < 50; i++)
        assert_string_equal(ask(fixture, "SET lock 1", answer), "OK");
    inject(fixture, fault_find("disk"));
    assert_non_null(strstr(fixture->strike.found, "in appendonlydir/appendonly.aof.1.incr.aof, "
                                                  "bytes "));
    assert_string_equal(ask(fixture, "GET lock", answer), "1");
    assert_int_equal(server_kill(node, &error), 0);
    assert_int_equal(server_restart(node, LOSS_NONE, &error), 0);
    int64_t give_up_ns = clock_monotonic_ns() + MOST_NS;
    int now = 1;
    while (now == 1 && clock_monotonic_ns() < give_up_ns) {
        // Who watches the servers meanwhile does not take it for a failure of the trial.
        assert_int_equal(cluster_check_servers(&fixture->cluster, &error), 0);
        now = server_is_back(node, &error);
    }
    if (now == 0) // it was a value that was damaged
        return;
    assert_int_equal(now, -1);
    assert_non_null(strstr(error.text, "redis-1 ended while it started again"));
}

TEST(only_servers_that_keep_data_where_they_can_be_reached_are_struck)
{
    static const struct {
        const char *kind;
        enum persistence persistence;
        enum way way;
        const char *why; // NULL: it can be struck
    } cases[] = {
        {"memcached", PERSISTENCE_NONE, CORRUPT, "memcached keeps nothing on a disk"},
        {"redis", PERSISTENCE_NONE, FULL, "{redis: {persistence: aof-always}}"},
        {"redis", PERSISTENCE_NONE, LOST_WRITES, "{redis: {persistence: aof-always}}"},
        {"redis", PERSISTENCE_AOF_EVERYSEC, SLOW, NULL},
        {"etcd", PERSISTENCE_NONE, FULL, "etcd asks the kernel itself to write"},
        {"etcd", PERSISTENCE_NONE, LOST_WRITES, NULL},
        {"etcd", PERSISTENCE_NONE, CORRUPT, NULL},
        {"mysql", PERSISTENCE_NONE, FULL, NULL},
        {"zookeeper", PERSISTENCE_NONE, SLOW, NULL},
        {"postgres", PERSISTENCE_NONE, LOST_WRITES, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct error why = {0};
        const struct fault_form *form = fault_find("disk")->form.ways[cases[i].way];
        bool can = form->can_strike(form, cases[i].kind, cases[i].persistence, &why);
        assert_int_equal(can, cases[i].why == NULL);
        if (!can && strstr(why.text, cases[i].why) == NULL)
            fail_msg("%s: %s", cases[i].kind, why.text);
    }
}

// --- upgrade -------------------------------------------------------------------------------------

TEST_WITH(an_upgrade_keeps_the_data_and_runs_the_other_program, start, stop)
{
    struct fixture *fixture = *state;
    char answer[256];
    char link[64];
    char running[512] = "";
    char *to = path_join(fixture->folder, "redis-of-tomorrow");
    struct text copy = {0};
    assert_int_equal(file_read("/usr/bin/redis-server", &copy, NULL), 0);
    assert_int_equal(file_write(to, copy.bytes, copy.length, NULL), 0);
    assert_int_equal(chmod(to, 0755), 0);
    assert_int_equal(chmod(fixture->folder, 0755), 0);
    assert_string_equal(ask(fixture, "SET lock 1", answer), "OK");
    pid_t before = node_of(fixture)->server;
    aim_upgrade(fixture, to);
    inject(fixture, fault_find("upgrade"));
    assert_int_equal(node_of(fixture)->server, 0);
    int versions = 0;
    char old[32], next[32];
    versions = sscanf(fixture->strike.found, "from redis-server %31s to redis-of-tomorrow %31s",
                      old, next);
    assert_int_equal(versions, 2);
    assert_string_equal(old, next);
    heal(fixture, fault_find("upgrade"));
    assert_int_not_equal(node_of(fixture)->server, before);
    assert_string_equal(ask(fixture, "GET lock", answer), "1");
    snprintf(link, sizeof link, "/proc/%d/exe", (int)node_of(fixture)->server);
    assert_true(readlink(link, running, sizeof running - 1) > 0);
    assert_non_null(strstr(running, "redis-of-tomorrow"));
    // A crash later on is of the new one.
    crash(fixture);
    snprintf(link, sizeof link, "/proc/%d/exe", (int)node_of(fixture)->server);
    assert_true(readlink(link, running, sizeof running - 1) > 0);
    assert_non_null(strstr(running, "redis-of-tomorrow"));
    text_free(&copy);
    free(to);
}

TEST_WITH(an_upgrade_of_a_server_that_keeps_nothing_leaves_it_empty, start_without, stop)
{
    struct fixture *fixture = *state;
    char answer[256];
    char to[] = "redis-server";
    aim_upgrade(fixture, to);
    assert_string_equal(ask(fixture, "SET lock 1", answer), "OK");
    inject(fixture, fault_find("upgrade"));
    heal(fixture, fault_find("upgrade"));
    assert_string_equal(ask(fixture, "PING", answer), "PONG");
    assert_string_equal(ask(fixture, "GET lock", answer), "");
}

TEST_WITH(an_upgrade_to_a_program_that_does_not_serve_says_so, start, stop)
{
    struct fixture *fixture = *state;
    struct error error = {0};
    char to[] = "/bin/false";
    aim_upgrade(fixture, to);
    inject(fixture, fault_find("upgrade"));
    int64_t give_up_ns = clock_monotonic_ns() + MOST_NS;
    enum strike_state now = STRIKE_PENDING;
    while (now == STRIKE_PENDING && clock_monotonic_ns() < give_up_ns)
        now = fault_find("upgrade")->heal(&fixture->strike, &error);
    assert_int_equal(now, STRIKE_FAILED);
    assert_non_null(strstr(error.text, "redis-1 ended while it started again"));
}

TEST_WITH(an_upgrade_to_what_is_not_there_is_skipped, start, stop)
{
    struct fixture *fixture = *state;
    struct error why = {0};
    char to[] = "redis-of-nobody";
    aim_upgrade(fixture, to);
    assert_int_equal(fault_available(&fixture->instance, &fixture->environment, &why),
                     FAULT_MISSING);
    assert_non_null(strstr(why.text, "found no redis-of-nobody in PATH"));
}
