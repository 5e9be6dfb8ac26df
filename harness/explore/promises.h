// What a lock promises, of all that a schedule can break: what its traits admit is no bug.
#ifndef LOCKPICK_EXPLORE_PROMISES_H
#define LOCKPICK_EXPLORE_PROMISES_H

#include "harness/explain/diagnosis.h"
#include "harness/run/replay.h"

// What a schedule is made of.
struct move_tally {
    int faults, leases, timers, crashes, clocks, rare;
    int faults_of[CLIENT_THREADS]; // that struck threads of that kind
    bool forgets;                  // a server lost what it had
    bool prolongs;                 // or has it for longer than was asked for
    bool cuts_off;                 // it restarted, and all connections to it are lost
    bool fails_over;               // or the last of it, to its replica
};

struct move_tally tally_of(const struct schedule_moves *schedule);

// What a schedule has broken: a property, and what that came from.
struct breach {
    size_t property; // in check_catalogue
    enum root_cause cause;
    enum move_kind forgets; // of ROOT_FORGOT: the first move by which a server lost what it had
    bool is_admitted;       // by the lock's traits: it is no bug
};

static inline const struct check *breach_check(const struct breach *breach)
{
    return check_catalogue[breach->property];
}

// True if both are the same, whatever schedule shows them.
bool breach_is(const struct breach *one, const struct breach *other);

// Appends what it came from: "removed", or "server-forgot: a server evicts the lock".
void breach_tell_cause(const struct breach *breach, struct text *out);

// What was judged last has broken, first what the lock promises; what is proven to follow from
// another has no place of its own. Returns how many.
size_t breaches_of(const struct replay *replay, const struct trial *trial,
                   const struct schedule_moves *schedule, const struct judgement *judgement,
                   struct breach breaches[MAX_CHECKS]);

#endif
