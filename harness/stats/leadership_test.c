#include "harness/report/test_run.h"

static char leader[] = "leader";

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
