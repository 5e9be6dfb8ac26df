#include "harness/report/test_thresholds.h"
#include "harness/testing/text.h"

static struct threshold_outcomes outcomes; // of the report made last

static const struct threshold_outcome *only_outcome(void)
{
    outcomes = test_report(&test.run)->thresholds;
    assert_int_equal(outcomes.count, 1);
    return &outcomes.items[0];
}

static void expect(enum threshold_result result, const char *reason)
{
    const struct threshold_outcome *outcome = only_outcome();
    if (outcome->result != result || strstr(outcome->reason, reason) == NULL)
        fail_msg("%s (%s): %s; not %s", outcome->threshold->limit.text, outcome->measured,
                 threshold_result_names[outcome->result], outcome->reason);
}

TEST_WITH(repeats_are_merged_before_their_percentile_is_taken, start, end)
{
    state_threshold("acquire.p90 < 91ms");
    add_repeat("redis-setnx", 100);
    expect(THRESHOLD_MET, "");
    assert_string_equal(outcomes.items[0].measured, "90 ms");
    add_repeat("redis-setnx", 200); // of all three hundred, p90 is 170 ms
    expect(THRESHOLD_MISSED, "");
    assert_string_equal(outcomes.items[0].measured, "170 ms");
    assert_int_equal(outcomes.missed, 1);
}

TEST_WITH(a_percentile_of_too_few_is_not_measured, start, end)
{
    state_threshold("acquire.p99 < 1s");
    add_repeat("redis-setnx", 20);
    expect(THRESHOLD_NOT_MEASURED, "20 acquire times are too few for p99");
    add_repeat("redis-setnx", 79);
    expect(THRESHOLD_NOT_MEASURED, "99 acquire times are too few for p99");
    add_repeat("redis-setnx", 1);
    expect(THRESHOLD_MET, "");
}

TEST_WITH(the_longest_needs_but_one, start, end)
{
    state_threshold("acquire.max <= 3ms");
    add_repeat("redis-setnx", 3);
    expect(THRESHOLD_MET, "");
    thresholds[0].limit.bound = 2e6;
    expect(THRESHOLD_MISSED, "");
}

TEST_WITH(what_was_never_granted_has_no_latency, start, end)
{
    state_threshold("acquire.p99 < 1s");
    struct trial_result *result = add_repeat("redis-setnx", 200);
    result->statistics.not_held = 5;
    result->statistics.open = 4; // asking when the trial ended
    result->statistics.longest_open_ns = 999 * NS_PER_MS;
    expect(THRESHOLD_MET, "");
    result->statistics.longest_open_ns = NS_PER_S;
    expect(THRESHOLD_NOT_MEASURED, "5 of 205 acquires were never granted");
    result->statistics.longest_open_ns = NS_PER_MS;
    result->statistics.open = 0;
    expect(THRESHOLD_NOT_MEASURED, "5 of 205 acquires were never granted");
    thresholds[0].limit.bound = 10e6; // too long already
    expect(THRESHOLD_MISSED, "");
    thresholds[0].limit.bound = 1e9;
    result->statistics.not_held = 0;
    result->statistics.due = 300;
    expect(THRESHOLD_NOT_MEASURED, "100 of 300 acquires were never granted");
}

// Of eleven acquires ten were quick; then the holder was killed, and two wait for ever.
TEST_WITH(a_stuck_lock_does_not_pass, start, end)
{
    state_threshold("acquire.max < 900ms");
    struct trial_result *result = add_repeat("redis-setnx", 10);
    result->statistics.not_held = result->statistics.open = 2;
    result->statistics.longest_open_ns = 3 * NS_PER_S;
    expect(THRESHOLD_NOT_MEASURED, "2 of 12 acquires were never granted");
    thresholds[0].limit.bound = 60e9;
    expect(THRESHOLD_MET, "");
    result->judgement.verdict = VERDICT_STUCK;
    expect(THRESHOLD_NOT_MEASURED, "2 of 12 acquires were never granted");
    result->judgement.verdict = VERDICT_UNSAFE; // and stuck as well
    test_find(result, &test_stuck, false);
    expect(THRESHOLD_NOT_MEASURED, "2 of 12 acquires were never granted");
    test.scenario.threshold_count = 0;
    state_threshold("longest-wait < 1m");
    expect(THRESHOLD_NOT_MEASURED, "the lock was stuck");
}

