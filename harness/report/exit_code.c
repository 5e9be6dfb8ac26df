#include "harness/report/report.h"
#include "harness/report/summary.h"

// A missed expectation is the news; then that the harness could not work; then that nobody knows.
int report_exit_code(const struct run_result *run)
{
    struct tally tally = tally_make(run);
    if (tally.missed > 0)
        return 1;
    if (tally.errors > 0 || (run->strict && tally.skipped > 0))
        return 4;
    bool nothing_tried = run->count > 0 && tally.skipped + tally.not_applicable == run->count;
    return tally.inconclusive > 0 || tally.not_run > 0 || nothing_tried ? 3 : 0;
}
