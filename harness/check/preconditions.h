// What must be proven before a trial without violations may be called SAFE. Each says in one
// sentence why not; it leaves `why` alone if there is nothing to say.
#ifndef LOCKPICK_CHECK_PRECONDITIONS_H
#define LOCKPICK_CHECK_PRECONDITIONS_H

#include "harness/check/check.h"

// True if the trial ended as planned, each fault took effect and met traffic, somebody held the
// lock, and everybody was served: each client that asked without a fault has held the lock, few
// acquires without a fault came back without an answer, and some who had to wait were granted it.
// (A lock that lets one client in and turns all others away keeps every property, and nothing was
// tried.)
bool preconditions_hold(const struct trial_model *model, struct text *why);

// How many faults were drawn, and how many of them took effect and met something: of the others
// nothing is asked.
size_t drawn_faults(const struct trial_model *model, size_t *struck);

// True if some fault of the scenario never took effect, and of those that were drawn none did;
// `what` says which.
bool fault_was_absent(const struct trial_model *model, struct text *what);

// True if a fault that takes a server down was tried and failed, or one that makes a server refuse
// or stand still did not end: servers are not as they should be again. That may keep everybody from
// the lock, and says nothing about the lock.
bool servers_were_left_down(const struct trial_model *model, struct text *why);

// True if two different workers held the lock or tried to: with one alone even no lock is safe.
bool was_contended(const struct trial_model *model, struct text *why);

// If at some time from `from_ns` to `to_ns` faults had killed or stopped so many of the lock's
// servers that the others could serve nobody, appends how many of how many, as a part of a
// sentence: "; 2 of 3 servers were down (faults 1, 2)".
void tell_servers_down(const struct trial_model *model, int64_t from_ns, int64_t to_ns,
                       struct text *out);

#endif
