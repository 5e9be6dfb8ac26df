// Faults end to end: what cannot be proven gives no verdict, what cannot be had is skipped, what
// makes no sense is n/a, and a run of random faults can be repeated.
#include "harness/base/test_folder.h"
#include "harness/cli/test_command.h"
#include "harness/cluster/test_server.h"
#include "harness/testing/test.h"

TEST_FOLDER("/tmp/lockpick-fault-runs-XXXXXX");

#define HEAD                                                                                       \
    "version: 1\nname: small\nabout: For a test.\n"                                                \
    "workload: {kind: increment, operations: 20, hold: 2ms}\n"                                     \
    "clients: {processes: 2, lead: client-1}\n"                                                    \
    "lock: {lease: 5s, wait: 20s, retry: 5ms, request: 500ms}\n"

static bool has_namespaces(void)
{
    struct command_result probe = run_lockpick("doctor");
    bool isolates = strstr(text_string(&probe.output), "hermetic") != NULL;
    command_free(&probe);
    return isolates;
}

static void expect(const char *name, const char *text, const char *verdict, const char *reason)
{
    struct command_result result = run_text_in(folder, name, text);
    if (strstr(text_string(&result.output), verdict) == NULL ||
        strstr(text_string(&result.output), reason) == NULL)
        fail_msg("'%s' and '%s' are not in: %s%s", verdict, reason, text_string(&result.output),
                 text_string(&result.errors));
    command_free(&result);
}

TEST_GROUP(make_test_folder, remove_test_folder);

TEST(a_failover_that_did_not_lose_the_lock_is_no_proof)
{
    expect("replicated",
           HEAD "servers: {redis: {topology: sentinel}}\nschemes: [redis-set-px-lua]\n"
                "faults:\n"
                "  - {name: held, when: client-1 after read, pause: client-1, until: 1s}\n"
                "  - {after: held, failover: leader, how: loses-lock}\n",
           "UNKNOWN", "the lock had been replicated already");
}

TEST(a_failover_that_a_lock_outlived_by_luck_says_what_was_not_tried)
{
    struct text json = {0};
    struct command_result result =
        run_text_in(folder, "lucky",
                    HEAD "servers: {redis: {topology: sentinel}}\nschemes: [redis-lua]\n"
                         "faults:\n"
                         "  - {name: held, when: client-1 after read, pause: client-1, "
                         "until: 1s}\n"
                         "  - {after: held, failover: leader}\n");
    char *path = path_join(folder, "lucky/result.json");
    assert_int_equal(file_read(path, &json, NULL), 0);
    free(path);
    if (strstr(json.bytes, "the lock had reached the replica: 'how: loses-lock' tries the other "
                           "case") == NULL)
        fail_msg("not said in: %s", text_string(&result.output));
    text_free(&json);
    command_free(&result);
}

TEST(a_cut_between_nodes_that_do_not_talk_is_no_proof)
{
    if (!has_namespaces())
        skip();
    expect("silent",
           HEAD "servers: {redis: {topology: independent}}\nschemes: [redlock]\n"
                "faults:\n"
                "  - {when: client-1 holds, cut: server-1 from server-2, until: 20ms}\n",
           "UNKNOWN", "met no packet");
}

