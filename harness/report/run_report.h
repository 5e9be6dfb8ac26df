// All that is told of a run besides its trials, computed once; who writes only
// formats.
#ifndef LOCKPICK_REPORT_RUN_REPORT_H
#define LOCKPICK_REPORT_RUN_REPORT_H

#include "harness/report/costs.h"

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

// --- thresholds ----------------------------------------------------------------------------------

// What came of the thresholds that scenarios state.
//
// Each is decided for each scheme over all repeats: a latency by their merged histograms,
// `throughput` and `jain` by the median of the repeats, `violations` by their sum, `commands` over
// all of them together, and `longest-wait`, `recovery` and `unavailable` by the longest of any.
// What cannot be relied on is not measured, and never met:
//
//  - nothing was measured at all, or some repeat has no history (it was skipped, or failed);
//  - a percentile of too few: at least 10 values, and one of them must lie beyond it, so that p99
//    takes 100 (`max` takes one value);
//  - an acquire latency is low enough, but a larger share of acquires than lies beyond the
//    percentile was never granted, or (in an open loop) never begun: these have no latency. Those
//    that the trial's end cut off do not count, unless one of them had waited for longer than the
//    limit by then;
//  - no violation was found, or too few, but some repeat could not be decided; or there are too
//    many of them only with those of such repeats;
//  - `recovery` or `unavailable` is short enough, but after some fault nobody was granted any more;
//    or `longest-wait` is, but the lock was stuck;
//  - a time or a rate is missed, but at least one repeat was driver-bound: then it may be the
//    driver that was slow. One that is met although the driver was the limit is met, and marked. A
//    rate that is to stay low is not measured either where the driver kept it low.
//
// A scheme that does not go with the scenario (n/a) has no outcome.
enum threshold_result { THRESHOLD_MET, THRESHOLD_MISSED, THRESHOLD_NOT_MEASURED };

struct threshold_outcome {
    const struct trial *trial;         // the first of its scenario and scheme: names both
    const struct threshold *threshold; // limit.text: "acquire.p99 < 50ms"; place: its line
    enum threshold_result result;
    bool is_known;     // that there is a figure, whether or not it may be relied on
    double figure;     // in nanoseconds, each second, or plain
    char measured[40]; // the figure as people read it, "12.4 ms"; "–" if there is none
    bool driver_bound; // at least one repeat was: the figure is to be marked
    char reason[240];  // why it counts as not measured; else ""
};

struct threshold_outcomes {
    struct threshold_outcome *items; // in the order of scenarios, their schemes, their thresholds
    size_t count;
    size_t met, missed, not_measured; // count in all
};

// --- all of it -----------------------------------------------------------------------------------

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

// Decides every threshold of the run's scenarios by the report's costs. Free with thresholds_free.
void thresholds_decide(const struct run_report *report, struct threshold_outcomes *outcomes);
void thresholds_free(struct threshold_outcomes *outcomes);

// "met", "missed", "not measured".
extern const char *const threshold_result_names[];

// "acquire.p99 < 50ms: missed, 63.1 ms" or "...: not measured, 20 acquires are too few for p99".
void threshold_sentence(const struct threshold_outcome *outcome, struct text *out);

#endif
