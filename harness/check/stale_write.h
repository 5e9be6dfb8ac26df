// Writes that the store accepted outside their writer's exclusive time.
#ifndef LOCKPICK_CHECK_STALE_WRITE_H
#define LOCKPICK_CHECK_STALE_WRITE_H

#include "harness/check/check.h"

// How many there are; `first` (evidence: the write, its hold, the hold that was granted since, and
// with fencing the access that carried the newer token) is set if there is one.
int64_t stale_writes_find(const struct digest *digest, struct evidence *first);

#endif
