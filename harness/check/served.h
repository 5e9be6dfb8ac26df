// Whether everybody who asked for the lock was served. A lock that lets one client in and turns all
// others away keeps every property, and nothing was tried.
#ifndef LOCKPICK_CHECK_SERVED_H
#define LOCKPICK_CHECK_SERVED_H

#include "harness/check/check.h"

// True if each client that asked without a fault has held the lock, few acquires without a fault
// came back without an answer, and some who had to wait were granted it. Else `reason` (of `room`
// bytes) says in one sentence, with the counts, which of them is not so. O(n log n) of the
// acquires.
//
// Without a fault: none was on, or being recovered from, between an acquire's invoke and return.
// Whoever lost the race for a lock that others held all the time was not turned away. Stalls excuse
// nothing: whatever kept a client from the lock, it was not seen to get it.
bool everybody_was_served(const struct digest *digest, char *reason, size_t room);

#endif
