// What locks cost under loads of different size: a figure for each number of clients, or for each
// rate, that a run had.
#ifndef LOCKPICK_REPORT_LOAD_POINTS_H
#define LOCKPICK_REPORT_LOAD_POINTS_H

#include "harness/report/costs.h"

// A percentile of fewer acquires is left out: fewer than one lies beyond it.
#define LEAST_FOR_P99 100

// A scheme under one load: a phase of it, or a whole trial that has none; over all repeats.
struct load_point {
    const struct trial *trial; // the first of them
    size_t index;              // of that in the run
    int64_t workers;           // that asked: clients by threads
    double offered;            // operations a second that were to begin; 0: a closed loop
    struct spread rate;        // locks/s
    int64_t samples;           // acquires; p50 and p99 are from their merged histograms
    int64_t p50_ns, p99_ns;
    bool held;         // the offered rate, in every repeat
    bool driver_bound; // the trial of some repeat was, or its p50 or p99 tells of the driver
};

struct load_points {
    struct load_point *items;
    size_t count;
};

// All points of a run's scenarios without faults, in its order; warm-ups and ramps are none. Free
// with load_points_free.
void load_points_make(const struct run_result *run, struct load_points *points);
void load_points_free(struct load_points *points);

enum load_axis { LOAD_BY_WORKERS, LOAD_BY_RATE };

// Where the point lies on that axis; 0: not there (a closed loop has no rate, an open one is not
// driven by its workers).
double load_place(const struct load_point *point, enum load_axis axis);

// Keeps only those that belong in one picture: from scenarios that differ in nothing else that
// bears on costs, but for the number of locks if the axis is that of the workers. Where several
// sets of scenarios could be, the one with most points; schemes of a single point are left out.
// None are left if there is nothing to compare. Points are then sorted by their place on the axis.
void load_points_choose(struct load_points *points, enum load_axis axis);

#endif