TEST_WITH(a_miss_that_may_be_the_drivers_is_not_measured, start, end)
{
    state_threshold("throughput >= 200/s");
    struct trial_result *result = add_repeat("redis-setnx", 10);
    expect(THRESHOLD_MISSED, "");
    result->statistics.driver_bound.is_bound = true;
    expect(THRESHOLD_NOT_MEASURED, "the driver was the limit");
    thresholds[0].limit.bound = 50;
    expect(THRESHOLD_MET, ""); // in spite of the driver
    assert_true(outcomes.items[0].driver_bound);
    thresholds[0].limit.relation = RELATION_BELOW;
    expect(THRESHOLD_MISSED, ""); // it would be more without it
    thresholds[0].limit.bound = 200;
    expect(THRESHOLD_NOT_MEASURED, "the driver was the limit");
}

TEST_WITH(only_the_percentile_that_is_late_is_the_drivers, start, end)
{
    state_threshold("acquire.p50 < 5ms");
    struct trial_result *result = add_repeat("redis-setnx", 100);
    result->statistics.driver_bound.late[PERCENTILE_p99] = true;
    expect(THRESHOLD_MISSED, "");
    result->statistics.driver_bound.late[PERCENTILE_p50] = true;
    expect(THRESHOLD_NOT_MEASURED, "the driver");
}

TEST_WITH(violations_are_none_only_if_all_repeats_were_decided, start, end)
{
    state_threshold("violations == 0");
    add_repeat("redis-setnx", 10);
    struct trial_result *second = add_repeat("redis-setnx", 10);
    expect(THRESHOLD_MET, "");
    second->judgement.verdict = VERDICT_UNKNOWN;
    expect(THRESHOLD_NOT_MEASURED, "1 of 2 repeats could not be decided");
    test_find(second, &test_lost_update, false)->count = 3;
    expect(THRESHOLD_NOT_MEASURED, "3 of them in repeats that could not be decided");
    assert_string_equal(outcomes.items[0].measured, "3");
    second->judgement.verdict = VERDICT_UNSAFE;
    expect(THRESHOLD_MISSED, "");
}

TEST_WITH(what_was_not_run_is_not_measured, start, end)
{
    state_threshold("jain > 0.5");
    struct trial_result *first = test_add(&test, "redis-setnx", VERDICT_SKIPPED, EXPECTATION_NONE);
    first->has_history = false;
    expect(THRESHOLD_NOT_MEASURED, "because");
    assert_string_equal(outcomes.items[0].measured, "–");
    struct trial_result *second = add_repeat("redis-setnx", 10);
    second->statistics.turns.grants = 10;
    second->statistics.fairness = 0.9;
    expect(THRESHOLD_NOT_MEASURED, "1 of 2 repeats have no history");
    second->statistics.fairness = 0.4;
    expect(THRESHOLD_MISSED, "");
}

TEST_WITH(a_scheme_that_does_not_apply_has_no_threshold, start, end)
{
    state_threshold("violations == 0");
    test_add(&test, "none", VERDICT_NOT_APPLICABLE, EXPECTATION_NONE)->has_history = false;
    outcomes = test_report(&test.run)->thresholds;
    assert_int_equal(outcomes.count, 0);
}

TEST_WITH(a_threshold_may_be_about_some_schemes_only, start, end)
{
    char *pattern = (char[]){"redis-*"};
    state_threshold("violations == 0");
    thresholds[0].schemes = (struct string_list){&pattern, 1};
    add_repeat("none", 10);
    add_repeat("redis-setnx", 10);
    assert_string_equal(only_outcome()->trial->scheme, "redis-setnx");
}

TEST_WITH(a_lock_that_never_recovers_misses_its_recovery, start, end)
{
    state_threshold("recovery < 3s");
    struct trial_result *result = add_repeat("redis-setnx", 10);
    struct recoveries *recoveries = &result->statistics.recoveries;
    expect(THRESHOLD_NOT_MEASURED, "there was none");
    recoveries->count = 2;
    recoveries->items[0] = (struct recovery){1, 2 * NS_PER_S, TIME_NEVER, NS_PER_S};
    recoveries->items[1] = (struct recovery){2, NS_PER_S, TIME_NEVER, NS_PER_S};
    expect(THRESHOLD_MET, "");
    assert_string_equal(outcomes.items[0].measured, "2.00 s");
    recoveries->items[1] = (struct recovery){2, TIME_NEVER, TIME_NEVER, 0};
    expect(THRESHOLD_NOT_MEASURED, "nobody asked any more");
    recoveries->items[1] = (struct recovery){2, TIME_NEVER, TIME_NEVER, NS_PER_S};
    expect(THRESHOLD_NOT_MEASURED, "ended too soon");
    recoveries->items[1] = (struct recovery){2, TIME_NEVER, TIME_NEVER, 4 * NS_PER_S};
    expect(THRESHOLD_MISSED, "");
}

