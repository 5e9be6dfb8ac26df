// Liveness, fairness and herd of real runs: a herd and a line, polling and being woken, a line and
// a scramble, and what a dead holder leaves behind.
#include "harness/cli/test_runs.h"

// Runs the scenario, and returns its result.json; the caller gives it back with json_decref.
static json_t *run_text(const char *name, const char *text)
{
    struct command_result result = run_scenario(name, text, "");
    // On a machine that is busy otherwise a verdict may be UNKNOWN (3): figures need none.
    command_expect(result, result.code == 3 ? 3 : 0, "");
    return result_of(name);
}

// One of the keys that are objects, of the scheme's trial.
static const json_t *of(const json_t *run, const char *scheme, const char *key)
{
    size_t i;
    const json_t *trial;
    json_array_foreach(json_object_get(run, "trials"), i, trial)
    {
        if (strcmp(json_string_value(json_object_get(trial, "scheme")), scheme) == 0)
            return json_object_get(trial, key);
    }
    fail_msg("there is no trial of %s", scheme);
    return NULL;
}

static double number(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    if (!json_is_number(value))
        fail_msg("%s is no number", key);
    return json_number_value(value);
}

static double herd(const json_t *run, const char *scheme, const char *key)
{
    return number(of(run, scheme, "herd"), key);
}

static const json_t *turns(const json_t *run, const char *scheme)
{
    return json_object_get(of(run, scheme, "fairness"), "turns");
}

#define CONTENDED                                                                                  \
    "version: 1\nname: contended\nabout: For a test.\n"                                            \
    "workload: {kind: increment, operations: 120, hold: 1ms}\n"                                    \
    "clients: {processes: 6}\n"                                                                    \
    "lock: {lease: 5s, wait: 30s, retry: 10ms}\n"

TEST_GROUP(make_test_folder, remove_test_folder);

TEST(a_herd_wakes_all_who_wait_and_a_line_wakes_one)
{
    json_t *run = run_text("herd", CONTENDED "schemes: [zk-ephemeral, zk-sequential]\n");
    double all = herd(run, "zk-ephemeral", "wakeups_per_grant");
    double one = herd(run, "zk-sequential", "wakeups_per_grant");
    assert_true(one > 0.5 && one <= 1.1);
    assert_true(all > 2 * one);
    assert_true(herd(run, "zk-ephemeral", "requests_per_grant") >
                herd(run, "zk-sequential", "requests_per_grant"));
    const json_t *line = turns(run, "zk-sequential");
    assert_true(json_is_true(json_object_get(line, "proven")));
    assert_true(number(line, "contested") > 60);
    assert_int_equal((int)number(line, "out_of_turn"), 0);
    json_decref(run);
}

TEST(a_poller_asks_in_vain_and_a_fair_lock_keeps_the_line)
{
    json_t *run =
        run_text("polling", CONTENDED "schemes: [redis-set-px-lua, redisson-fair, redlock]\n");
    assert_true(herd(run, "redis-set-px-lua", "requests_per_grant") > 2);
    assert_true(herd(run, "redis-set-px-lua", "wakeups_per_grant") == 0);
    // Five servers, each asked at least once to lock and once to unlock.
    assert_true(herd(run, "redlock", "requests_per_grant") >= 10);
    assert_true(herd(run, "redlock", "release_requests_per_grant") >= 5);
    const json_t *scramble = turns(run, "redis-set-px-lua");
    const json_t *line = turns(run, "redisson-fair");
    assert_true(json_is_false(json_object_get(scramble, "proven")));
    assert_true(json_is_true(json_object_get(line, "proven")));
    assert_int_equal((int)number(line, "out_of_turn"), 0);
    assert_true(number(scramble, "out_of_turn_share") > 0.1);
    assert_true(number(of(run, "redisson-fair", "fairness"), "jain") >
                number(of(run, "redis-set-px-lua", "fairness"), "jain"));
    json_decref(run);
}

// Every waiter's place has run out for whoever's clock is ahead.
TEST(a_clock_that_is_ahead_spoils_the_line_of_a_lock_that_trusts_it)
{
    json_t *run = run_text("skewed", "version: 1\nname: skewed\nabout: For a test.\n"
                                     "workload: {kind: increment, operations: 150, hold: 2ms}\n"
                                     "clients: {processes: 5}\n"
                                     "lock: {lease: 500ms, wait: 20s, retry: 10ms}\n"
                                     "schemes: [redisson-fair]\n"
                                     "faults: [{at: 30ms, clock: client-1, by: 60s}]\n");
    const json_t *line = turns(run, "redisson-fair");
    assert_true(json_is_true(json_object_get(line, "proven")));
    assert_true(number(line, "out_of_turn") > 0);
    assert_true(number(line, "deepest") > 1);
    json_decref(run);
}

TEST(a_dead_holder_leaves_an_orphan_if_no_lease_frees_it)
{
    json_t *run =
        run_text("orphan", "version: 1\nname: crash\nabout: For a test.\n"
                           "workload: {kind: increment, operations: 60, hold: 5ms}\n"
                           "clients: {processes: 3, start-first: client-1}\n"
                           "lock: {lease: 2s, wait: 10s, retry: 5ms, stuck-after: 3s}\n"
                           "schemes: [redis-setnx, redis-set-px-lua]\n"
                           "faults:\n"
                           "  - {name: seen, when: client-1 after read, pause: client-1,\n"
                           "     until: client-2 tries or 300ms}\n"
                           "  - {after: seen, when: client-1 before write, kill: client-1}\n");
    const json_t *without = of(run, "redis-setnx", "liveness");
    const json_t *with = of(run, "redis-set-px-lua", "liveness");
    assert_true(json_is_true(json_object_get(without, "orphan")));
    assert_true(number(without, "unserved_ns") > 2e9);
    assert_true(json_is_null(json_object_get(without, "after_crash")));
    assert_true(json_is_false(json_object_get(with, "orphan")));
    assert_int_equal((int)number(json_object_get(with, "after_crash"), "count"), 1);
    json_decref(run);
}

TEST(a_lease_that_still_runs_at_the_end_is_no_orphan)
{
    json_t *run = run_text("alone", "version: 1\nname: alone\nabout: For a test.\n"
                                    "workload: {kind: increment, operations: 1}\n"
                                    "clients: {processes: 2, start-first: client-1}\n"
                                    "lock: {lease: 800ms, wait: 5s, retry: 5ms}\n"
                                    "schemes: [redis-setnx, redis-set-px-lua]\n"
                                    "faults: [{when: client-1 after read, kill: client-1}]\n");
    const json_t *with = of(run, "redis-set-px-lua", "liveness");
    assert_true(json_is_false(json_object_get(with, "orphan")));
    const json_t *without = of(run, "redis-setnx", "liveness");
    assert_true(json_is_true(json_object_get(without, "orphan")));
    json_decref(run);
}
