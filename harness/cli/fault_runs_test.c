// Faults end to end: what cannot be proven gives no verdict, what cannot be had is skipped, what
// makes no sense is n/a, and a run of random faults can be repeated.
#include "harness/cli/test_runs.h"
#include "harness/cluster/test_server.h"

#define HEAD                                                                                       \
    "version: 1\nname: small\nabout: For a test.\n"                                                \
    "workload: {kind: increment, operations: 20, hold: 2ms}\n"                                     \
    "clients: {processes: 2, start-first: client-1}\n"                                             \
    "lock: {lease: 5s, wait: 20s, retry: 5ms, request: 500ms}\n"

static void expect_verdict(const char *name, const char *text, const char *verdict,
                           const char *reason)
{
    struct command_result result = run_scenario(name, text, "");
    must_say(&result, verdict);
    must_say(&result, reason);
    command_free(&result);
}

TEST_GROUP(make_test_folder, remove_test_folder);

TEST(a_failover_that_did_not_lose_the_lock_is_no_proof)
{
    expect_verdict("replicated",
                   HEAD "servers: {redis: {topology: sentinel}}\nschemes: [redis-set-px-lua]\n"
                        "faults:\n"
                        "  - {name: held, when: client-1 after read, pause: client-1, until: 1s}\n"
                        "  - {after: held, failover: leader, how: loses-lock}\n",
                   "UNKNOWN", "the lock had been replicated already");
}

TEST(a_failover_that_a_lock_outlived_by_luck_says_what_was_not_tried)
{
    command_free((struct command_result[]){
        run_scenario("lucky",
                     HEAD "servers: {redis: {topology: sentinel}}\nschemes: [redis-lua]\n"
                          "faults:\n"
                          "  - {name: held, when: client-1 after read, pause: client-1, "
                          "until: 1s}\n"
                          "  - {after: held, failover: leader}\n",
                     "")});
    expect_content("lucky/result.json",
                   "the lock had reached the replica: 'how: loses-lock' tries the other case");
}

TEST(a_cut_between_nodes_that_do_not_talk_is_no_proof)
{
    struct command_result probe = lockpick("doctor");
    bool isolates = says(&probe, "hermetic");
    command_free(&probe);
    if (!isolates)
        skip();
    expect_verdict("silent",
                   HEAD
                   "servers: {redis: {topology: independent}}\nschemes: [redlock]\n"
                   "faults:\n"
                   "  - {when: client-1 holds, partition: server-1 from server-2, until: 20ms}\n",
                   "UNKNOWN", "met no packet");
}

TEST(a_fault_that_the_servers_cannot_have_is_not_applicable)
{
    expect_verdict("no-space",
                   HEAD "schemes: [redis-set-px-lua]\n"
                        "faults:\n"
                        "  - {when: client-1 holds, deny: server-1, how: no-space, until: 1s}\n",
                   "n/a", "redis has no way 'no-space' for deny");
    expect_verdict("no-tables",
                   HEAD "schemes: [mysql-get-lock]\nfaults:\n"
                        "  - {when: client-1 holds, restart: server-1, how: loses-all}\n",
                   "n/a", "has lost the tables too");
    expect_verdict(
        "no-server",
        HEAD "schemes: [process-mutex]\nfaults:\n  - {when: client-1 holds, kill: server-1}\n",
        "n/a", "the scheme's servers have no server-1");
    expect_verdict("no-follower",
                   HEAD "schemes: [redis-set-px-lua]\nfaults:\n"
                        "  - {when: client-1 holds, failover: leader}\n",
                   "n/a", "no other one that could lead");
}

TEST(faults_on_servers_of_others_are_skipped_and_those_on_clients_strike)
{
    struct test_server server = {0};
    struct text strange = {0};
    struct text ours = {0};
    assert_int_equal(test_server_start(&server, "redis"), 0);
    const char *form = HEAD "servers: {redis: {external: \"redis://127.0.0.1:%d\"}}\n"
                            "schemes: [redis-set-px-lua]\nfaults:\n"
                            "  - {when: client-1 holds, %s}\n"
                            "expect: [{schemes: redis-set-px-lua, verdict: safe}]\n";
    text_format(&strange, form, server.cluster.nodes[0].port, "restart: server-1");
    text_format(&ours, form, server.cluster.nodes[0].port, "pause: client-1, until: 200ms");
    struct command_result result = run_scenario("why", strange.bytes, "");
    assert_non_null(strstr(text_string(&result.errors), "not in namespaces: a server is external"));
    command_free(&result);
    expect_verdict("strange", strange.bytes, "SKIPPED", "is not ours");
    expect_verdict("ours", ours.bytes, "SAFE", "1 as expected");
    text_free(&strange);
    text_free(&ours);
    test_server_stop(&server);
}

