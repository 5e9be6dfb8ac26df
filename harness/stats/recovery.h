// How a lock got over each fault: how soon it was granted again, and for how long it was not.
#ifndef LOCKPICK_STATS_RECOVERY_H
#define LOCKPICK_STATS_RECOVERY_H

#include "harness/check/check.h"

// TIME_NEVER: there was no such grant before the end of the trial, or the fault was never healed.
struct recovery {
    int fault;               // its number in the scenario
    int64_t after_effect_ns; // from its taking effect to the first grant after it
    int64_t after_heal_ns;   // from its healing, likewise
    // The longest time in which nobody was granted the lock although somebody wanted it, from the
    // fault's taking effect until the next fault's, or the trial's end. A worker wants it from its
    // asking to its grant, and from there on too if it gave up, until anybody's next grant. That
    // somebody holds the lock is no excuse, so a lock that nothing ails has one as long as a hold.
    // Workers that the fault itself cut off count: to whoever needs the lock it is not there.
    int64_t unavailable_ns;
};

// Of the faults that took effect, in the order of the scenario.
//
// Of several locks, each is looked at for itself, and each figure is the worst of any. There a time
// to the next grant counts only for locks that somebody wanted afterwards, and from when somebody
// did: that nobody asked for one of many is no loss. One that was wanted, and never granted, makes
// it TIME_NEVER, unless whoever wanted it was cut off by the end of the trial within
// lock.stuck-after: that tells nothing of it, and the others decide.
struct recoveries {
    struct recovery items[MOST_FAULTS];
    size_t count;
};

// O(n log n) of the acquires.
void recoveries_measure(const struct trial_model *model, struct recoveries *recoveries);

#endif
