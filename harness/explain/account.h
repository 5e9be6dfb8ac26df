// The account of a violation: the two holds that prove it, what stretched the one or took the lock
// from it, why another was let in, what would have prevented it, and which other findings come of
// the same holds. Words, JSON and pictures are made of it, so that all three say the same.
#ifndef LOCKPICK_EXPLAIN_EVIDENCE_H
#define LOCKPICK_EXPLAIN_EVIDENCE_H

#include "harness/check/check.h"

// What it comes from.
enum root {
    ROOT_UNKNOWN,
    // A holder outlived its lease,
    ROOT_PAUSE,      // for it stood still
    ROOT_STALL,      // for the machine stood still
    ROOT_LATE_GRANT, // for the lease was over when it learned of its grant
    ROOT_WIRE,       // for its requests were held up
    ROOT_WORK,       // for its work took longer
    // A lock was taken from its holder,
    ROOT_REMOVED,    // by a release of another's
    ROOT_SERVER,     // by what struck a server, a clock, a connection
    ROOT_NODE_LOCAL, // or rather each server of a cluster has locks of its own
    // A lock lets two in,
    ROOT_STEPS,   // for its acquire takes several steps
    ROOT_LOCAL,   // for it is known to one process only
    ROOT_NO_LOCK, // for it is none
    // The lock kept them apart,
    ROOT_LATE_COMMIT, // but it was released before the commit
    ROOT_OLD_VIEW,    // but the value was seen as of before the grant
    // Somebody was refused, or given the wrong token.
    ROOT_DEPTH,
    ROOT_TOKEN,
    ROOT_STORE,
    // What a check explains by itself.
    ROOT_OF_CHECK,
    // Nobody is granted the lock,
    ROOT_DIED_HOLDING,   // for its holder died
    ROOT_DIED_ACQUIRING, // for a worker died that may have got it
    ROOT_LOST_RELEASE,   // for a release was not done
    ROOT_LOST_ACQUIRE,   // for an acquire was done, and nobody knows
    ROOT_DEAD_IN_LINE,   // for a worker died that stands in line for it
    ROOT_LEASE_STANDS,   // for the clock that the lease runs by went wrong
    ROOT_STRUCK,         // for a fault lasts
    ROOT_LOST_WAKE_UP,   // for whoever sleeps until it is woken was not woken
    ROOT_UNANSWERED,     // for no server answers
    ROOT_LOST_PERMITS,   // for a semaphore was lost with all its permits
    // Whoever gives it back waits for ever.
    ROOT_HANGING_RELEASE,
};

#define ACCOUNT_ROOM 480
#define ACCOUNT_OTHERS 8

struct account {
    const struct digest *digest;
    const struct judgement *judgement;
    const struct finding *finding; // the violation to be told first
    enum root root;
    size_t fault;    // index into digest.faults of what struck; SIZE_MAX
    size_t attempt;  // index into digest.attempts: who waits for what will never come; SIZE_MAX
    bool any_worker; // of that attempt's client: they died together in their acquires
    // Indices into digest.holds, SIZE_MAX where there is none: [0] is whose hold was stretched, or
    // whose lock was taken; [1] is who was let in, or did what it could not.
    size_t holds[2];
    // Of a semaphore: the other holds that had a permit when one too many was granted.
    size_t others[ACCOUNT_OTHERS];
    size_t other_count;
    size_t culprit;               // the hold whose release removed the lock of holds[0]; SIZE_MAX
    bool certainly;               // it certainly did; else it only may have
    int64_t length_ns;            // how long that which stretched the hold lasted; 0: nothing did
    int64_t overlap_ns;           // for how long both believed in their holds; 0: they did not
    bool harm;                    // some value was written or sold wrongly
    const char *also[MAX_CHECKS]; // other properties that the same holds broke
    size_t also_count;
    const char *besides[MAX_CHECKS]; // those that other holds broke
    size_t besides_count;
    char cause[ACCOUNT_ROOM];  // a sentence without its full stop
    char remedy[ACCOUNT_ROOM]; // one or more sentences
};

// False if the judgement has no violation to tell of.
bool account_make(const struct digest *digest, const struct judgement *judgement,
                  struct account *account);

// The sentences, of all else in the account; the second is part of the first.
void account_say(struct account *account);
void account_say_remedy(struct account *account);

// "pause", "late-grant", ...: the root's name for machines.
const char *root_name(enum root root);

// The fault that stretched a hold: stopped its worker, or held up what it sent, for longest while
// the hold lasted; SIZE_MAX if none did.
size_t hold_stretched_by(const struct digest *digest, const struct hold *hold);

// The fault that stopped the hold's worker for longest between two times; SIZE_MAX if none did.
size_t fault_that_stopped(const struct digest *digest, const struct hold *hold, int64_t from_ns,
                          int64_t to_ns);

// The commit of a hold's transaction: false if none was recorded after its release began.
bool hold_committed_late(const struct digest *digest, const struct hold *hold, int64_t *at_ns);

// Acknowledged increments that are not in the store's final value; 0 if that is not known, or if
// all are. `acknowledged` (or NULL) is how many there were.
int64_t increments_lost(const struct digest *digest, int64_t *acknowledged);

// The account for machines: the value of `evidence` in result.json, as documented in json.c. The
// caller frees it; "" if there is nothing to tell.
char *evidence_json(const struct digest *digest, const struct judgement *judgement);

#endif
