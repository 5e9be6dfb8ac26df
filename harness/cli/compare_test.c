// End to end: what got slower or worse, and thresholds, as a user asks for them.
#include "harness/cli/test_runs.h"
#include "harness/report/test_figures.h"

// A real run of two schemes, which all tests share.
static int make_run(void **state)
{
    if (make_test_folder(state) != 0)
        return -1;
    write_in(folder, "small.yaml",
             "version: 1\nname: small\nabout: For a test.\n"
             "workload: {kind: increment, store: shm, operations: 60, hold: 500us}\n"
             "clients: {processes: 2, threads: 1}\n"
             "lock: {lease: 5s, wait: 20s, retry: 1ms}\n"
             "schemes: [redis-set-px-del, redis-set-px-lua]\n");
    command_free(
        (struct command_result[]){lockpick("run @/small.yaml --repeat 3 --again 3 --out @/run")});
    return 0;
}

// A result.json by itself, in which one scheme has this rate. Takes the result.
static void keep_result(const char *name, json_t *result, double rate)
{
    test_add_repeats(result, "contention", "redis-setnx", rate, 5);
    char *text = json_dumps(result, JSON_INDENT(1));
    write_in(folder, name, text);
    free(text);
    json_decref(result);
}

// On a machine that is busy the driver may be the limit in half of the repeats.
static void expect_no_difference(struct command_result result)
{
    const char *output = text_string(&result.output);
    if ((result.code != 0 && result.code != 3) || strstr(output, "no verdict changed") == NULL ||
        strstr(output, "0 slower, 0 faster") == NULL)
        fail_msg("exit code %d: %s%s", result.code, output, text_string(&result.errors));
    command_free(&result);
}

TEST_GROUP(make_run, remove_test_folder);

TEST(a_run_has_no_difference_from_itself)
{
    expect_no_difference(lockpick("compare @/run @/run"));
    struct command_result result = lockpick("compare @/run @/run --json --all --scheme '*-lua'");
    json_t *json = json_loads(text_string(&result.output), 0, NULL);
    assert_int_equal(json_array_size(json_object_get(json, "pairs")), 1);
    assert_string_equal(json_string_value(json_object_get(json, "schema")),
                        "lockpick-comparison-1");
    json_decref(json);
    command_free(&result);
}

TEST(a_run_by_another_name_is_the_same_run)
{
    assert_int_equal(shell("ln -s @/run @/link"), 0);
    struct command_result result = lockpick("compare @/link @/run");
    must_say(&result, "Both are the same run");
    command_free(&result);
}

TEST(without_histories_what_result_json_says_is_taken)
{
    assert_int_equal(shell("mkdir @/kept && cp @/run/result.json @/kept"), 0);
    struct command_result result = lockpick("compare @/kept @/run");
    assert_non_null(strstr(text_string(&result.errors), "taken as its result.json says"));
    expect_no_difference(result);
}

TEST(a_missing_baseline_is_inconclusive)
{
    expect(3, "there is no baseline", "compare @/nowhere @/run");
    expect(2, "cannot read", "compare @/run @/nowhere");
    expect(3, "has not tried 'zk-sequential'; it tried redis-set-px-del, redis-set-px-lua",
           "compare @/run --scheme redis-set-px-lua --scheme zk-sequential");
    expect(3, "has not tried 'nosuch'; it tried redis-set-px-del, redis-set-px-lua",
           "compare @/run @/run --scheme nosuch");
}

TEST(slower_is_an_exit_code_of_its_own)
{
    keep_result("before.json", test_result("Linux 6.1"), 500);
    keep_result("now.json", test_result("Linux 6.1"), 400);
    expect(1, "slower", "compare @/before.json @/now.json");
    expect(0, "faster", "compare @/now.json @/before.json");
    expect(0, "no change", "compare @/before.json @/now.json --margin 30%%");
}

