// The faults `disk` and `upgrade` on a real Redis that writes each change to its disk.
#include "faults/test_strike.h"
#include "harness/base/file.h"

#include <sys/stat.h>
#include <unistd.h>

enum way { FULL, SLOW, LOST_WRITES, CORRUPT };

#define REDIS .kind = "redis", .hindered_disk = true
#define SOUND_REDIS REDIS, .persistence = PERSISTENCE_AOF_ALWAYS

static void aim(enum way way)
{
    struck.instance.form = *fault_find("disk")->form.ways[way];
    struck.instance.by_ns = 100 * NS_PER_MS;
}

static void crash(struct node *node)
{
    die(node);
    come_back(node, LOSS_NONE);
}

#define SET(value) must_answer(node, "SET lock " value, "+OK")
#define GET(value) must_answer(node, "GET lock", value)
#define NOTHING "$-1"

STRIKE_TEST(what_a_lying_disk_said_was_written_is_lost_in_a_crash, "disk", SOUND_REDIS)
{
    aim(LOST_WRITES);
    must_answer(node, "SET old 1", "+OK");
    MUST_BE(STRIKE_IN_EFFECT, inject(&error));
    for (int round = 0; round < 2; round++) {
        SET("1");
        crash(node);
        must_answer(node, "GET old", "\r\n1\r\n");
        GET(NOTHING);
    }
    SET("2");
    MUST_BE(STRIKE_IN_EFFECT, heal(&error));
    crash(node);
    GET("\r\n2\r\n");
}

// The server writes each change before it answers: without the fault a crash takes nothing.
STRIKE_TEST(a_sound_disk_loses_nothing_in_a_crash, "disk", SOUND_REDIS)
{
    SET("1");
    crash(node);
    GET("\r\n1\r\n");
}

STRIKE_TEST(a_server_that_ends_by_a_full_disk_is_started_again_with_its_data, "disk", SOUND_REDIS)
{
    aim(FULL);
    SET("1");
    MUST_BE(STRIKE_IN_EFFECT, inject(&error));
    assert_false(answers(node, "SET lock 2", "+OK"));
    int64_t give_up_ns = clock_monotonic_ns() + PATIENCE_NS;
    while (!server_has_ended(node) && clock_monotonic_ns() < give_up_ns)
        MUST_BE(0, cluster_check_servers(&struck.server.cluster, &error));
    MUST_BE(STRIKE_IN_EFFECT, heal(&error));
    assert_true(struck.strike.met > 0);
    assert_string_equal(struck.strike.found,
                        "(server-1 had ended by itself, and is started again)");
    GET("\r\n1\r\n");
    // What it does from now on by itself is a failure again.
    assert_false(node->may_end);
}

STRIKE_TEST(a_server_that_refuses_by_a_full_disk_takes_writes_when_there_is_room, "disk", REDIS,
            .persistence = PERSISTENCE_AOF_EVERYSEC)
{
    pid_t before = node->server;
    aim(FULL);
    SET("1");
    MUST_BE(STRIKE_IN_EFFECT, inject(&error));
    must_come_to_answer(node, "SET lock 2", "-MISCONF");
    MUST_BE(STRIKE_IN_EFFECT, heal(&error));
    assert_int_equal(node->server, before);
    assert_string_equal(struck.strike.found, "");
    must_come_to_answer(node, "SET lock 2", "+OK");
}

STRIKE_TEST(a_slow_disk_makes_each_write_wait, "disk", SOUND_REDIS)
{
    aim(SLOW);
    MUST_BE(STRIKE_IN_EFFECT, inject(&error));
    int64_t from_ns = clock_monotonic_ns();
    SET("1");
    assert_true(clock_monotonic_ns() - from_ns >= 200 * NS_PER_MS); // a write and a flush
    MUST_BE(STRIKE_IN_EFFECT, heal(&error));
    assert_true(struck.strike.met >= 2);
}

STRIKE_TEST(a_disk_has_one_fault_at_a_time, "disk", SOUND_REDIS)
{
    aim(SLOW);
    MUST_BE(STRIKE_IN_EFFECT, inject(&error));
    aim(FULL);
    MUST_FAIL(STRIKE_FAILED, inject(&error), "another fault has the disk of server-1");
}

