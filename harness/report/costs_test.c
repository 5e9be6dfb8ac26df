#include "harness/report/costs.h"

#include "harness/report/test_run.h"
#include "harness/testing/text.h"

#include <math.h>

static struct test_run test;
static struct scheme_cost cost;
static char *text;

static int start(void **state)
{
    (void)state;
    test_run_start(&test);
    return 0;
}

static int end(void **state)
{
    (void)state;
    free(text);
    text = NULL;
    scheme_cost_free(&cost);
    test_run_end(&test);
    return 0;
}

// A repeat in which `count` acquires took so many milliseconds each.
static struct trial_result *add_repeat(const char *scheme, int count, int64_t each, double rate)
{
    struct trial_result *result = test_add(&test, scheme, VERDICT_SAFE, EXPECTATION_NONE);
    test_digest(&test)->hold_count = 0;
    for (int i = 0; i < count; i++)
        test_hold(&test, 1, 50 * i, 50 * i + each, 50 * i + each + 1);
    statistics_make(&test.digest, &result->statistics);
    latencies_encode(&test.digest, &result->latencies);
    result->statistics.holds_per_second = rate;
    return result;
}

TEST_WITH(percentiles_are_those_of_all_repeats_together, start, end)
{
    add_repeat("redis-setnx", 9, 1, 100);
    add_repeat("redis-lua", 5, 30, 7);
    add_repeat("redis-setnx", 1, 40, 300); // one slow acquire of ten is no p50, nor a p90
    scheme_cost_make(&test.run, 0, &cost);
    const struct histogram *acquire = &cost.latencies[LATENCY_ACQUIRE];
    assert_int_equal(cost.repeats, 2);
    assert_int_equal(acquire->total, 10);
    assert_true(llabs(histogram_percentile_ns(acquire, 90) - NS_PER_MS) <= NS_PER_MS / 1000);
    assert_int_equal(acquire->max_ns, 40 * NS_PER_MS);
    assert_true(cost.rate.median == 200 && cost.rate.least == 100 && cost.rate.most == 300);
    assert_int_equal(cost.longest_wait_ns, 40 * NS_PER_MS);
}

TEST_WITH(each_scenario_and_scheme_begins_once, start, end)
{
    struct scenario other = test.scenario;
    add_repeat("redis-setnx", 1, 1, 1);
    add_repeat("redis-lua", 1, 1, 1);
    add_repeat("redis-setnx", 1, 1, 1);
    add_repeat("redis-setnx", 1, 1, 1);
    test.trials[3].scenario = &other;
    assert_true(scheme_cost_begins_at(&test.run, 0));
    assert_true(scheme_cost_begins_at(&test.run, 1));
    assert_false(scheme_cost_begins_at(&test.run, 2));
    assert_true(scheme_cost_begins_at(&test.run, 3));
    scheme_cost_make(&test.run, 0, &cost);
    assert_int_equal(cost.repeats, 2);
}

TEST_WITH(sums_and_not_means_make_commands_and_violations, start, end)
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
    scheme_cost_make(&test.run, 0, &cost);
    assert_true(cost.commands_per_hold == 85.0 / 40.0);
    assert_int_equal(cost.violations, 7);
    assert_int_equal(cost.driver_bound, 1);
}

