#include "harness/report/test_comparison.h"

static void a_verdict_that_got_worse_comes_before_all_costs(void **state)
{
    (void)state;
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

static void other_properties_are_told_and_change_no_code(void **state)
{
    (void)state;
    for (int i = 0; i < 6; i++)
        test_add_trial(bench.results[i / 3],
                       (struct test_trial){"contention", "none", "UNSAFE",
                                           i < 5 ? "stale-holder" : "lost-update", 500, 1});
    compare_with(&usual);
    assert_int_equal(comparison_exit_code(&bench.comparison), 0);
    assert_prints("UNSAFE (stale-holder)  → UNSAFE (stale-holder, lost-update)");
}

// Of 134 pairs that one run lacks, a reader needs no 134 lines.
static void what_is_missing_alike_is_told_once(void **state)
{
    (void)state;
    static const char *const schemes[] = {"none", "redis-setnx", "redis-lua", "redlock"};
    for (size_t i = 0; i < 4; i++)
        test_add_repeats(bench.results[1], "contention", schemes[i], 500, 5);
    compare_with(&usual);
    assert_prints("4 schemes    it is missing in the baseline");
}

static void machines_are_told_all_of_it(void **state)
{
    (void)state;
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
    assert_true(json_real_value(json_object_get(rate, "before")) == 500);
    json_decref(json);
    free(text);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_verdict_that_got_worse_comes_before_all_costs),
        TEST(other_properties_are_told_and_change_no_code),
        TEST(what_is_missing_alike_is_told_once),
        TEST(machines_are_told_all_of_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
