// The counted time: what costs are measured in. A trial whose load has phases counts those that are
// no warm-up; any other counts from the barrier to the stop.
#ifndef LOCKPICK_CHECK_COUNTED_H
#define LOCKPICK_CHECK_COUNTED_H

#include "harness/check/check.h"

// True if it lies in the counted time. Of a trial without phases, everything does.
bool counted_at(const struct digest *digest, int64_t at_ns);

// An operation belongs to the phase in which it was to begin: in an open loop that is before its
// invocation, if nobody was free.
bool counted_hold(const struct digest *digest, const struct hold *hold);
bool counted_attempt(const struct digest *digest, const struct attempt *attempt);

// How long the counted time is, and when the last of it ends.
int64_t counted_ns(const struct digest *digest);
int64_t counted_end_ns(const struct digest *digest);

#endif
