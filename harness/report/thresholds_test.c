#include "harness/report/test_run.h"

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

RUN_TEST(repeats_are_merged_before_their_percentile_is_taken)
{
    test_threshold(&test, "acquire.p90 < 91ms");
    test_repeat(&test, "redis-setnx", 100);
    expect(THRESHOLD_MET, "");
    assert_string_equal(outcomes.items[0].measured, "90 ms");
    test_repeat(&test, "redis-setnx", 200); // of all three hundred, p90 is 170 ms
    expect(THRESHOLD_MISSED, "");
    assert_string_equal(outcomes.items[0].measured, "170 ms");
    assert_int_equal(outcomes.missed, 1);
}

RUN_TEST(a_percentile_of_too_few_is_not_measured)
{
    test_threshold(&test, "acquire.p99 < 1s");
    test_repeat(&test, "redis-setnx", 20);
    expect(THRESHOLD_NOT_MEASURED, "20 acquire times are too few for p99");
    test_repeat(&test, "redis-setnx", 79);
    expect(THRESHOLD_NOT_MEASURED, "99 acquire times are too few for p99");
    test_repeat(&test, "redis-setnx", 1);
    expect(THRESHOLD_MET, "");
}

RUN_TEST(the_longest_needs_but_one)
{
    test_threshold(&test, "acquire.max <= 3ms");
    test_repeat(&test, "redis-setnx", 3);
    expect(THRESHOLD_MET, "");
    test.thresholds[0].limit.bound = 2e6;
    expect(THRESHOLD_MISSED, "");
}

RUN_TEST(what_was_never_granted_has_no_latency)
{
    test_threshold(&test, "acquire.p99 < 1s");
    struct trial_result *result = test_repeat(&test, "redis-setnx", 200);
    result->statistics.not_held = 5;
    result->statistics.open = 4; // asking when the trial ended
    result->statistics.longest_open_ns = 999 * NS_PER_MS;
    expect(THRESHOLD_MET, "");
    result->statistics.longest_open_ns = NS_PER_S;
    expect(THRESHOLD_NOT_MEASURED, "5 of 205 acquires were never granted");
    result->statistics.longest_open_ns = NS_PER_MS;
    result->statistics.open = 0;
    expect(THRESHOLD_NOT_MEASURED, "5 of 205 acquires were never granted");
    test.thresholds[0].limit.bound = 10e6; // too long already
    expect(THRESHOLD_MISSED, "");
    test.thresholds[0].limit.bound = 1e9;
    result->statistics.not_held = 0;
    result->statistics.due = 300;
    expect(THRESHOLD_NOT_MEASURED, "100 of 300 acquires were never granted");
}

// Of eleven acquires ten were quick; then the holder was killed, and two wait for ever.
RUN_TEST(a_stuck_lock_does_not_pass)
{
    test_threshold(&test, "acquire.max < 900ms");
    struct trial_result *result = test_repeat(&test, "redis-setnx", 10);
    result->statistics.not_held = result->statistics.open = 2;
    result->statistics.longest_open_ns = 3 * NS_PER_S;
    expect(THRESHOLD_NOT_MEASURED, "2 of 12 acquires were never granted");
    test.thresholds[0].limit.bound = 60e9;
    expect(THRESHOLD_MET, "");
    result->judgement.verdict = VERDICT_STUCK;
    expect(THRESHOLD_NOT_MEASURED, "2 of 12 acquires were never granted");
    result->judgement.verdict = VERDICT_UNSAFE; // and stuck as well
    test_find(result, &test_stuck, false);
    expect(THRESHOLD_NOT_MEASURED, "2 of 12 acquires were never granted");
    test.scenario.threshold_count = 0;
    test_threshold(&test, "longest-wait < 1m");
    expect(THRESHOLD_NOT_MEASURED, "the lock was stuck");
}

RUN_TEST(a_miss_that_may_be_the_drivers_is_not_measured)
{
    test_threshold(&test, "throughput >= 200/s");
    struct trial_result *result = test_repeat(&test, "redis-setnx", 10);
    expect(THRESHOLD_MISSED, "");
    result->statistics.driver_bound.is_bound = true;
    expect(THRESHOLD_NOT_MEASURED, "the driver was the limit");
    test.thresholds[0].limit.bound = 50;
    expect(THRESHOLD_MET, ""); // in spite of the driver
    assert_true(outcomes.items[0].driver_bound);
    test.thresholds[0].limit.relation = RELATION_BELOW;
    expect(THRESHOLD_MISSED, ""); // it would be more without it
    test.thresholds[0].limit.bound = 200;
    expect(THRESHOLD_NOT_MEASURED, "the driver was the limit");
}

