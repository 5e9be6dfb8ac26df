// What each scheme of a grid costs where nothing goes wrong.
#ifndef LOCKPICK_REPORT_GRID_COSTS_H
#define LOCKPICK_REPORT_GRID_COSTS_H

#include "harness/report/scheme_grid.h"

struct grid_cost {
    struct grid_cell cell; // the verdict where it was measured
    bool is_measured;
    double rate; // locks/s, the median of the repeats
    bool has_latency;
    int64_t p99_ns;       // of acquire, from the merged histograms of the repeats
    bool is_driver_bound; // some repeat was
    bool is_late;         // or in some repeat, p99 tells of the driver
};

struct grid_costs {
    const struct scenario *scenario; // where all of it was measured; NULL: nowhere
    struct grid_cost *rows;          // of the grid's rows
    bool any_driver_bound;
};

// From one of the scenarios that cost_choice_make puts first, as figures of different scenarios
// cannot be compared: that where the most workers go for one lock. If it measured less than half of
// the grid's schemes, from none. Free with grid_costs_free.
void grid_costs_make(const struct run_result *run, const struct scheme_grid *grid,
                     struct grid_costs *costs);
void grid_costs_free(struct grid_costs *costs);

#endif
