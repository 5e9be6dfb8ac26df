// All that is told of a run besides its trials, computed once; who writes only
// formats.
#ifndef LOCKPICK_REPORT_RUN_REPORT_H
#define LOCKPICK_REPORT_RUN_REPORT_H

#include "harness/report/costs.h"
#include "harness/report/thresholds.h"

// How the trials of a run ended. Each trial is in one of the first seven.
struct tally {
    size_t met, missed;                          // against their expectation
    size_t without;                              // nothing was expected
    size_t inconclusive;                         // UNKNOWN, but for measurements
    size_t errors;                               // ERROR
    size_t skipped;                              // something is missing on this machine
    size_t not_applicable;                       // scheme and scenario do not go together
    size_t not_run;                              // planned, but the run ended before
    size_t verdicts[VERDICT_NOT_APPLICABLE + 1]; // of all finished trials
};

struct run_report {
    const struct run_result *run;
    struct tally tally;
    struct scheme_cost *costs; // of each scenario and scheme, in the order of their first trials
    size_t cost_count;
    struct threshold_outcomes thresholds;
};

// The run must outlive it. Free with run_report_free.
void run_report_make(const struct run_result *run, struct run_report *report);
void run_report_free(struct run_report *report);

// True if a table of costs has a row of it: it has a history, and its scenario
// measures. The others have but a few operations, and are about something else;
// they have rows if no scenario of the run measures.
bool run_report_has_row(const struct run_report *report, const struct scheme_cost *cost);

#endif