RUN_TEST(only_the_percentile_that_is_late_is_the_drivers)
{
    test_threshold(&test, "acquire.p50 < 5ms");
    struct trial_result *result = test_repeat(&test, "redis-setnx", 100);
    result->statistics.driver_bound.late[PERCENTILE_p99] = true;
    expect(THRESHOLD_MISSED, "");
    result->statistics.driver_bound.late[PERCENTILE_p50] = true;
    expect(THRESHOLD_NOT_MEASURED, "the driver");
}

RUN_TEST(violations_are_none_only_if_all_repeats_were_decided)
{
    test_threshold(&test, "violations == 0");
    test_repeat(&test, "redis-setnx", 10);
    struct trial_result *second = test_repeat(&test, "redis-setnx", 10);
    expect(THRESHOLD_MET, "");
    second->judgement.verdict = VERDICT_UNKNOWN;
    expect(THRESHOLD_NOT_MEASURED, "1 of 2 repeats could not be decided");
    test_find(second, &test_lost_update, false)->count = 3;
    expect(THRESHOLD_NOT_MEASURED, "3 of them in repeats that could not be decided");
    assert_string_equal(outcomes.items[0].measured, "3");
    second->judgement.verdict = VERDICT_UNSAFE;
    expect(THRESHOLD_MISSED, "");
}

RUN_TEST(what_was_not_run_is_not_measured)
{
    test_threshold(&test, "jain > 0.5");
    struct trial_result *first = ADD("redis-setnx", ERROR, NONE);
    first->has_history = false;
    expect(THRESHOLD_NOT_MEASURED, "because");
    assert_string_equal(outcomes.items[0].measured, "–");
    struct trial_result *second = test_repeat(&test, "redis-setnx", 10);
    second->statistics.turns.grants = 10;
    second->statistics.fairness = 0.9;
    expect(THRESHOLD_NOT_MEASURED, "1 of 2 repeats have no history");
    second->statistics.fairness = 0.4;
    expect(THRESHOLD_MISSED, "");
}

RUN_TEST(a_scheme_that_does_not_apply_has_no_threshold)
{
    test_threshold(&test, "violations == 0");
    ADD("none", NOT_APPLICABLE, NONE)->has_history = false;
    outcomes = test_report(&test.run)->thresholds;
    assert_int_equal(outcomes.count, 0);
}

RUN_TEST(a_scheme_that_was_skipped_leaves_no_threshold_open)
{
    test_threshold(&test, "violations == 0");
    for (int i = 0; i < 2; i++)
        ADD("redis-setnx", SKIPPED, NONE)->has_history = false;
    ADD("none", SAFE, MET);
    assert_string_equal(only_outcome()->trial->scheme, "none");
    assert_int_equal(report_exit_code(test_report(&test.run)), 0);
    ADD("redis-setnx", SAFE, NONE);
    outcomes = test_report(&test.run)->thresholds;
    assert_int_equal(outcomes.count, 2);
}

RUN_TEST(a_threshold_may_be_about_some_schemes_only)
{
    char *pattern = (char[]){"redis-*"};
    test_threshold(&test, "violations == 0");
    test.thresholds[0].schemes = (struct string_list){&pattern, 1};
    test_repeat(&test, "none", 10);
    test_repeat(&test, "redis-setnx", 10);
    assert_string_equal(only_outcome()->trial->scheme, "redis-setnx");
}

RUN_TEST(a_lock_that_never_recovers_misses_its_recovery)
{
    test_threshold(&test, "recovery < 3s");
    struct trial_result *result = test_repeat(&test, "redis-setnx", 10);
    struct recoveries *recoveries = &result->statistics.recoveries;
    expect(THRESHOLD_NOT_MEASURED, "there was none");
    recoveries->count = 2;
    recoveries->items[0] = (struct recovery){1, 2 * NS_PER_S, TIME_NEVER, NS_PER_S, -1};
    recoveries->items[1] = (struct recovery){2, NS_PER_S, TIME_NEVER, NS_PER_S, -1};
    expect(THRESHOLD_MET, "");
    assert_string_equal(outcomes.items[0].measured, "2.00 s");
    recoveries->items[1] = (struct recovery){2, TIME_NEVER, TIME_NEVER, 0, -1};
    expect(THRESHOLD_NOT_MEASURED, "nobody asked any more");
    recoveries->items[1] = (struct recovery){2, TIME_NEVER, TIME_NEVER, NS_PER_S, -1};
    expect(THRESHOLD_NOT_MEASURED, "ended too soon");
    recoveries->items[1] = (struct recovery){2, TIME_NEVER, TIME_NEVER, 4 * NS_PER_S, -1};
    expect(THRESHOLD_MISSED, "");
}

