// Schedules that are drawn, where there are too many for all: which of the moves that can be made
// is the next one.
//
// Which thread goes on is drawn by priorities: a new one for each step that it makes (basic
// partial-order sampling: Yuan et al., CAV 2018), or one for the whole schedule but for a few
// changes (PCT: Burckhardt et al., ASPLOS 2010). Faults, leases that pass and timers come at places
// that are drawn beforehand, as many as may be: drawn among all moves, they would all come first.
#ifndef LOCKPICK_EXPLORE_SAMPLING_H
#define LOCKPICK_EXPLORE_SAMPLING_H

#include "harness/base/random.h"
#include "harness/run/threads.h"

enum sampling_kind {
    SAMPLING_UNIFORM, // each move like any other: the yardstick
    SAMPLING_POS,
    SAMPLING_PCT,
};

struct sampling {
    struct random random;
    size_t length; // of a schedule, about
    // Of the schedule that is drawn:
    enum sampling_kind kind;
    size_t at;
    // Of each class, the moves that are due from there on; of CLASS_STEP, changes of priority.
    int planned[MOST_MOVES][CLASS_WAIT];
    int due[CLASS_WAIT];
    uint64_t priorities[MOST_EXPLORED_CLIENTS + 1][CLIENT_THREADS];
};

void sampling_start(struct sampling *sampling, uint64_t seed);

// Before a schedule with so many moves of each class.
void sampling_begin(struct sampling *sampling, enum sampling_kind kind, const int most[CLASS_WAIT]);

// The next of those moves, by its number; `count`: none of them is.
size_t sampling_next(struct sampling *sampling, const struct move *moves, size_t count);

#endif
