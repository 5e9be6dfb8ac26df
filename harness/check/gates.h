// What must be proven before a trial without violations may be called SAFE.
#ifndef LOCKPICK_CHECK_GATES_H
#define LOCKPICK_CHECK_GATES_H

#include "harness/check/check.h"

// True if every gate is open. Else `reason` (of `room` bytes) says in one sentence which is not:
// a fault that did not take effect, a fault under no traffic, no hold at all, a client that asked
// and never held (served.h), a trial that ended otherwise than planned.
bool gates_open(const struct digest *digest, char *reason, size_t room);

// How many faults were drawn, and how many of them took effect and met something: of the others
// nothing is asked.
size_t drawn_faults(const struct digest *digest, size_t *struck);

// True if some fault of the scenario never took effect, and of those that were drawn none did;
// `what` says which.
bool fault_was_absent(const struct digest *digest, char *what, size_t room);

// True if a fault that takes a server down was tried and failed, or one that makes a server refuse
// or stand still did not end: servers are not as they should be again. That may keep everybody from
// the lock, and says nothing about the lock. `reason` says which, and what was met.
bool servers_were_left_down(const struct digest *digest, char *reason, size_t room);

// True if the history is all that was written. Else `reason` says what is lost, and that therefore
// what it does not show may have been.
bool history_is_whole(const struct digest *digest, char *reason, size_t room);

// True if what is lost may have said that the machine, not the lock, is to blame for a lease that
// was outlived; `reason` says so.
bool machine_may_be_to_blame(const struct digest *digest, char *reason, size_t room);

// True if two different workers held the lock or tried to: with one alone even no lock is safe.
// Else `reason` says so.
bool was_contended(const struct digest *digest, char *reason, size_t room);

// True if some request failed for reasons of the harness itself (OUTCOME_BROKEN); `reason` says how
// many did.
bool harness_was_broken(const struct digest *digest, char *reason, size_t room);

// True if somebody set the machine's clock during the trial of a lock whose server expires its
// lease by that clock: nothing about the lease is proven then. Sets the reason.
bool clock_was_set(const struct digest *digest, char *reason, size_t room);

#endif
