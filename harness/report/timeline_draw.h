// Putting spans and marks of a timeline into data sets and plot commands.
#ifndef LOCKPICK_REPORT_TIMELINE_DRAW_H
#define LOCKPICK_REPORT_TIMELINE_DRAW_H

#include "harness/explain/account.h"
#include "harness/report/plot.h"
#include "harness/report/timeline.h"

// Words about a bar are so much above the middle of their row.
#define WORDS_ABOVE 0.385

// What the legend may have to explain, in its order.
enum timeline_look {
    LOOK_BAR, // one for each kind of bar
    LOOK_READ = LOOK_BAR + TIMELINE_KIND_COUNT,
    LOOK_WRITE,
    LOOK_REFUSED,
    LOOK_LONG_WRITE,
    LOOK_FAULT,
    LOOK_VIOLATION,
    LOOK_COUNT
};

// One panel of the picture.
struct drawing {
    struct plot *plot;
    const struct digest *digest;
    const struct timeline_window *window;
    const struct account *account; // of the violation, or NULL
    struct text commands;          // of the plot command, joined by commas
    int index;                     // of the next data set
    bool seen[LOOK_COUNT];
    bool servers; // there is a row of servers, too
    bool widened; // some holds are too short to be seen, and are drawn wider
};

// A data set begins, its lines are added to the plot's data, and it ends with how to plot it.
void drawing_begin_set(struct drawing *drawing, const char *name, const char *columns);
void drawing_end_set(struct drawing *drawing, const char *command);

// Adds the spans of one kind. Returns below what distance they were joined, 0 if none were.
int64_t drawing_add_spans(struct drawing *drawing, enum timeline_kind kind);

// Adds a mark for each read and write; of the evidence only, if all would be too many.
void drawing_add_marks(struct drawing *drawing);

// Adds the values that the holds of the evidence read and wrote, where there is room for them.
void drawing_add_values(struct drawing *drawing);

// Adds a row of the faults that struck no client. False if there is none in the window.
bool drawing_add_servers(struct drawing *drawing);

// Adds a cross where a client died.
void drawing_add_deaths(struct drawing *drawing);

// Adds the evidence in the colour of the violation, behind it a tint, and its label above.
void drawing_add_violation(struct drawing *drawing);
void drawing_label_violation(struct drawing *drawing);

// The duration that is `pixels` wide.
int64_t drawing_pixels_ns(const struct drawing *drawing, int pixels);

#endif
