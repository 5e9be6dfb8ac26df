// Figures against the size of the load, a curve for each scheme: what the pictures of clients and
// of rates share.
#ifndef LOCKPICK_REPORT_LOAD_PICTURE_H
#define LOCKPICK_REPORT_LOAD_PICTURE_H

#include "harness/report/chart_grid.h"
#include "harness/report/load_points.h"

enum load_value { LOAD_THROUGHPUT, LOAD_P50, LOAD_P99, LOAD_VALUES };

// One panel of each block.
struct load_panel {
    const char *title;            // NULL: none
    const struct scenario *locks; // only points of as many locks; NULL: all
    enum load_value value;
};

#define LOAD_MOST_PANELS 6

// Panels lie row by row.
struct load_layout {
    enum load_axis axis;
    const char *axis_label;
    struct load_panel panels[LOAD_MOST_PANELS];
    size_t wide, high;
};

// True if both scenarios have as many locks, as often taken.
bool load_same_locks(const struct scenario *a, const struct scenario *b);

// A title, and behind it the names of the scenarios that the points are of.
void load_picture_title(struct chart *chart, const char *what, const struct load_points *points);

// Draws chosen points, sorted, below what the chart has. Points at which the offered rate was not
// held get a ring.
void load_picture_draw(struct chart *chart, const struct load_points *points,
                       const struct load_layout *layout);

// Notes for below: what was left out or is driver-bound.
void load_picture_notes(struct chart *chart, const struct load_points *points);

// Has a run's points along the axis drawn by `draw`. False if there are none.
bool load_picture_of_run(const struct run_result *run, enum load_axis axis,
                         void (*draw)(const struct load_points *points, struct drawing *drawing),
                         struct drawing *drawing);

// How many schemes there are, and in how many places on the axis.
size_t load_scheme_count(const struct load_points *points);
size_t load_place_count(const struct load_points *points, enum load_axis axis);

#endif
