// Faults of disks and upgrades end to end: what a lost write does to a lock is told as its cause,
// what a full disk or damaged data do to a server is never held against the lock.
#include "harness/cli/test_runs.h"

#define HEAD                                                                                       \
    "version: 1\nname: small\nabout: For a test.\n"                                                \
    "workload: {kind: increment, operations: 20, hold: 5ms}\n"                                     \
    "clients: {processes: 2, start-first: client-1}\n"                                             \
    "lock: {lease: 10s, wait: 20s, retry: 5ms, request: 1s}\n"

TEST_GROUP(make_test_folder, remove_test_folder);

TEST(a_lock_lost_by_a_lying_disk_is_told_with_that_cause)
{
    struct command_result result =
        run_scenario("lies",
                     HEAD "servers: {redis: {persistence: aof-always}}\n"
                          "schemes: [redis-set-px-lua]\nfaults:\n"
                          "  - {name: lies, when: client-1 before request in acquire, disk: "
                          "server-1, how: lost-writes, until: end}\n"
                          "  - {name: held, after: lies, when: client-1 after read, nth: 2, "
                          "pause: client-1, until: client-2 writes or 8s}\n"
                          "  - {after: held, restart: server-1}\n",
                     "");
    must_say(&result, "UNSAFE");
    must_say(&result, "server-1's disk begins to lie: it answers that all is written, and keeps "
                      "none of it");
    must_say(&result, "Cause: server-1 started again without what its disk had said was written, "
                      "client-1's lock with it (fault 1)");
    must_say(&result, "a disk that has written what it says it has");
    command_free(&result);
}

// MariaDB ends by itself, or waits for room; ZooKeeper ends.
TEST(what_a_full_disk_does_to_a_server_is_not_held_against_the_lock)
{
    struct command_result result =
        run_scenario("full",
                     HEAD "schemes: [zk-sequential, mysql-unique-timeout]\nfaults:\n"
                          "  - {when: client-1 holds, nth: 2, disk: server-1, until: 1s}\n",
                     "");
    must_not_say(&result, "UNSAFE");
    must_not_say(&result, "ERROR");
    must_not_say(&result, "STUCK");
    command_free(&result);
}

TEST(a_server_that_does_not_start_with_damaged_data_gives_no_verdict)
{
    struct command_result result =
        run_scenario("damage",
                     HEAD "seed: 1\nschemes: [zk-sequential]\nfaults:\n"
                          "  - {name: bits, when: client-1 holds, nth: 4, disk: server-1, "
                          "how: corrupt}\n"
                          "  - {after: bits, restart: server-1}\n",
                     "");
    must_not_say(&result, "UNSAFE");
    must_not_say(&result, "ERROR");
    must_not_say(&result, "STUCK  ");
    command_free(&result);
}

TEST(a_disk_that_nobody_wrote_to_proves_nothing)
{
    struct command_result result =
        run_scenario("idle",
                     HEAD "schemes: [mysql-get-lock]\nfaults:\n"
                          "  - {when: client-1 holds, nth: 2, disk: server-1, until: "
                          "client-2 releases or 2s}\n",
                     "");
    must_say(&result, "UNKNOWN");
    must_say(&result, "met no write: the server asked nothing of its disk meanwhile");
    command_free(&result);
}

TEST(a_scenario_whose_servers_have_no_such_disk_is_refused)
{
    static const char *const cases[][2] = {
        {"schemes: [memcached-add]\nfaults:\n  - {at: 1s, disk: server-1, until: 1s}\n",
         "none.yaml:9:20: 'disk': memcached keeps nothing on a disk"},
        {"schemes: [redis-set-px-lua]\nfaults:\n  - {at: 1s, disk: server-1, until: 1s}\n",
         "none.yaml:9:20: 'disk': redis keeps nothing on its disk as it is set up here"},
        {"schemes: [etcd-lease]\nfaults:\n  - {at: 1s, disk: server-1, until: 1s}\n",
         "none.yaml:9:20: 'disk': etcd asks the kernel itself to write"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1024];
        snprintf(text, sizeof text, "%s%s", HEAD, cases[i][0]);
        command_expect(run_scenario("none", text, ""), 2, cases[i][1]);
    }
}

TEST(an_upgrade_that_forgets_a_lock_is_told_with_both_versions)
{
    struct command_result result =
        run_scenario("upgrade",
                     HEAD "schemes: [redis-set-px-lua]\nfaults:\n"
                          "  - {name: held, when: client-1 after read, pause: client-1, "
                          "until: client-2 writes or 8s}\n"
                          "  - {when: client-2 before request in acquire, upgrade: "
                          "server-1, to: redis-server}\n",
                     "");
    must_say(&result, "UNSAFE");
    must_say(&result, "server-1 is ended in good order, to be upgraded from redis-server ");
    must_say(&result, " to redis-server ");
    must_say(&result, "server-1 was upgraded and came back without client-1's lock");
    command_free(&result);
    expect(0, "\"text\":\"from redis-server ", "history @/upgrade/trials/small--redis-set-px-lua");
}
