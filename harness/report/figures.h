// What is told of what a lock cost: each figure once, for the terminal, Markdown, the page,
// thresholds and `lockpick compare`.
#ifndef LOCKPICK_REPORT_FIGURES_H
#define LOCKPICK_REPORT_FIGURES_H

#include "harness/report/run_report.h"

// A new one is a row of figures.c.
enum figure { FIGURE_RATE /* grants each second */, FIGURE_COUNT = 32 };

// Where a figure is told.
enum figure_place {
    IN_TERMINAL = 1 << 0,
    IN_MARKDOWN = 1 << 1,
    IN_SPEEDS = 1 << 2, // "What each lock cost" of the page
    IN_TURNS = 1 << 3,  // "Release, hold, hand-off and shares" of the page
    IN_COMPARISON = 1 << 4,
    IN_LEADERS = 1 << 5, // "Leaders"
};

struct figure_form {
    enum latency latency;                            // without a `value`, a percentile
    enum percentile percentile;                      // of this latency
    double (*value)(const struct scheme_cost *cost); // a number; NaN: not measured
    const char *title;               // of a number; '\n' where a narrow column may break it
    const char *brief;               // in the terminal and in Markdown; NULL: the title
    const char *markdown;            // in Markdown; NULL: as in the terminal
    const char *key;                 // of a number in a trial's `statistics` of result.json
    const char *format;              // of a number; NULL: as a rate
    enum metric metric;              // of thresholds, of a number; 0, which is no number: none
    const char *if_none;             // why a threshold of it is not measured; NULL: there was none
    bool is_time;                    // a number of nanoseconds
    bool more_is_better, is_neither; // of two figures
    bool may_lack;   // of two schemes, one may ask no server, or let nobody wait: that is no lack
    unsigned places; // bits of enum figure_place
};

extern const struct figure_form figure_forms[FIGURE_COUNT];

// "locks/s", "p99.9", "commands\na lock"; and of several beside each other what they have in
// common, "acquire", or NULL: it stands alone.
const char *figure_title(enum figure figure);
const char *figure_group(enum figure figure);

// True if it is told in that place; if it is a percentile of the acquire latency.
bool figure_is(enum figure figure, enum figure_place place);
bool figure_is_acquire(enum figure figure);

// NaN if it was not measured; `strictly`, also if there are too few values for such a percentile.
double figure_of(enum figure figure, const struct scheme_cost *cost, bool strictly);

// The row of a metric that is no latency.
const struct figure_form *figure_form_of(enum metric metric);

#endif