TEST_WITH(a_scheme_without_a_history_cost_nothing_known, start, end)
{
    test_add(&test, "redis-setnx", VERDICT_SKIPPED, EXPECTATION_NONE)->has_history = false;
    scheme_cost_make(&test.run, 0, &cost);
    assert_int_equal(cost.repeats, 0);
    assert_int_equal(cost.rate.count, 0);
    assert_true(isnan(cost.commands_per_hold));
    assert_int_equal(cost.latencies[LATENCY_ACQUIRE].total, 0);
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

// --- at a terminal -------------------------------------------------------------------------------

// Only the costs: behind the table of verdicts, before the sentence in the end.
static void print(void)
{
    struct test_stream stream;
    free(text);
    report_print(test_report(&test.run), test_stream_open(&stream), false, false);
    text = test_stream_close(&stream);
    const char *from = strstr(text, "\nWhat it cost");
    char *rest = text;
    for (char *at = text; (at = strstr(at, "\n\n")) != NULL; at++)
        rest = at;
    rest[from != NULL] = '\0';
    memmove(text, from != NULL ? from : rest, strlen(from != NULL ? from : rest) + 1);
}

static struct trial_result *add_measured(const char *scheme)
{
    struct trial_result *result = test_add(&test, scheme, VERDICT_SAFE, EXPECTATION_NONE);
    test_digest(&test)->hold_count = 0;
    test_hold(&test, 1, 0, 10, 30);
    test_hold(&test, 2, 5, 40, 45);
    statistics_make(&test.digest, &result->statistics);
    latencies_encode(&test.digest, &result->latencies);
    return result;
}

TEST_WITH(repeats_are_one_line, start, end)
{
    add_measured("redis-setnx")->statistics.herd =
        (struct herd){.is_known = true, .grants = 2, .acquire_requests = 3, .release_requests = 2};
    add_measured("redis-setnx");
    add_measured("none");
    print();
    assert_string_equal(
        text, "\n"
              "What it cost in pause: locks/s; acquire; hand-off (ho) to one who waited; commands "
              "a lock; fairness\n"
              "scheme       locks/s    p50    p99  p99.9    max  ho p50  ho p99  cmds  Jain\n"
              "redis-setnx        2  10 ms  35 ms  35 ms  35 ms   10 ms   10 ms   2.5  1.00\n"
              "none               2  10 ms  35 ms  35 ms  35 ms   10 ms   10 ms     –  1.00\n");
}

TEST_WITH(what_is_driver_bound_is_marked_and_said, start, end)
{
    struct trial_result *result = add_measured("redis-setnx");
    add_measured("redis-setnx");
    result->statistics.driver_bound.is_bound = true;
    strcpy(result->statistics.driver_bound.reason, "the clients used 99 %");
    print();
    assert_has(text, "redis-setnx       2*  ");
    assert_has(text, "\n* redis-setnx is driver-bound in 1 of 2: the clients used 99 %\n");
}

// Only the figure that it is true of has the mark.
TEST_WITH(a_figure_that_is_late_is_marked_and_said, start, end)
{
    struct trial_result *result = add_measured("redis-setnx");
    result->statistics.driver_bound.late[PERCENTILE_p99] = true;
    strcpy(result->statistics.driver_bound.reason, "p99 by up to 5 ms of 35 ms");
    print();
    assert_has(text, "redis-setnx        2  10 ms  35 ms*  35 ms  35 ms  ");
    assert_has(text, "\n* redis-setnx: p99 by up to 5 ms of 35 ms\n");
}

TEST_WITH(a_rate_that_was_not_held_is_said, start, end)
{
    struct trial_result *first = add_measured("redis-setnx");
    struct trial_result *second = add_measured("redis-setnx");
    first->statistics.due = second->statistics.due = 2500;
    first->statistics.begun = 2500;
    second->statistics.begun = 612;
    struct trial_result *held = add_measured("none");
    held->statistics.due = 2500;
    held->statistics.begun = 2498;
    print();
    assert_has(text, "\nredis-setnx could not hold the rate: 3,112 of 5,000 begun\n");
    assert_lacks(text, "none could not");
}

TEST_WITH(grants_of_what_has_expired_are_said, start, end)
{
    struct trial_result *result = add_measured("redis-setnx");
    result->statistics.leased = 20;
    print();
    assert_lacks(text, "lease was over");
    result->statistics.expired = 8;
    print();
    assert_has(text, "\nredis-setnx: of 8 of 20 grants the lease was over when they came\n");
}

// The width of the longest line, in characters.
static int width_of(const char *lines)
{
    int longest = 0;
    int width = 0;
    for (; *lines != '\0'; lines++) {
        width = *lines == '\n' ? 0 : width + ((*lines & 0xc0) != 0x80);
        longest = width > longest ? width : longest;
    }
    return longest;
}

TEST_WITH(it_fits_into_a_hundred_columns, start, end)
{
    struct trial_result *result = add_measured("redis-watchdog-unchecked"); // no longer one
    test.digest.hold_count = 0;
    for (int i = 0; i < 8; i++)
        test_hold(&test, i + 1, 0, 120 * i + 1, 120 * i + 113)->granted_ns -= 777777 * (i % 3);
    statistics_make(&test.digest, &result->statistics);
    latencies_free(&result->latencies);
    latencies_encode(&test.digest, &result->latencies);
    result->statistics.holds_per_second = 61234;
    result->statistics.driver_bound = (struct driver_bound){true, "", {true, true, true, true}};
    result->statistics.herd = (struct herd){.is_known = true, .grants = 2, .acquire_requests = 247};
    print();
    if (width_of(text) > 100)
        fail_msg("%d columns:\n%s", width_of(text), text);
}

TEST_WITH(scenarios_with_faults_have_a_table_only_if_they_are_alone, start, end)
{
    struct scenario other = test.scenario;
    test.scenario.fault_count = 1;
    other.name = "calm";
    add_measured("redis-setnx");
    print();
    assert_has(text, "What it cost in pause");
    add_measured("redis-setnx");
    test.trials[1].scenario = &other;
    print();
    assert_lacks(text, "What it cost in pause");
    assert_has(text, "What it cost in calm");
}

// A program of its own is marked, and below it stands what that means; a plug-in is none.
TEST_WITH(what_a_program_of_its_own_costs_is_said_to_include_the_way_there, start, end)
{
    static const struct foreign_settings program = {.name = "redis-py"};
    static const struct foreign_settings plugin = {.name = "flock", .plugin = "./flock.so"};
    add_measured("redis-setnx");
    add_measured("flock");
    test.trials[1].foreign = &plugin;
    print();
    assert_lacks(text, "†");
    add_measured("redis-py");
    test.trials[2].foreign = &program;
    print();
    assert_has(text, "\nredis-py†          2  10 ms");
    assert_has(text, "\nflock              2  10 ms");
    assert_has(text, "\n† a program of its own (exec): redis-py: its times include");
}

TEST_WITH(it_is_said_whose_the_times_of_each_program_are, start, end)
{
    static const struct foreign_settings program = {.name = "redis-py"};
    static const char *const names[] = {"kazoo", "curator", "etcdctl", "template"};
    static const unsigned sources[] = {TIMES_OWN | TIMES_OWN_LOOP | TIMES_STRAIGHT,
                                       TIMES_OWN | TIMES_OWN_LOOP | TIMES_STRAIGHT, TIMES_STRAIGHT,
                                       0};
    for (size_t i = 0; i < 4; i++) {
        add_measured(names[i]);
        test.trials[i].foreign = &program;
        test.results[i].statistics.times = sources[i];
    }
    print();
    assert_has(text, "† a program of its own (exec): template: its times include a line of JSON "
                     "each way, and the proxy that each of its requests passes; etcdctl: its times "
                     "include a line of JSON each way; kazoo, curator: timed by their own clocks, "
                     "in loops of their own, straight to their servers\n");
}

TEST_WITH(a_run_without_a_history_has_no_table, start, end)
{
    test_add(&test, "none", VERDICT_SKIPPED, EXPECTATION_NONE)->has_history = false;
    print();
    assert_string_equal(text, "");
}