RUN_TEST(an_outage_that_never_ended_is_not_short)
{
    test_threshold(&test, "unavailable < 1m");
    struct trial_result *result = test_repeat(&test, "redis-setnx", 10);
    struct recoveries *recoveries = &result->statistics.recoveries;
    recoveries->count = 1;
    recoveries->items[0] = (struct recovery){1, 2 * NS_PER_S, TIME_NEVER, NS_PER_S, -1};
    expect(THRESHOLD_MET, "");
    recoveries->items[0] = (struct recovery){1, TIME_NEVER, TIME_NEVER, 3 * NS_PER_S, -1};
    expect(THRESHOLD_NOT_MEASURED, "ended too soon");
    recoveries->items[0] = (struct recovery){1, TIME_NEVER, TIME_NEVER, 0, -1};
    expect(THRESHOLD_NOT_MEASURED, "nobody asked any more");
    recoveries->items[0] = (struct recovery){1, TIME_NEVER, TIME_NEVER, 61 * NS_PER_S, -1};
    expect(THRESHOLD_MISSED, "");
}

RUN_TEST(the_rest_is_read_where_it_is_measured)
{
    test_threshold(&test, "commands <= 4");
    struct trial_result *result = test_repeat(&test, "redis-setnx", 10);
    expect(THRESHOLD_NOT_MEASURED, "nobody counted");
    result->statistics.herd = (struct herd){
        .is_known = true, .grants = 10, .acquire_requests = 25, .release_requests = 10};
    expect(THRESHOLD_MET, "");
    assert_string_equal(outcomes.items[0].measured, "3.5");
    test.scenario.threshold_count = 0;
    test_threshold(&test, "longest-wait < 2s");
    result->statistics.longest_wait_ns = 3 * NS_PER_S;
    expect(THRESHOLD_MISSED, "");
    test.scenario.threshold_count = 0;
    test_threshold(&test, "unavailable < 2s");
    result->statistics.recoveries =
        (struct recoveries){.items = {{1, 1, 1, NS_PER_S, -1}}, .count = 1};
    expect(THRESHOLD_MET, "");
}

RUN_TEST(grants_of_what_has_expired_are_added_up)
{
    test_threshold(&test, "expired-grants == 0");
    struct trial_result *result = test_repeat(&test, "redis-setnx", 10);
    expect(THRESHOLD_NOT_MEASURED, "no grant had a lease");
    result->statistics.leased = 10;
    expect(THRESHOLD_MET, "");
    result = test_repeat(&test, "redis-setnx", 10);
    result->statistics.leased = 10;
    result->statistics.expired = 3;
    expect(THRESHOLD_MISSED, "");
    assert_string_equal(outcomes.items[0].measured, "3");
    test.scenario.threshold_count = 0;
    test_threshold(&test, "expired-grants > 2");
    expect(THRESHOLD_MET, "");
}

// --- how they are told ---------------------------------------------------------------------------

// A scheme that meets, misses and leaves open one threshold each.
static void state_all(void)
{
    test_threshold(&test, "acquire.p50 < 1s");
    test_threshold(&test, "acquire.p90 < 5ms");
    test_threshold(&test, "acquire.p99 < 1s");
    test_repeat(&test, "redis-setnx", 20);
}

static void expect_code(int code)
{
    assert_int_equal(report_exit_code(test_report(&test.run)), code);
}

RUN_TEST(a_missed_threshold_has_a_code_of_its_own)
{
    state_all();
    expect_code(5);
    test.thresholds[1].limit.bound = 1e9;
    expect_code(3);
    test.scenario.threshold_count = 2;
    expect_code(0);
    test.thresholds[1].limit.bound = 5e6;
    test.run.planned = 9; // and so cut short
    expect_code(5);
    test.results[0].judgement.verdict = VERDICT_ERROR;
    expect_code(4);
    test.results[0].judgement.expectation = EXPECTATION_MISSED;
    expect_code(1);
}

RUN_TEST(people_and_machines_are_told_all_of_it)
{
    state_all();
    const struct run_report *report = test_report(&test.run);
    AUTO_FREE char *table = PRINTED(report_print(report, out, false, false));
    const char *missed = strstr(table, "✗ MISSED");
    const char *open = strstr(table, "? not measured  20 acquire times are too few for p99");
    const char *met = strstr(table, "✓ met");
    assert_true(missed != NULL && missed < open && open < met);
    json_auto_t *json = report_json_value(report);
    assert_int_equal(json_array_size(json_find(json, "thresholds")), 3);
    assert_json_all(json_find(json, "thresholds.1"),
                    (const char *const[][2]){{"result", "\"missed\""},
                                             {"relation", "\"<\""},
                                             {"bound", "5000000.0"},
                                             {"line", "20"},
                                             {NULL, NULL}});
}
