// What a lock promises, of all that a schedule can break: what its traits admit is no bug.
#ifndef LOCKPICK_EXPLORE_PROMISES_H
#define LOCKPICK_EXPLORE_PROMISES_H

#include "harness/run/replay.h"

// What a schedule is made of.
struct tally {
    int faults, leases, timers, crashes, clocks, rare;
    int faults_of[CLIENT_THREADS]; // that struck threads of that kind
    bool forgets;                  // a server lost what it had
    bool cuts_off;                 // it restarted, and all connections to it are lost
    bool fails_over;               // or the last of it, to its replica
};

struct tally tally_of(const struct schedule_moves *schedule);

// The property that the judgement says is broken although the lock promises it, or NULL. `admits`
// (may be NULL) is set to a property that is broken as the lock's traits admit, if there is one.
const struct check *search_broken(const struct replay *replay, const struct trial *trial,
                                  const struct schedule_moves *schedule,
                                  const struct judgement *judgement, const struct check **admits);

#endif
