// Whether a stale holder is to be blamed on the lock or on the machine that the trial ran on.
#ifndef LOCKPICK_CHECK_STALE_HOLDER_H
#define LOCKPICK_CHECK_STALE_HOLDER_H

#include "harness/check/check.h"

// How long its client, or the servers, or the machine stood still (see stalls.h) while the hold's
// lease ran and until `until_ns`, if that could explain that it outlived its lease and coexisted
// from `from_ns` to `until_ns` with another; else 0. It could if
//  - without it the hold would have been over before: it is as long as the overrun. Stalls while a
//    fault stopped the holder do not count; or
//  - the lease is renewed, and it is a third of a lease before that ran out: that is what a renewal
//    may be late.
// It need not, and so does not, if the hold would have outlived its lease all the same: the work is
// longer than a lease that nobody renews; or a fault took the lock from the servers meanwhile; or a
// fault stopped the holder, or severed its wires, from before the lease's end until the other was
// granted, however late the conductor ended it. That other clients were killed, that one worker
// stands still beside a watchdog that renews, and whatever else strikes, explains nothing.
int64_t stall_to_blame_ns(const struct digest *digest, const struct hold *hold, int64_t from_ns,
                          int64_t until_ns);

#endif
