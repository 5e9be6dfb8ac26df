// Nobody is granted the lock any more, or a release does not come back.
#ifndef LOCKPICK_CHECK_STUCK_H
#define LOCKPICK_CHECK_STUCK_H

#include "harness/check/check.h"

// --- the no-progress interval at the end: since when the lock has been free for anybody to take,
// and who waited for it since

// What the no-progress interval began with.
enum no_progress_cause {
    NO_PROGRESS_START,          // nobody has held the lock yet
    NO_PROGRESS_RELEASED,       // it was released
    NO_PROGRESS_DIED_HOLDING,   // its holder died
    NO_PROGRESS_DIED_RELEASING, // its holder died while releasing
    NO_PROGRESS_EXPIRED,        // the lease of a holder that still lives ran out
    NO_PROGRESS_LOST_RELEASE,   // nobody knows whether the release happened
    NO_PROGRESS_DIED_ACQUIRING, // a worker died that may have got the lock
    NO_PROGRESS_LOST_ACQUIRE,   // nobody knows whether an acquire happened
    NO_PROGRESS_FAULT,          // a fault took effect
    NO_PROGRESS_HEALED,         // a fault was over
};

// The last moment from which on the lock was free, or should have become free within its lease.
//
// Where nobody's acquire was answered for longer than lock.stuck-after and no fault lasted
// (`unanswered`), acquires and releases without an answer do not begin the no-progress interval
// anew: if each of them had got the lock, or kept it, that would still be nobody served, and
// clients that time out again and again would never let such a no-progress interval become long.
struct no_progress {
    enum no_progress_cause cause;
    bool unanswered;
    int64_t from_ns;            // TIME_NEVER: somebody living holds the lock
    const struct hold *hold;    // whose end it was; NULL
    const struct hold *attempt; // which acquire it was; NULL
    int worker; // whose acquire; 0: any of its client's, which died together in theirs
    const struct fault_record *fault; // NULL
};

struct no_progress no_progress_find(const struct trial_model *model);

// True if the lock was certainly free during the no-progress interval: the servers did not have it
// as soon as all clients had ended, and nothing can have freed it in the meantime (no fault lasted
// until then; `lost_answer`: nor did a session end with it that may have had the lock unknowingly).
bool no_progress_while_free(const struct trial_model *model, bool lost_answer);

// The last fault that may have taken a semaphore's permits from a server: without its counter the
// servers have nobody as its holder, and still nobody gets a permit. NULL if there is none, or the
// lock is no semaphore.
const struct fault_record *no_progress_lost_permits(const struct trial_model *model);

// Who waited during a no-progress interval: living workers that no fault stopped.
struct waiting {
    int64_t waited_ns; // how long at least one of them waited
    int64_t until_ns;  // the last moment at which one of them did
    size_t workers;
    size_t to_the_end;     // of those, how many waited until that last moment
    bool stopped_may_hold; // a worker that a fault stops inside its acquire may have got the lock
};

struct waiting waiting_find(const struct trial_model *model, const struct no_progress *interval);

// --- a release that hangs

// A release that does not come back: asked for, and not answered to the end of the trial, although
// no fault was on and its requests, had they timed out, were long over.
//
// That says STUCK of its worker whether or not others were granted the lock meanwhile: who waits
// for a lock may be unlucky, who gives one back may not. It is exact as far as each of these is
// allowed for: servers that are slow or down (all that a release may send has had time to time out,
// one request after the other); a fault that was on, or has just been (the time counts from the end
// of the last one, and a network that was cut delays for as long again what was sent meanwhile, as
// TCP doubles its pauses); a machine that stood still; a client that died or is stopped; a release
// that was answered after the stop, or that only the end of the trial overtook; a history of which
// something is lost, or that another tool recorded, which says of no worker why it went silent.

struct hanging_release {
    size_t hold;     // whose release it is, an index into model.holds
    int64_t from_ns; // since when nothing but the lock kept its answer back
};

// The release that has been hanging for longest. False if none does. O(holds).
bool hanging_release_find(const struct trial_model *model, struct hanging_release *hanging);

// True if that is what the finding of the check `stuck` is about.
bool is_of_hanging_release(const struct trial_model *model, const struct finding *finding);

#endif
