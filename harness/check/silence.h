// The silence at the end of a history: since when the lock has been free for anybody to take, and
// who waited for it since.
#ifndef LOCKPICK_CHECK_SILENCE_H
#define LOCKPICK_CHECK_SILENCE_H

#include "harness/check/check.h"

// What the silence began with.
enum silence_cause {
    SILENCE_START,          // nobody has held the lock yet
    SILENCE_RELEASED,       // it was released
    SILENCE_DIED_HOLDING,   // its holder died
    SILENCE_DIED_RELEASING, // its holder died while releasing
    SILENCE_EXPIRED,        // the lease of a holder that still lives ran out
    SILENCE_LOST_RELEASE,   // nobody knows whether the release happened
    SILENCE_DIED_ACQUIRING, // a worker died that may have got the lock
    SILENCE_LOST_ACQUIRE,   // nobody knows whether an acquire happened
    SILENCE_FAULT,          // a fault took effect
    SILENCE_HEALED,         // a fault was over
};

// The last moment from which on the lock was free, or should have become free within its lease.
//
// Where nobody's acquire was answered for longer than lock.stuck-after and no fault lasted
// (`unanswered`), acquires and releases without an answer do not begin the silence anew: if each of
// them had got the lock, or kept it, that would still be nobody served, and clients that time out
// again and again would never let such a silence become long.
struct silence {
    enum silence_cause cause;
    bool unanswered;
    int64_t from_ns; // TIME_NEVER: somebody living holds the lock
    size_t hold;     // whose end it was; SIZE_MAX
    size_t attempt;  // which acquire it was; SIZE_MAX
    int worker;      // whose acquire; 0: any of its client's, which died together in theirs
    size_t fault;    // index into digest.faults; SIZE_MAX
};

struct silence silence_find(const struct digest *digest);

// True if the lock was certainly free during the silence: the servers did not have it as soon as
// all clients had ended, and nothing can have freed it in the meantime (no fault lasted until then;
// `lost_answer`: nor did a session end with it that may have had the lock unknowingly).
bool silence_was_free(const struct digest *digest, bool lost_answer);

// The last fault that may have taken a semaphore's permits from a server: without its counter the
// servers have nobody as its holder, and still nobody gets a permit. An index into digest.faults;
// SIZE_MAX if there is none, or the lock is no semaphore.
size_t silence_lost_permits(const struct digest *digest);

// Who waited during a silence: living workers that no fault stopped.
struct waiting {
    int64_t waited_ns; // how long at least one of them waited
    int64_t until_ns;  // the last moment at which one of them did
    size_t workers;
    size_t to_the_end;     // of those, how many waited until that last moment
    bool stopped_may_hold; // a worker that a fault stops inside its acquire may have got the lock
};

// True if the fault, while it is in effect, stops the worker or cuts it off.
bool fault_holds_up(const struct digest *digest, const struct fault_step *step, int client,
                    int worker);

struct waiting waiting_find(const struct digest *digest, const struct silence *silence);

#endif
