#include "harness/report/test_comparison.h"
#include "harness/testing/test.h"

TEST_WITH(a_verdict_that_got_worse_comes_before_all_costs, start, end)
{
    test_add_repeats(bench.results[0], "contention", "redis-setnx", 500, 5);
    test_add_repeats(bench.results[1], "contention", "redis-setnx", 900, 4);
    test_add_trial(bench.results[1], (struct test_trial){"contention", "redis-setnx", "UNSAFE",
                                                         "double-grant", 900, 1});
    compare_with(&usual);
    assert_int_equal(bench.comparison.pairs[0].verdict, VERDICT_WORSE);
    assert_int_equal(comparison_exit_code(&bench.comparison), 1);
    char *text = printed(false);
    const char *worse = strstr(text, "✗ WORSE");
    assert_non_null(worse);
    assert_non_null(strstr(worse, "SAFE  → UNSAFE in 1 of 5 (double-grant)"));
    assert_true(worse < strstr(text, "faster"));
    free(text);
    comparison_free(&bench.comparison);
    comparison_of_runs(&bench.runs[1], &bench.runs[0], &usual, &bench.comparison);
    assert_int_equal(bench.comparison.pairs[0].verdict, VERDICT_BETTER);
}

TEST_WITH(other_properties_are_told_and_change_no_code, start, end)
{
    for (int i = 0; i < 6; i++)
        test_add_trial(bench.results[i / 3],
                       (struct test_trial){"contention", "none", "UNSAFE",
                                           i < 5 ? "stale-holder" : "lost-update", 500, 1});
    compare_with(&usual);
    assert_int_equal(comparison_exit_code(&bench.comparison), 0);
    assert_prints("UNSAFE (stale-holder)  → UNSAFE (stale-holder, lost-update)");
}

// Of 134 pairs that one run lacks, a reader needs no 134 lines.
TEST_WITH(what_is_missing_alike_is_told_once, start, end)
{
    static const char *const schemes[] = {"none", "redis-setnx", "redis-lua", "redlock"};
    for (size_t i = 0; i < 4; i++)
        test_add_repeats(bench.results[1], "contention", schemes[i], 500, 5);
    compare_with(&usual);
    assert_prints("4 schemes    it is missing in the baseline");
}

TEST_WITH(machines_are_told_all_of_it, start, end)
{
    test_add_repeats(bench.results[0], "contention", "redis-setnx", 500, 5);
    test_add_repeats(bench.results[1], "contention", "redis-setnx", 400, 5);
    compare_with(&usual);
    char *text = comparison_json(&bench.comparison);
    json_t *json = json_loads(text, 0, NULL);
    assert_non_null(json);
    assert_int_equal(json_integer_value(json_object_get(json, "exit_code")), 1);
    const json_t *pair = json_array_get(json_object_get(json, "pairs"), 0);
    const json_t *rate = json_object_get(json_object_get(pair, "figures"), "locks/s");
    assert_string_equal(json_string_value(json_object_get(rate, "change")), "slower");
    assert_true(json_real_value(json_object_get(rate, "before")) > 499);
    json_decref(json);
    free(text);
}

// A reader of the JSON must not take what nobody knows for noise, or for green.
TEST_WITH(machines_are_told_what_nobody_knows_and_why, start, end)
{
    test_add_repeats(bench.results[0], "contention", "redis-setnx", 500, 5);
    test_add_repeats(bench.results[1], "contention", "redis-setnx", 500, 5);
    for (size_t i = 0; i < 3; i++) {
        json_t *trial = json_array_get(json_object_get(bench.results[1], "trials"), i);
        json_t *driver = json_object_get(json_object_get(trial, "statistics"), "driver_bound");
        json_object_set_new(driver, "is_bound", json_true());
    }
    compare_with(&usual);
    bench.comparison.is_broken = true; // as of a run in turns in which some trial failed
    char *text = comparison_json(&bench.comparison);
    json_t *json = json_loads(text, 0, NULL);
    assert_int_equal(json_integer_value(json_object_get(json, "exit_code")), 4);
    assert_int_equal(comparison_exit_code(&bench.comparison), 4);
    const json_t *pair = json_array_get(json_object_get(json, "pairs"), 0);
    const json_t *rate = json_object_get(json_object_get(pair, "figures"), "locks/s");
    assert_string_equal(json_string_value(json_object_get(rate, "change")), "inconclusive");
    assert_string_equal(json_string_value(json_object_get(rate, "reason")),
                        "the driver was the limit");
    assert_true(json_is_real(json_object_get(rate, "ratio")));
    json_decref(json);
    free(text);
}

