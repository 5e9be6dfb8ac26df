#include "harness/report/test_run.h"

static struct statistics statistics;
static char leader[] = "leader";
static char increment[] = "increment";

static void add_term(int client, int64_t granted, int64_t released)
{
    test_hold(&test, client, granted, granted, released)->told_lost_ns = TIME_NEVER;
}

static void add_act(int64_t returned, enum outcome outcome)
{
    test.accesses[test.model.access_count++] = (struct access){.is_write = true,
                                                               .invoked_ns = AT(returned - 1),
                                                               .returned_ns = AT(returned),
                                                               .outcome = outcome};
}

// Client 1 leads twice, acts at 100, 150 and 200, and is told at 400 that it leads no more; client
// 2 acts from 700 on.
static void add_two_leaders(void)
{
    test.scenario.workload.kind = leader;
    add_term(1, 0, 110);
    add_term(1, 120, 500);
    test.holds[1].told_lost_ns = AT(400);
    add_term(2, 450, 1200);
    add_act(100, OUTCOME_OK);
    add_act(150, OUTCOME_OK);
    add_act(200, OUTCOME_OK);
    add_act(300, OUTCOME_NO);
    add_act(350, OUTCOME_UNKNOWN);
    add_act(700, OUTCOME_OK);
    add_act(950, OUTCOME_OK);
}

DIGEST_TEST(leaders_that_follow_each_other_are_counted_and_timed)
{
    add_two_leaders();
    statistics_make(&test.model, &statistics);
    assert_true(statistics.leadership.is_known);
    assert_int_equal(statistics.leadership.terms, 3);
    assert_int_equal(statistics.leadership.changes, 1);
    assert_int_equal(statistics.leadership.acts, 5);
    // 110 and 280 until it was told, and 550 until the trial's end.
    assert_in_range(statistics.leadership.share_led * 1000, 940, 940);
}

static void add_fault(int64_t in_effect, int64_t healed)
{
    test.faults[test.model.fault_count++] =
        (struct fault_record){.in_effect_ns = AT(in_effect), .healed_ns = AT(healed)};
}

DIGEST_TEST(after_a_fault_nobody_leads_until_the_next_act)
{
    struct recoveries recoveries;
    add_two_leaders();
    add_fault(250, 800);
    add_fault(720, 730);
    recoveries_measure(&test.model, &recoveries);
    assert_int_equal(recoveries.items[0].leaderless_ns, 450 * NS_PER_MS);
    assert_int_equal(recoveries.items[1].leaderless_ns, 230 * NS_PER_MS);
}

DIGEST_TEST(other_workloads_have_no_leaders)
{
    struct recoveries recoveries;
    add_two_leaders();
    test.scenario.workload.kind = increment;
    statistics_make(&test.model, &statistics);
    assert_false(statistics.leadership.is_known);
    add_fault(250, 800);
    recoveries_measure(&test.model, &recoveries);
    assert_int_equal(recoveries.items[0].leaderless_ns, -1);
}

RUN_TEST(what_leaders_cost_is_told_and_has_a_threshold)
{
    test.scenario.workload.kind = leader;
    for (int64_t i = 1; i <= 3; i++) {
        struct statistics *one = &ADD("redis-setnx", SAFE, NONE)->statistics;
        one->leadership = (struct leadership){true, 10, i, 50, 0.5, 40};
        one->recoveries.items[0] = (struct recovery){.fault = 1, .leaderless_ns = i * NS_PER_S};
        one->recoveries.count = 1;
    }
    test_threshold(&test, "leaderless < 2s");
    const struct run_report *report = test_report(&test.run);
    assert_true(report->costs[0].leaderless.median == 2e9 &&
                report->costs[0].leader_changes.median == 2);
    assert_int_equal(report->thresholds.items[0].result, THRESHOLD_MISSED);
}
