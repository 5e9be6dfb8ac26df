// A row for each scheme, sorted, with a span and a point in it: what the pictures of hand-off and
// of fairness share.
#ifndef LOCKPICK_REPORT_ROW_PICTURE_H
#define LOCKPICK_REPORT_ROW_PICTURE_H

#include "harness/report/chart.h"

#define ROW_MOST_PANELS 2

// In one panel of a row; NaN: not known, and not drawn.
struct row_value {
    double at;       // the point
    double from, to; // the span
};

struct row {
    const char *scheme;
    char *name;   // at its left. Owned
    double order; // the least comes first
    struct row_value values[ROW_MOST_PANELS];
    char figures[80]; // in words, at the right
};

struct row_panel {
    const char *title;
    const char *data; // what it shows, in the data
    struct chart_axis axis;
    double least; // of the axis, if nothing is less; NaN: whatever is least
    double guide; // a line at that value; NaN: none
};

struct row_kind {
    const char *name;  // of the picture's files
    const char *title; // in the picture
    struct row_panel panels[ROW_MOST_PANELS];
    size_t panel_count;
    // Whether a scenario without faults has anything of the kind.
    bool (*takes)(const struct scenario *scenario);
    // Measures the scheme whose first trial has that index; all values are NaN before. False: there
    // is nothing.
    bool (*measure)(const struct run_result *run, size_t index, struct row *row);
    // Notes below the title.
    const char *note;
    // What the best and the worst row of a scenario tell, for the alternative text.
    void (*describe)(const struct row *best, const struct row *worst, struct text *out);
};

// Draws the run's scenarios without faults, a panel below the other, as many as there is room for.
// False if no scenario has two rows.
bool row_picture_draw(const struct row_kind *kind, const struct run_result *run,
                      struct drawing *drawing);

#endif
