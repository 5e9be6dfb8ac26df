// A timeline: a row for each who holds, and in it bars, lines and marks. Of a trial
// (timeline_trial.c) and of what a model found (timeline_model.c).
#ifndef LOCKPICK_REPORT_TIMELINE_H
#define LOCKPICK_REPORT_TIMELINE_H

#include "harness/report/pictures/axis.h"

#define TIMELINE_ROWS 12

// What a timeline shows, in the order of its legend.
enum look {
    LOOK_WAITS,
    LOOK_RELEASES, // from the invocation of a release to its return
    LOOK_POSSIBLE, // how far a hold may have reached
    LOOK_POSSIBLE_SHARED,
    LOOK_HOLDS,
    LOOK_CERTAIN, // how far a hold reached under any linearization
    LOOK_CERTAIN_SHARED,
    LOOK_LEASES,
    LOOK_OVERLAPS,   // the parts of holds during which another one lasted, but for the evidence
    LOOK_DEAD,       // from the death of a holder until somebody else is granted
    LOOK_MAYBE_DEAD, // the same of one that died acquiring or releasing, if nobody is any more
    LOOK_UNANSWERED, // an acquire that may have got it at any time since
    LOOK_REFUSAL,
    LOOK_STRAY, // a release of what was not held
    LOOK_READ,
    LOOK_WRITE,
    LOOK_REFUSED,
    LOOK_LONG_WRITE, // from where it was sent to its answer
    LOOK_FAULT,      // it struck whose row this is
    LOOK_VIOLATION,
    LOOK_DEATH,
    LOOK_COUNT
};

// One panel of a timeline.
struct timeline {
    struct axis axis;
    bool *seen; // by look: what the legend is to explain
};

enum side { SIDE_LEFT, SIDE_CENTRE, SIDE_RIGHT };

// Adds a bar, a line or a mark. `value` is that which a mark stands for; of a bar, how many others
// of its row it lies in.
void timeline_add(struct timeline *timeline, enum look look, size_t row, int64_t from, int64_t to,
                  int64_t value);

// Words to the left of a time, around it or right of it; `above` the middle of a row (from 1) is
// in heights of one.
void timeline_say(struct timeline *timeline, enum side side, int64_t at, double row, double above,
                  unsigned colour, const char *words);

void timeline_name_row(struct timeline *timeline, size_t row, const char *name);

// A tint behind so many rows, in which something is violated.
void timeline_tint(struct timeline *timeline, int64_t from, int64_t to, size_t rows);

// Ends a panel of so many rows.
void timeline_end(struct timeline *timeline, size_t rows);

// What is seen, in as many lines as it takes.
void timeline_legend(struct picture *picture, const bool *seen);

#endif
