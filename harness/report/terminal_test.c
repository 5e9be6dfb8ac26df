#include "harness/report/test_run.h"
#include "harness/testing/test.h"

static char *print(const struct run_result *run, bool coloured, bool quiet)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    report_print(test_report(run), out, coloured, quiet);
    fclose(out);
    return text;
}

static void make_run(struct test_run *test)
{
    test_run_start(test);
    struct trial_result *unsafe = test_add(test, "none", VERDICT_UNSAFE, EXPECTATION_MET);
    test_find(unsafe, &test_stale_holder, false);
    test_find(unsafe, &test_lost_update, true);
    unsafe->story = "1 ms  client-1 holds\n2 ms  client-2 holds\n";
    unsafe->statistics = (struct statistics){.holds_per_second = 61234.2,
                                             .acquire = {.count = 2, .p50_ns = 10, .p99_ns = 2500},
                                             .longest_wait_ns = 2500};
    *test_add(test, "redis-setnx", VERDICT_UNSAFE, EXPECTATION_MET) = *unsafe;
    test->results[1].trial = &test->trials[1];
    struct trial_result *missed = test_add(test, "redis-setnx", VERDICT_SAFE, EXPECTATION_MISSED);
    strcpy(missed->judgement.expectation_text, "expected UNSAFE, got SAFE: the fault did not bite");
    struct trial_result *skipped = test_add(test, "fenced", VERDICT_SKIPPED, EXPECTATION_NONE);
    skipped->has_history = false;
    strcpy(skipped->judgement.reason, "no namespaces");
}

TEST(a_small_run_reads_as_expected)
{
    struct test_run test;
    make_run(&test);
    char *text = print(&test.run, false, false);
    assert_string_equal(
        text,
        "scenario  scheme       verdict  found                        as expected  holds/s  "
        "acquire p50     p99  longest wait\n"
        "pause     none         UNSAFE   stale-holder, (lost-update)  ✓ expected    61,234        "
        "10 ns  2.5 µs        2.5 µs\n"
        "pause     redis-setnx  UNSAFE   stale-holder, (lost-update)  ✓ expected    61,234        "
        "10 ns  2.5 µs        2.5 µs\n"
        "pause     redis-setnx  SAFE     –                            ✗ MISSED           0        "
        "    –       –          0 ns\n"
        "pause     fenced       SKIPPED  –                            –                  –        "
        "    –       –             –\n"
        "\n"
        "SAFE  pause · redis-setnx\n"
        "  MISSED: expected UNSAFE, got SAFE: the fault did not bite\n"
        "  because\n"
        "  files: results/one/pause--scheme\n"
        "\n"
        "UNSAFE  pause · none\n"
        "  because\n"
        "    1 ms  client-1 holds\n"
        "    2 ms  client-2 holds\n"
        "  files: results/one/pause--scheme\n"
        "\n"
        "1 more story is in the report.\n"
        "\n"
        "What it cost in pause: locks/s; acquire; hand-off (ho) to one who waited; commands a "
        "lock; fairness\n"
        "scheme       locks/s  p50  p99  p99.9  max  ho p50  ho p99  cmds  Jain\n"
        "none          61,234    –    –      –    –       –       –     –     –\n"
        "redis-setnx   30,617    –    –      –    –       –       –     –     –\n"
        "\n"
        "3 trials: 2 as expected, 1 missed, 0 without expectation; 1 skipped (no namespaces)\n");
    free(text);
}

TEST(a_quiet_run_tells_only_what_was_not_expected)
{
    struct test_run test;
    make_run(&test);
    char *text = print(&test.run, false, true);
    assert_null(strstr(text, "client-1 holds"));
    assert_non_null(strstr(text, "MISSED: expected UNSAFE"));
    assert_null(strstr(text, "What it cost"));
    free(text);
}

TEST(colour_is_only_there_when_wanted)
{
    struct test_run test;
    make_run(&test);
    char *plain = print(&test.run, false, false);
    char *coloured = print(&test.run, true, false);
    assert_null(strchr(plain, '\033'));
    assert_non_null(strstr(coloured, "\033[31mUNSAFE"));
    assert_non_null(strstr(coloured, "\033[32mSAFE"));
    free(plain);
    free(coloured);
}

TEST(what_is_undecided_says_why)
{
    struct test_run test;
    test_run_start(&test);
    strcpy(test_add(&test, "none", VERDICT_UNKNOWN, EXPECTATION_NONE)->judgement.reason,
           "fault 1 never took effect");
    test.run.planned = 3;
    char *text = print(&test.run, false, true);
    assert_non_null(strstr(text, "fault 1 never took effect"));
    assert_non_null(strstr(text, "1 trial: 0 as expected, 0 missed, 0 without expectation, "
                                 "1 inconclusive; 2 not run\n"));
    free(text);
}

