#include "harness/report/report.h"
#include "harness/report/summary.h"
#include "harness/report/thresholds.h"

// A missed expectation is the news; then that the harness could not work, as no figure of it counts
// for anything; then a missed threshold; then that nobody knows.
int report_exit_code(const struct run_result *run)
{
    struct tally tally = tally_make(run);
    if (tally.missed > 0)
        return 1;
    if (tally.errors > 0 || (run->strict && tally.skipped > 0))
        return 4;
    struct threshold_outcomes thresholds;
    thresholds_decide(run, &thresholds);
    size_t missed = thresholds.missed;
    size_t not_measured = thresholds.not_measured;
    thresholds_free(&thresholds);
    if (missed > 0)
        return 5;
    bool nothing_tried = run->count > 0 && tally.skipped + tally.not_applicable == run->count;
    bool is_unknown = tally.inconclusive > 0 || tally.not_run > 0 || not_measured > 0;
    return is_unknown || nothing_tried ? 3 : 0;
}