// The lines of the file below its first, a comment that names where it came from. The caller frees.
static char *as_run_of(const char *run)
{
    char name[80];
    snprintf(name, sizeof name, "%s/as-run.yaml", run);
    char *whole = content_of(name);
    char *rest = memory_string(strchr(whole, '\n'));
    free(whole);
    return rest;
}

TEST(a_run_of_random_faults_is_written_down_and_repeats)
{
    struct command_result result =
        run_scenario("random",
                     "version: 1\nname: random\nabout: For a \"test\".\n"
                     "workload: {kind: increment, hold: 1ms}\n"
                     "load: [{for: 1s, rate: 40/s}, {for: 1s, clients: 2}]\n"
                     "thresholds: [violations == 0]\n"
                     "clients: {processes: 3}\nschemes: [redis-set-px-lua]\nseed: 7\n"
                     "lock: {lease: 400ms, wait: 5s, retry: 5ms}\n"
                     "random: {of: [pause, restart], every: 500ms, jitter: 100ms, lasting: "
                     "100ms}\n",
                     "");
    command_free(&result);
    char *first = as_run_of("random");
    assert_non_null(strstr(first, "faults:\n  - {drawn: true, at: "));
    assert_null(strstr(first, "random:"));
    result = lockpick("run @/random/as-run.yaml --keep-going --out @/again");
    assert_true(result.code == 0 || result.code == 1 || result.code == 3);
    command_free(&result);
    char *second = as_run_of("again");
    assert_string_equal(first, second);
    free(first);
    free(second);
}

#define SOAK(schemes, of)                                                                          \
    "version: 1\nname: soak\nabout: For a test.\nworkload: {kind: increment, for: 1s, hold: "      \
    "1ms}\n"                                                                                       \
    "clients: {processes: 3}\nschemes: [" schemes "]\nseed: 7\n"                                   \
    "random: {of: [" of "], every: 200ms, lasting: 50ms}\n"

static void expect_random(const char *name, const char *text, const char *told, const char *verdict)
{
    struct command_result result = run_scenario(name, text, "");
    if ((told == NULL) != (strstr(text_string(&result.errors), "is not drawn") == NULL) ||
        (told != NULL && strstr(text_string(&result.errors), told) == NULL) ||
        strstr(text_string(&result.output), verdict) == NULL)
        fail_msg("%s:\n%s%s", name, text_string(&result.output), text_string(&result.errors));
    command_free(&result);
}

TEST(random_faults_that_cannot_happen_are_named_and_left_out)
{
    expect_random("soak", SOAK("redis-set-px-lua", "failover, pause"),
                  "soak.yaml:8: random: 'failover' is not drawn for redis-set-px-lua: the scheme's "
                  "servers have no other one that could lead",
                  "SAFE");
    char *drawn = as_run_of("soak");
    assert_non_null(strstr(drawn, "pause: client-"));
    assert_null(strstr(drawn, "failover"));
    free(drawn);
    expect_random("none-left", SOAK("redis-set-px-lua", "failover"), "is not drawn for", "n/a");
    expect_random("not-promised", SOAK("redis-set-px-lua", "pause, restart"),
                  "a server that comes back has forgotten the lock", "redis-set-px-lua");
    expect_random("all", SOAK("redis-set-px-lua", "pause, partition"), NULL, "redis-set-px-lua");
}

// Each has faults of its own, which it leaves in its folder, too, and which can be had again.
TEST(each_repeat_has_its_own_faults_and_leaves_them)
{
    command_expect(
        run_scenario(
            "repeats",
            SOAK("redis-set-px-lua",
                 "pause, lost-reply") "repeat: 2\nexpect: [{schemes: \"*\", verdict: safe}]\n",
            ""),
        0, "2 trials: 2 as expected");
    char *first = content_of("repeats/as-run/soak--redis-set-px-lua--1.yaml");
    char *second = content_of("repeats/as-run/soak--redis-set-px-lua--2.yaml");
    char *own = content_of("repeats/trials/soak--redis-set-px-lua--2/as-run.yaml");
    assert_string_not_equal(strstr(first, "faults:"), strstr(second, "faults:"));
    assert_string_equal(own, second);
    free(first);
    free(second);
    free(own);
    expect(0, "2 trials: 2 as expected", "run @/repeats/as-run --keep-going --out @/repeated");
    expect(0, "2 verdicts, as in result.json", "check @/repeats");
}