TEST(one_expected_story_of_each_scenario_is_told)
{
    struct test_run test;
    test_run_start(&test);
    struct scenario other = test.scenario;
    for (int i = 0; i < 6; i++) {
        enum verdict verdict = i == 0 ? VERDICT_SAFE : i % 2 == 0 ? VERDICT_STUCK : VERDICT_UNSAFE;
        struct trial_result *result = test_add(&test, "none", verdict, EXPECTATION_MET);
        test_find(result, i % 2 == 0 ? &test_lost_update : &test_stale_holder, i == 0);
        result->story = (char *[]){"0\n", "1\n", "2\n", "3\n", "4\n", "5\n"}[i];
    }
    other.name = "other";
    test.trials[4].scenario = test.trials[5].scenario = &other;
    test.results[5].judgement.expectation = EXPECTATION_MISSED;
    char *text = print(&test.run, false, false);
    for (int i = 0; i < 6; i++) {
        char story[16];
        snprintf(story, sizeof story, "\n    %d\n", i);
        assert_int_equal(strstr(text, story) != NULL, i == 1 || i == 4 || i == 5);
    }
    assert_non_null(strstr(text, "\n3 more stories are in the report.\n"));
    free(text);
}

TEST(a_run_that_stopped_at_a_miss_says_what_runs_the_rest)
{
    struct test_run test;
    test_run_start(&test);
    test_add(&test, "none", VERDICT_UNSAFE, EXPECTATION_MET);
    test_add(&test, "none", VERDICT_SAFE, EXPECTATION_MISSED);
    test.run.planned = 5;
    char *text = print(&test.run, false, false);
    assert_non_null(strstr(text, "; 3 not run (--keep-going runs them)\n"));
    free(text);
    // It went on after the miss: something else ended it.
    test_add(&test, "none", VERDICT_UNSAFE, EXPECTATION_MET);
    test.run.planned = 5;
    text = print(&test.run, false, false);
    assert_non_null(strstr(text, "; 2 not run\n"));
    free(text);
}

TEST(what_does_not_apply_is_a_line_for_each_scheme_and_reason)
{
    struct test_run test;
    test_run_start(&test);
    test_add(&test, "none", VERDICT_SAFE, EXPECTATION_MET);
    for (int i = 0; i < 3; i++)
        strcpy(test_add(&test, i == 2 ? "b" : "a", VERDICT_NOT_APPLICABLE, EXPECTATION_NONE)
                   ->judgement.reason,
               "it has no tokens");
    char *text = print(&test.run, false, false);
    assert_null(strstr(text, "pause     a "));
    assert_non_null(strstr(text, "\n"
                                 "n/a: scheme  trials  why\n"
                                 "a                 2  it has no tokens\n"
                                 "b                 1  it has no tokens\n"));
    free(text);
}

TEST(a_report_says_what_others_used_of_the_machine_while_costs_were_measured)
{
    struct test_run test;
    test_run_start(&test);
    test.scenario.fault_count = 0;
    test.run.environment = (struct environment){
        .processors = 2, .load_at_begin = {true, {0.5}}, .load_at_end = {true, {1.25}}};
    struct trial_result *alone = test_add(&test, "a", VERDICT_SAFE, EXPECTATION_MET);
    struct trial_result *beside = test_add(&test, "b", VERDICT_SAFE, EXPECTATION_MET);
    alone->lanes = 1;
    beside->lanes = 2; // what the others used cannot be told from its own neighbours
    alone->statistics.resources = (struct resources){.is_known = true,
                                                     .covered_ns = NS_PER_S,
                                                     .machine_busy_ns = NS_PER_S,
                                                     .processors = 2,
                                                     .driver.processor_ns = 100 * NS_PER_MS,
                                                     .clients.processor_ns = 200 * NS_PER_MS,
                                                     .servers.processor_ns = 300 * NS_PER_MS};
    beside->statistics.resources = alone->statistics.resources;
    beside->statistics.resources.machine_busy_ns = 2 * NS_PER_S;
    char *text = print(&test.run, false, false);
    assert_non_null(strstr(text, "machine: 2 processors; load 0.50 at the beginning, 1.25 at the "
                                 "end; other programs used 20 % of them while costs were "
                                 "measured\n"));
    free(text);
    test.scenario.verdict_only = true;
    text = print(&test.run, false, false);
    assert_non_null(strstr(text, "1.25 at the end\n"));
    free(text);
    test_run_end(&test);
}
