// What is told of what a lock cost: each figure once, for the terminal, Markdown, the page,
// thresholds and `lockpick compare`. A new one is a row of figures.c.
#ifndef LOCKPICK_REPORT_FIGURES_H
#define LOCKPICK_REPORT_FIGURES_H

#include "harness/report/costs.h"

enum figure {
    FIGURE_RATE, // grants each second
#define X(id, name, share) FIGURE_ACQUIRE_##id,
    PERCENTILES(X)
#undef X
        FIGURE_HAND_OFF_p50,
    FIGURE_HAND_OFF_p99,
    FIGURE_COMMANDS, // to servers, for each grant
    FIGURE_JAIN,
    FIGURE_RELEASE_p50,
    FIGURE_RELEASE_p99,
    FIGURE_RELEASE_max,
    FIGURE_HOLD_p50,
    FIGURE_HOLD_p99,
    FIGURE_HOLD_max,
    FIGURE_TURN_p50, // hand-off once more, beside release and hold
    FIGURE_TURN_p99,
    FIGURE_TURN_max,
    FIGURE_ATTEMPTS, // for each grant
    FIGURE_VIOLATIONS,
    FIGURE_LONGEST_WAIT,
    FIGURE_RECOVERY,
    FIGURE_UNAVAILABLE,
    FIGURE_EXPIRED,
    FIGURE_COUNT
};

// Where a figure is told.
enum figure_place {
    IN_TERMINAL = 1 << 0,
    IN_MARKDOWN = 1 << 1,
    IN_SPEEDS = 1 << 2, // "What each lock cost" of the page
    IN_TURNS = 1 << 3,  // "Release, hold, hand-off and shares" of the page
    IN_COMPARISON = 1 << 4,
};

struct figure_form {
    const char *group;    // of several beside each other: "acquire"; "": it stands alone
    const char *title;    // of a number; '\n' where a narrow column may break it
    const char *brief;    // in the terminal and in Markdown; NULL: the title
    const char *markdown; // in Markdown; NULL: as in the terminal
    const char *key;      // in a trial's `statistics` of result.json: a number, or
                          // percentiles,
    int percentile;       // of which it is that one, an enum percentile; -1: a number
    enum latency latency; // of these percentiles
    const char *format;   // of a number; NULL: as a rate
    double (*value)(const struct scheme_cost *cost); // a number; NaN: not measured
    enum metric metric;              // of thresholds, of a number; 0, which is no number: none
    const char *if_none;             // why a threshold of it is not measured; NULL: there was none
    bool more_is_better, is_neither; // of two figures
    bool may_lack;   // of two schemes, one may ask no server, or let nobody wait: that is no lack
    unsigned places; // bits of enum figure_place
};

extern const struct figure_form figure_forms[FIGURE_COUNT];

// "locks/s", "p99.9", "commands\na lock".
const char *figure_title(enum figure figure);

// "locks/s", "acquire p99", ...
const char *figure_name(enum figure figure, char *out, size_t room);

// True if it is told in that place.
static inline bool figure_is(enum figure figure, enum figure_place place)
{
    return (figure_forms[figure].places & place) != 0;
}

// NaN if it was not measured; `strictly`, also if there are too few values for
// such a percentile.
double figure_of(enum figure figure, const struct scheme_cost *cost, bool strictly);

// True if the figure tells of the driver in some repeat.
bool figure_is_drivers(enum figure figure, const struct scheme_cost *cost);

// The row of a metric that is no latency.
const struct figure_form *figure_form_of(enum metric metric);

// "3.25 ms", "61,200", "0.98"; "–" of a NaN.
const char *figure_text(enum figure figure, double value, char *out, size_t room);

#endif
