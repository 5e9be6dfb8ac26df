// What a scheme cost in a scenario, over all repeats of the two.
#ifndef LOCKPICK_REPORT_SCHEME_COST_H
#define LOCKPICK_REPORT_SCHEME_COST_H

#include "harness/report/report.h"

// The repeats by their median, and the least and the most of them; count 0: nothing was measured.
struct spread {
    size_t count;
    double median, least, most;
};

struct scheme_cost {
    const struct trial *trial;                 // the first of them
    size_t repeats;                            // with a history
    struct histogram latencies[LATENCY_COUNT]; // of all repeats, merged; a total of 0: not measured
    struct spread rate;                        // holds per second
    struct spread fairness;                    // Jain's index
    double commands_per_hold;                  // of all repeats together; NaN: nobody told
    int64_t longest_wait_ns;                   // of any repeat
    size_t violations;                         // of any property that did harm, in all repeats
    size_t leased, expired;                    // grants in all repeats: see statistics.h
    size_t undecided_violations;               // of these, in repeats that could not be decided
    size_t driver_bound;                       // repeats that were
    size_t late[PERCENTILE_COUNT]; // repeats in which that figure of acquire tells of the driver
};

// True if both are of the same scenario and scheme.
bool scheme_cost_is_of(const struct trial *a, const struct trial *b);

// True if no trial before `index` is of the same scenario and scheme.
bool scheme_cost_begins_at(const struct run_result *run, size_t index);

// Adds up the trials from `index` on that are of its scenario and scheme. Percentiles are neither
// averaged nor merged: those of all repeats are read from the merged histograms. A histogram takes
// 270 kB: make one cost at a time. Free with scheme_cost_free.
void scheme_cost_make(const struct run_result *run, size_t index, struct scheme_cost *cost);
void scheme_cost_free(struct scheme_cost *cost);

// True if some figure of acquire tells of the driver in some repeat.
bool scheme_cost_any_late(const struct scheme_cost *cost);

// The median, least and most of `count` values, which get sorted.
struct spread spread_of(double *values, size_t count);

#endif