TEST(a_fault_that_the_servers_cannot_have_is_not_applicable)
{
    expect("no-space",
           HEAD "schemes: [redis-set-px-lua]\n"
                "faults:\n"
                "  - {when: client-1 holds, deny: server-1, how: no-space, until: 1s}\n",
           "n/a", "redis has no way 'no-space' for deny");
    expect("no-tables",
           HEAD "schemes: [mysql-get-lock]\nfaults:\n"
                "  - {when: client-1 holds, restart: server-1, how: loses-all}\n",
           "n/a", "has lost the tables too");
    expect("no-server",
           HEAD "schemes: [process-mutex]\nfaults:\n  - {when: client-1 holds, kill: server-1}\n",
           "n/a", "the scheme's servers have no server-1");
    expect("no-follower",
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
    struct command_result result = run_text_in(folder, "why", strange.bytes);
    assert_non_null(strstr(text_string(&result.errors), "not in namespaces: a server is external"));
    command_free(&result);
    expect("strange", strange.bytes, "SKIPPED", "is not ours");
    expect("ours", ours.bytes, "SAFE", "1 as expected");
    text_free(&strange);
    text_free(&ours);
    test_server_stop(&server);
}

// The lines of the file below its first, a comment that names where it came from.
static void read_as_run(const char *run, struct text *out)
{
    struct text path = {0};
    struct text whole = {0};
    text_format(&path, "%s/%s/as-run.yaml", folder, run);
    assert_int_equal(file_read(path.bytes, &whole, NULL), 0);
    text_add(out, strchr(whole.bytes, '\n'));
    text_free(&path);
    text_free(&whole);
}

TEST(a_run_of_random_faults_is_written_down_and_repeats)
{
    struct text first = {0};
    struct text second = {0};
    struct command_result result =
        run_text_in(folder, "random",
                    "version: 1\nname: random\nabout: For a \"test\".\n"
                    "workload: {kind: increment, hold: 1ms}\n"
                    "load: [{for: 1s, rate: 40/s}, {for: 1s, clients: 2}]\n"
                    "thresholds: [violations == 0]\n"
                    "clients: {processes: 3}\nschemes: [redis-set-px-lua]\nseed: 7\n"
                    "lock: {lease: 400ms, wait: 5s, retry: 5ms}\n"
                    "random: {of: [pause, restart], every: 500ms, jitter: 100ms, lasting: "
                    "100ms}\n");
    command_free(&result);
    read_as_run("random", &first);
    assert_non_null(strstr(first.bytes, "faults:\n  - {drawn: true, at: "));
    assert_null(strstr(first.bytes, "random:"));
    struct text arguments = {0};
    text_format(&arguments, "run %s/random/as-run.yaml --keep-going --out %s/again", folder,
                folder);
    result = run_lockpick(arguments.bytes);
    assert_true(result.code == 0 || result.code == 1 || result.code == 3);
    command_free(&result);
    read_as_run("again", &second);
    assert_string_equal(first.bytes, second.bytes);
    text_free(&arguments);
    text_free(&first);
    text_free(&second);
}

#define SOAK(schemes, of)                                                                          \
    "version: 1\nname: soak\nabout: For a test.\nworkload: {kind: increment, for: 1s, hold: "      \
    "1ms}\n"                                                                                       \
    "clients: {processes: 3}\nschemes: [" schemes "]\nseed: 7\n"                                   \
    "random: {of: [" of "], every: 200ms, lasting: 50ms}\n"

static void expect_random(const char *name, const char *text, const char *told, const char *verdict)
{
    struct command_result result = run_text_in(folder, name, text);
    if ((told == NULL) != (strstr(text_string(&result.errors), "is not drawn") == NULL) ||
        (told != NULL && strstr(text_string(&result.errors), told) == NULL) ||
        strstr(text_string(&result.output), verdict) == NULL)
        fail_msg("%s:\n%s%s", name, text_string(&result.output), text_string(&result.errors));
    command_free(&result);
}

TEST(random_faults_that_cannot_happen_are_named_and_left_out)
{
    struct text drawn = {0};
    expect_random("soak", SOAK("redis-set-px-lua", "failover, pause"),
                  "soak.yaml:8: random: 'failover' is not drawn for redis-set-px-lua: the scheme's "
                  "servers have no other one that could lead",
                  "SAFE");
    read_as_run("soak", &drawn);
    assert_non_null(strstr(drawn.bytes, "pause: client-"));
    assert_null(strstr(drawn.bytes, "failover"));
    text_free(&drawn);
    expect_random("none-left", SOAK("redis-set-px-lua", "failover"), "is not drawn for", "n/a");
    expect_random("not-promised", SOAK("redis-set-px-lua", "pause, restart"),
                  "a server that comes back has forgotten the lock", "redis-set-px-lua");
    expect_random("all", SOAK("redis-set-px-lua", "pause, cut"), NULL, "redis-set-px-lua");
}

// Each has faults of its own, which it leaves in its folder, too, and which can be had again.
TEST(each_repeat_has_its_own_faults_and_leaves_them)
{
    struct text path = {0};
    struct text all[2] = {{0}, {0}};
    struct text own = {0};
    struct command_result result =
        run_text_in(folder, "repeats",
                    SOAK("redis-set-px-lua",
                         "pause, lost-reply") "repeat: 2\n"
                                              "expect: [{schemes: \"*\", verdict: safe}]\n");
    if (strstr(text_string(&result.output), "2 trials: 2 as expected") == NULL)
        fail_msg("%s%s", text_string(&result.output), text_string(&result.errors));
    command_free(&result);
    for (int i = 0; i < 2; i++) {
        text_format(&path, "%s/repeats/as-run/soak--redis-set-px-lua--%d.yaml", folder, i + 1);
        assert_int_equal(file_read(path.bytes, &all[i], NULL), 0);
        text_free(&path);
    }
    assert_string_not_equal(strstr(all[0].bytes, "faults:"), strstr(all[1].bytes, "faults:"));
    text_format(&path, "%s/repeats/trials/soak--redis-set-px-lua--2/as-run.yaml", folder);
    assert_int_equal(file_read(path.bytes, &own, NULL), 0);
    assert_string_equal(own.bytes, all[1].bytes);
    text_free(&path);
    text_format(&path, "run %s/repeats/as-run --keep-going --out %s/repeated", folder, folder);
    result = run_lockpick(path.bytes);
    if (strstr(text_string(&result.output), "2 trials: 2 as expected") == NULL)
        fail_msg("%s%s", text_string(&result.output), text_string(&result.errors));
    command_free(&result);
    text_free(&path);
    text_format(&path, "check %s/repeats", folder);
    result = run_lockpick(path.bytes);
    if (strstr(text_string(&result.output), "2 verdicts, as in result.json") == NULL)
        fail_msg("%s%s", text_string(&result.output), text_string(&result.errors));
    command_free(&result);
    text_free(&path);
    text_free(&all[0]);
    text_free(&all[1]);
    text_free(&own);
}
