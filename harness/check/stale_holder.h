// Whether a stale holder is to be blamed on the lock or on the machine that the trial ran on.
#ifndef LOCKPICK_CHECK_STALE_HOLDER_H
#define LOCKPICK_CHECK_STALE_HOLDER_H

#include "harness/check/check.h"

// The longest stall of the harness between the hold's grant and `until_ns`, if it is longer than
// half the lease and no fault of the scenario was in effect on the holder meanwhile; else 0. Such a
// hold outlived its lease because the machine stood still, not because anything was tried on it.
int64_t stall_to_blame_ns(const struct digest *digest, const struct hold *hold, int64_t until_ns);

#endif