// Until it is back, or has failed: no failure of the trial to who watches the servers meanwhile.
static int state_after_start(struct node *node, struct error *error)
{
    int64_t give_up_ns = clock_monotonic_ns() + PATIENCE_NS;
    int now = 1;
    while (now == 1 && clock_monotonic_ns() < give_up_ns) {
        assert_int_equal(cluster_check_servers(&struck.server.cluster, error), 0);
        now = server_is_back(node, error);
    }
    return now;
}

// The log has checksums of nothing, but what is no command any more is refused.
STRIKE_TEST(damage_is_told_and_shows_when_the_server_starts, "disk", SOUND_REDIS)
{
    aim(CORRUPT);
    for (int i = 0; i < 50; i++)
        SET("1");
    MUST_BE(STRIKE_IN_EFFECT, inject(&error));
    assert_non_null(strstr(struck.strike.found, "in appendonlydir/appendonly.aof.1.incr.aof, "
                                                "bytes "));
    GET("\r\n1\r\n");
    die(node);
    MUST_BE(0, server_restart(node, LOSS_NONE, &error));
    int now = state_after_start(node, &error);
    if (now == 0) // it was a value that was damaged
        return;
    assert_int_equal(now, -1);
    assert_non_null(strstr(error.text, "server-1 ended while it started again"));
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

static void expect_to_run(const struct node *node, const char *program)
{
    char link[64], running[512] = "";
    snprintf(link, sizeof link, "/proc/%d/exe", (int)node->server);
    assert_true(readlink(link, running, sizeof running - 1) > 0);
    assert_non_null(strstr(running, program));
}

STRIKE_TEST(an_upgrade_keeps_the_data_and_runs_the_other_program, "upgrade", SOUND_REDIS)
{
    char old[32], next[32];
    AUTO_FREE char *to = path_join(struck.server.folder, "redis-of-tomorrow");
    AUTO_TEXT struct text copy = {0};
    MUST_BE(0, file_read("/usr/bin/redis-server", &copy, &error));
    MUST_BE(0, file_write(to, copy.bytes, copy.length, &error));
    assert_int_equal(chmod(to, 0755), 0);
    assert_int_equal(chmod(struck.server.folder, 0755), 0);
    SET("1");
    pid_t before = node->server;
    struck.instance.to = to;
    MUST_BE(STRIKE_IN_EFFECT, inject(&error));
    assert_int_equal(node->server, 0);
    assert_int_equal(
        sscanf(struck.strike.found, "from redis-server %31s to redis-of-tomorrow %31s", old, next),
        2);
    assert_string_equal(old, next);
    MUST_BE(STRIKE_IN_EFFECT, heal(&error));
    assert_int_not_equal(node->server, before);
    GET("\r\n1\r\n");
    expect_to_run(node, "redis-of-tomorrow");
    crash(node); // of the new one
    expect_to_run(node, "redis-of-tomorrow");
}

STRIKE_TEST(an_upgrade_of_a_server_that_keeps_nothing_leaves_it_empty, "upgrade", REDIS)
{
    struck.instance.to = (char *)"redis-server";
    SET("1");
    MUST_BE(STRIKE_IN_EFFECT, inject(&error));
    MUST_BE(STRIKE_IN_EFFECT, heal(&error));
    GET(NOTHING);
}

STRIKE_TEST(an_upgrade_to_a_program_that_does_not_serve_says_so, "upgrade", SOUND_REDIS)
{
    struck.instance.to = (char *)"/bin/false";
    MUST_BE(STRIKE_IN_EFFECT, inject(&error));
    MUST_FAIL(STRIKE_FAILED, heal(&error), "server-1 ended while it started again");
}

STRIKE_TEST(an_upgrade_to_what_is_not_there_is_skipped, "upgrade", SOUND_REDIS)
{
    struck.instance.to = (char *)"redis-of-nobody";
    MUST_FAIL(FAULT_MISSING, (int)fault_available(&struck.instance, &struck.environment, &error),
              "found no program redis-of-nobody");
}