// What stands in the table belongs to the ratio beside it.
TEST_WITH(the_means_are_shown_of_which_the_ratio_is, start, end)
{
    static const double p99_ms[] = {45, 45, 46, 200, 150};
    for (int i = 0; i < 5; i++) {
        test_add_trial(bench.results[0],
                       (struct test_trial){"contention", "redis-setnx", "SAFE", NULL, 500, 50});
        test_add_trial(bench.results[1], (struct test_trial){"contention", "redis-setnx", "SAFE",
                                                             NULL, 500, p99_ms[i]});
    }
    compare_with(&usual);
    assert_prints("acquire p99       50 ms  97.2 ms  1.944");
    assert_prints("The figures are means over the repeats");
}

// Nor is a pair that got worse told of as one more of those that did not.
TEST_WITH(servers_of_another_topology_hide_no_verdict, start, end)
{
    static const char *const schemes[] = {"redis-a", "redis-b", "redis-c"};
    for (size_t i = 0; i < 18; i++) {
        json_t *result = bench.results[i / 9];
        bool is_bad = i / 3 == 4;
        test_add_trial(result, (struct test_trial){"contention", schemes[i / 3 % 3],
                                                   is_bad ? "UNSAFE" : "SAFE",
                                                   is_bad ? "lost-update" : NULL, 500, 1});
        if (i >= 9)
            json_object_set_new(json_array_get(json_object_get(result, "trials"), i - 9),
                                "topology", json_string("sentinel"));
    }
    compare_with(&usual);
    assert_int_equal(comparison_exit_code(&bench.comparison), 1);
    assert_prints("✗ WORSE         contention  redis-b");
    assert_prints("? inconclusive  contention  2 schemes");
    assert_prints("its servers have another topology");
    assert_prints("3 pairs: verdicts: 1 worse, 0 better, 0 inconclusive; costs: not compared");
}

TEST_WITH(the_last_line_says_what_was_not_compared, start, end)
{
    test_add_repeats(bench.results[0], "contention", "redis-setnx", 500, 1);
    test_add_repeats(bench.results[1], "contention", "redis-setnx", 500, 1);
    compare_with(&usual);
    bench.comparison.is_one_run = true;
    assert_prints("Both are the same run");
    char *text = printed(true);
    assert_null(strstr(text, "repeats are few")); // there is no interval to speak of
    free(text);
    comparison_free(&bench.comparison);
    const struct comparison_options nobodys = {.margin = 0.05, .only = {"nosuch", NULL}};
    comparison_of_runs(&bench.runs[0], &bench.runs[1], &nobodys, &bench.comparison);
    assert_prints("0 pairs: nothing was compared");
    comparison_free(&bench.comparison);
    strcpy(bench.runs[1].environment.kernel, "Linux 6.18");
    comparison_of_runs(&bench.runs[0], &bench.runs[1], &usual, &bench.comparison);
    assert_prints("1 pair: no verdict changed; costs: not compared");
}

TEST_WITH(pairs_are_not_counted_among_figures, start, end)
{
    test_add_repeats(bench.results[0], "contention", "redis-setnx", 500, 5);
    test_add_repeats(bench.results[1], "contention", "redis-setnx", 500, 5);
    test_add_repeats(bench.results[1], "contention", "redis-lua", 500, 5);
    compare_with(&usual);
    assert_prints("4 no change, 0 inconclusive; 1 pair not compared");
}
