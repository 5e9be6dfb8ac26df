// Times at which the machine, and the harness with it, stood still.
#ifndef LOCKPICK_CHECK_STALLS_H
#define LOCKPICK_CHECK_STALLS_H

#include "harness/check/check.h"

// How long it stood still between the two times; 0 if the second is the earlier one.
// O(log stalls + those in between).
int64_t stalled_ns(const struct digest *digest, int64_t from_ns, int64_t to_ns);

// The longest stall of the trial, which the next one, not recorded yet, may be as long as; 0 if
// there was none.
int64_t longest_stall_ns(const struct digest *digest);

#endif
