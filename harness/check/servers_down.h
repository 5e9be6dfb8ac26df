// How many of the lock's servers faults had taken down.
#ifndef LOCKPICK_CHECK_SERVERS_DOWN_H
#define LOCKPICK_CHECK_SERVERS_DOWN_H

#include "harness/check/check.h"

// If at some time from `from_ns` to `to_ns` faults had killed or stopped so many of the lock's
// servers that the others could serve nobody, appends how many of how many to `out` (of `room`
// bytes), as a part of a sentence: "; 2 of 3 servers were down (faults 1, 2)". True if so.
bool servers_down_tell(const struct digest *digest, int64_t from_ns, int64_t to_ns, char *out,
                       size_t room);

#endif
