#include "harness/base/scope.h"
#include "harness/report/sections.h"
#include "harness/report/test_run.h"

#include <math.h>

// Of the first trial's scenario and scheme.
static const struct scheme_cost *first_cost(void)
{
    return test_report(&test.run)->costs;
}

// A repeat in which `count` acquires took so many milliseconds each.
static struct trial_result *add_repeat(const char *scheme, int count, int64_t each, double rate)
{
    struct trial_result *result = ADD(scheme, SAFE, NONE);
    test_model(&test)->hold_count = 0;
    for (int i = 0; i < count; i++)
        test_hold(&test, 1, 50 * i, 50 * i + each, 50 * i + each + 1);
    statistics_make(&test.model, &result->statistics);
    (void)latencies_write(&test.model, NULL, &result->latencies, NULL);
    result->statistics.holds_per_second = rate;
    return result;
}

RUN_TEST(percentiles_are_those_of_all_repeats_together)
{
    add_repeat("redis-setnx", 9, 1, 100);
    add_repeat("redis-lua", 5, 30, 7);
    add_repeat("redis-setnx", 1, 40, 300); // one slow acquire of ten is no p50, nor a p90
    const struct scheme_cost *cost = first_cost();
    const struct percentiles *acquire = &cost->percentiles[LATENCY_ACQUIRE];
    assert_int_equal(cost->repeats, 2);
    assert_int_equal(acquire->count, 10);
    assert_true(llabs(acquire->p90_ns - NS_PER_MS) <= NS_PER_MS / 1000);
    assert_int_equal(acquire->max_ns, 40 * NS_PER_MS);
    assert_true(cost->rate.median == 200 && cost->rate.least == 100 && cost->rate.most == 300);
    assert_int_equal(cost->longest_wait_ns, 40 * NS_PER_MS);
}

RUN_TEST(each_scenario_and_scheme_begins_once)
{
    struct scenario other = test.scenario;
    add_repeat("redis-setnx", 1, 1, 1);
    add_repeat("redis-lua", 1, 1, 1);
    add_repeat("redis-setnx", 1, 1, 1);
    add_repeat("redis-setnx", 1, 1, 1);
    test.trials[3].scenario = &other;
    const struct run_report *report = test_report(&test.run);
    const struct scheme_cost *costs = report->costs;
    assert_int_equal(report->cost_count, 3);
    assert_true(costs[0].first == 0 && costs[1].first == 1 && costs[2].first == 3);
    assert_int_equal(costs[0].repeats, 2);
}

RUN_TEST(sums_and_not_means_make_commands_and_violations)
{
    struct trial_result *first = add_repeat("redis-setnx", 1, 1, 1);
    struct trial_result *second = add_repeat("redis-setnx", 1, 1, 1);
    first->statistics.herd = (struct herd){
        .is_known = true, .grants = 10, .acquire_requests = 15, .release_requests = 10};
    second->statistics.herd = (struct herd){
        .is_known = true, .grants = 30, .acquire_requests = 30, .release_requests = 30};
    second->statistics.driver_bound.is_bound = true;
    test_find(first, &test_lost_update, false)->count = 3;
    test_find(second, &test_lost_update, false)->count = 4;
    test_find(second, &test_stale_holder, true)->count = 50; // did no harm
    const struct scheme_cost *cost = first_cost();
    assert_true(cost->commands_per_hold == 85.0 / 40.0);
    assert_int_equal(cost->violations, 7);
    assert_int_equal(cost->driver_bound, 1);
}

RUN_TEST(a_scheme_without_a_history_cost_nothing_known)
{
    ADD("redis-setnx", SKIPPED, NONE)->has_history = false;
    const struct scheme_cost *cost = first_cost();
    assert_int_equal(cost->repeats, 0);
    assert_int_equal(cost->rate.count, 0);
    assert_true(isnan(cost->commands_per_hold));
    assert_int_equal(cost->percentiles[LATENCY_ACQUIRE].count, 0);
}

TEST(a_spread_has_the_middle_and_both_ends)
{
    double odd[] = {5, 1, 9};
    double even[] = {4, 1, 2, 8};
    struct spread spread = spread_of(odd, 3);
    assert_true(spread.median == 5 && spread.least == 1 && spread.most == 9);
    spread = spread_of(even, 4);
    assert_true(spread.median == 3 && spread.least == 1 && spread.most == 8);
    assert_int_equal(spread_of(NULL, 0).count, 0);
}

// At a terminal. Names may be parted at their hyphens, and figures at blanks.
RUN_TEST(costs_of_repeats_fit_60_to_200_columns_and_lose_no_figure)
{
    static const char *const words[] = {"redis-",          "watchdog-", "unchecked", "51,234",
                                        "(41,234–61,234)", "1 ms",      "30 ms",     "1.00"};
    for (int repeat = 0; repeat < 3; repeat++)
        add_repeat("redis-watchdog-unchecked", 9, repeat == 1 ? 30 : 1, 41234 + 10000 * repeat);
    for (int columns = 60; columns <= 200; columns++) {
        char said[8];
        snprintf(said, sizeof said, "%d", columns);
        setenv("COLUMNS", said, 1);
        AUTO_FREE char *shown = PRINTED(report_print(test_report(&test.run), out, false, false));
        unsetenv("COLUMNS");
        char *table = strstr(shown, "\nscheme ");
        assert_non_null(table);
        *strstr(table, "\n\n") = '\0';
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            assert_has(table, words[i]);
        for (const char *line; (line = strsep(&table, "\n")) != NULL;) {
            int width = 0;
            for (const char *next = line; *next != '\0'; next++)
                width += ((unsigned char)*next & 0xc0) != 0x80;
            if (width > columns)
                fail_msg("%d in %d columns: %s", width, columns, line);
        }
    }
}
