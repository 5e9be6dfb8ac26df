// The trials of a run as a table: a row for each scheme, a column for each scenario with faults.
#ifndef LOCKPICK_REPORT_SCHEME_GRID_H
#define LOCKPICK_REPORT_SCHEME_GRID_H

#include "harness/report/report.h"

// The trials of one scheme in one scenario.
struct grid_cell {
    size_t trials; // 0: there are none
    enum verdict worst;
    size_t alike;       // trials with that verdict
    const char *broken; // the gravest property found broken in the first of them, or NULL
};

// Rows of the same kind of server are together, in the order of the run.
struct scheme_grid {
    struct grid_row {
        const char *scheme;
        const char *group; // scheme_kind_name
    } * rows;
    size_t row_count;
    const struct scenario **columns; // in the order of the run
    size_t column_count;
    struct grid_cell *cells; // row by row
};

// Of the schemes with trials under faults. Free with scheme_grid_free.
void scheme_grid_make(const struct run_result *run, struct scheme_grid *grid);
void scheme_grid_free(struct scheme_grid *grid);

const struct grid_cell *scheme_grid_cell(const struct scheme_grid *grid, size_t row, size_t column);

// Adds a trial to its cell. Of several the gravest verdict counts.
void grid_cell_add(struct grid_cell *cell, const struct judgement *judgement);

// The row of a scheme; `row_count` if it has none.
size_t scheme_grid_row(const struct scheme_grid *grid, const char *scheme);

// What each scheme of a grid costs where nothing goes wrong.
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