TEST(differing_environments_are_refused)
{
    keep_result("before.json", test_result("Linux 6.1"), 500);
    keep_result("elsewhere.json", test_result("Linux 6.18"), 500);
    expect(3, "kernel: Linux 6.1 and Linux 6.18", "compare @/before.json @/elsewhere.json");
    expect(3, "no change", "compare @/before.json @/elsewhere.json --anyway");
}

TEST(two_schemes_of_a_scenario_take_turns)
{
    struct command_result result =
        lockpick("compare @/small.yaml --scheme redis-set-px-lua --scheme redis-set-px-del "
                 "--repeat 3 --seed 5 --out @/turns");
    const char *output = text_string(&result.output);
    if (result.code > 3 || result.code == 2 || strstr(output, "locks/s") == NULL ||
        strstr(output, "take turns") != NULL)
        fail_msg("exit code %d: %s%s", result.code, output, text_string(&result.errors));
    command_free(&result);
    static const char *const names[] = {"small--redis-set-px-lua--1", "small--redis-set-px-del--1",
                                        "small--redis-set-px-del--2", "small--redis-set-px-lua--2",
                                        "small--redis-set-px-lua--3", "small--redis-set-px-del--3"};
    json_t *json = result_of("turns");
    json_t *trials = json_object_get(json, "trials");
    assert_int_equal(json_array_size(trials), 6);
    for (size_t i = 0; i < 6; i++)
        assert_string_equal(json_string_value(json_object_get(json_array_get(trials, i), "name")),
                            names[i]);
    json_decref(json);
    result = lockpick("compare @/turns --scheme redis-set-px-lua --scheme redis-set-px-del");
    assert_null(strstr(text_string(&result.output), "did not take turns"));
    command_free(&result);
}

TEST(what_cannot_be_compared_is_refused)
{
    expect(2, "what? Give two runs", "compare");
    expect(2, "with what?", "compare @/run");
    expect(2, "no difference from itself", "compare @/run --scheme none --scheme none");
    expect(2, "--repeat is for a scenario", "compare @/run @/run --repeat 9");
    expect(2, "a percentage such as 5%", "compare @/run @/run --margin 5");
    expect(2, "the name of one scheme",
           "compare @/small.yaml --scheme redis --scheme redis-set-px-del");
    expect(2, "means no scheme of these scenarios",
           "compare @/small.yaml --scheme redis-set-px-lua --scheme none");
    expect(2, "is not empty",
           "compare @/small.yaml --scheme redis-set-px-lua --scheme redis-set-px-del "
           "--out @/run");
    expect(0, "within noise", "help compare");
}

#define RUN_WITH "run @/small.yaml --scheme redis-set-px-lua --set 'thresholds="

TEST(a_missed_threshold_is_an_exit_code_of_its_own)
{
    command_expect(lockpick(RUN_WITH "[violations == 0, commands < 1]'"
                                     " --quiet --github --out @/missed"),
                   5, "::error file=");
    struct command_result again = lockpick("check @/missed");
    command_expect(again, 5, "thresholds: 1 met, 1 missed");
}

TEST(what_was_not_measured_is_not_met)
{
    command_expect(lockpick(RUN_WITH "acquire.p99.9 < 1h' --out @/short"), 3,
                   "60 acquire times are too few for p99.9");
    command_expect(lockpick(RUN_WITH "violations == 0' --quiet --out @/met"), 0,
                   "thresholds: 1 met, 0 missed");
}

TEST(a_threshold_that_nobody_can_decide_is_refused_at_its_place)
{
    assert_int_equal(shell("{ cat @/small.yaml; echo 'thresholds: [violations == 0, acquire.p98 < "
                           "50ms]'; } >@/wrong.yaml"),
                     0);
    expect(2, "wrong.yaml:8:31: 'acquire.p98 < 50ms': unknown metric",
           "run @/wrong.yaml --out @/wrong");
}