TEST_WITH(an_outage_that_never_ended_is_not_short, start, end)
{
    state_threshold("unavailable < 1m");
    struct trial_result *result = add_repeat("redis-setnx", 10);
    struct recoveries *recoveries = &result->statistics.recoveries;
    recoveries->count = 1;
    recoveries->items[0] = (struct recovery){1, 2 * NS_PER_S, TIME_NEVER, NS_PER_S};
    expect(THRESHOLD_MET, "");
    recoveries->items[0] = (struct recovery){1, TIME_NEVER, TIME_NEVER, 3 * NS_PER_S};
    expect(THRESHOLD_NOT_MEASURED, "ended too soon");
    recoveries->items[0] = (struct recovery){1, TIME_NEVER, TIME_NEVER, 0};
    expect(THRESHOLD_NOT_MEASURED, "nobody asked any more");
    recoveries->items[0] = (struct recovery){1, TIME_NEVER, TIME_NEVER, 61 * NS_PER_S};
    expect(THRESHOLD_MISSED, "");
}

TEST_WITH(the_rest_is_read_where_it_is_measured, start, end)
{
    state_threshold("commands <= 4");
    struct trial_result *result = add_repeat("redis-setnx", 10);
    expect(THRESHOLD_NOT_MEASURED, "nobody counted");
    result->statistics.herd = (struct herd){
        .is_known = true, .grants = 10, .acquire_requests = 25, .release_requests = 10};
    expect(THRESHOLD_MET, "");
    assert_string_equal(outcomes.items[0].measured, "3.5");
    test.scenario.threshold_count = 0;
    state_threshold("longest-wait < 2s");
    result->statistics.longest_wait_ns = 3 * NS_PER_S;
    expect(THRESHOLD_MISSED, "");
    test.scenario.threshold_count = 0;
    state_threshold("unavailable < 2s");
    result->statistics.recoveries = (struct recoveries){.items = {{1, 1, 1, NS_PER_S}}, .count = 1};
    expect(THRESHOLD_MET, "");
}

TEST_WITH(grants_of_what_has_expired_are_added_up, start, end)
{
    state_threshold("expired-grants == 0");
    struct trial_result *result = add_repeat("redis-setnx", 10);
    expect(THRESHOLD_NOT_MEASURED, "no grant had a lease");
    result->statistics.leased = 10;
    expect(THRESHOLD_MET, "");
    result = add_repeat("redis-setnx", 10);
    result->statistics.leased = 10;
    result->statistics.expired = 3;
    expect(THRESHOLD_MISSED, "");
    assert_string_equal(outcomes.items[0].measured, "3");
    test.scenario.threshold_count = 0;
    state_threshold("expired-grants > 2");
    expect(THRESHOLD_MET, "");
}

// --- how they are told ---------------------------------------------------------------------------

// A scheme that meets, misses and leaves open one threshold each.
static void state_all(void)
{
    state_threshold("acquire.p50 < 1s");
    state_threshold("acquire.p90 < 5ms");
    state_threshold("acquire.p99 < 1s");
    add_repeat("redis-setnx", 20);
}

static void expect_code(int code)
{
    assert_int_equal(report_exit_code(test_report(&test.run)), code);
}

TEST_WITH(a_missed_threshold_has_a_code_of_its_own, start, end)
{
    state_all();
    expect_code(5);
    thresholds[1].limit.bound = 1e9;
    expect_code(3);
    test.scenario.threshold_count = 2;
    expect_code(0);
    thresholds[1].limit.bound = 5e6;
    test.run.planned = 9; // and so cut short
    expect_code(5);
    test.results[0].judgement.verdict = VERDICT_ERROR;
    expect_code(4);
    test.results[0].judgement.expectation = EXPECTATION_MISSED;
    expect_code(1);
}

TEST_WITH(people_and_machines_are_told_all_of_it, start, end)
{
    struct test_stream stream;
    state_all();
    const struct run_report *report = test_report(&test.run);
    report_print(report, test_stream_open(&stream), false, false);
    char *table = test_stream_close(&stream);
    const char *missed = strstr(table, "✗ MISSED");
    const char *open = strstr(table, "? not measured  20 acquire times are too few for p99");
    const char *met = strstr(table, "✓ met");
    assert_true(missed != NULL && missed < open && open < met);
    free(table);
    json_t *json = report_json_value(report);
    assert_int_equal(json_array_size(json_find(json, "thresholds")), 3);
    assert_json_all(json_find(json, "thresholds.1"),
                    (const char *const[][2]){{"result", "\"missed\""},
                                             {"relation", "\"<\""},
                                             {"bound", "5000000.0"},
                                             {"line", "20"},
                                             {NULL, NULL}});
    json_decref(json);
}
