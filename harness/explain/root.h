// What a violation comes from.
#ifndef LOCKPICK_EXPLAIN_EVIDENCE_ROOT_H
#define LOCKPICK_EXPLAIN_EVIDENCE_ROOT_H

#include "harness/explain/account.h"

// Sets the account's root, and with it the fault, the lengths and the culprit; brings the two holds
// into their order. All else must have been set before.
void account_find_root(struct account *account);

// The same where nobody is granted the lock.
void account_find_root_of_silence(struct account *account);

// An acquire that waits when the trial ends for want of a grant, and of which the history shows
// that it sleeps until it is woken: it asked hardly ever. An index into digest.attempts; SIZE_MAX
// if there is none.
size_t attempt_that_sleeps(const struct digest *digest);

// The fault that may have taken the lock from a hold before `until_ns`: a server that lost it, a
// clock that went wrong, a connection that ended; of several the gravest, and of those the latest.
// SIZE_MAX if there is none.
size_t fault_that_took_lock(const struct digest *digest, const struct hold *hold,
                            const struct hold *other, int64_t until_ns);

#endif
