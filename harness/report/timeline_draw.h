// Putting spans and marks of a timeline into data sets and plot commands.
#ifndef LOCKPICK_REPORT_TIMELINE_DRAW_H
#define LOCKPICK_REPORT_TIMELINE_DRAW_H

#include "harness/report/plot.h"
#include "harness/report/timeline.h"

struct drawing {
    struct plot *plot;
    const struct digest *digest;
    const struct timeline_window *window;
    struct text commands; // of the plot command, joined by commas
    int index;            // of the next data set
};

// A data set begins, its lines are added to the plot's data, and it ends with how to plot it.
void drawing_begin_set(struct drawing *drawing, const char *name, const char *columns);
void drawing_end_set(struct drawing *drawing, const char *command);

// Adds the spans of one kind. Returns below what distance they were joined, 0 if none were.
int64_t drawing_add_spans(struct drawing *drawing, enum timeline_kind kind);

// Adds a mark for each read and write, with its entry in the legend; of the evidence only, if all
// would be too many.
void drawing_add_marks(struct drawing *drawing);

#endif
