// How long an operation on a lock may take before it is given up.
#ifndef LOCKPICK_SCENARIO_PATIENCE_H
#define LOCKPICK_SCENARIO_PATIENCE_H

#include "harness/scenario/scenario.h"

// The most that one operation may still have to wait for: acquire, give back, read, write, release,
// each perhaps after a new connection and a script sent whole.
#define REQUESTS_PER_OPERATION 15

// A release whose requests time out as they should has come back by then, whatever answers them;
// one that has not is not coming back. In nanoseconds, from when the last fault was over.
static inline int64_t longest_release_ns(const struct lock_settings *lock)
{
    int64_t requests_ns = REQUESTS_PER_OPERATION * lock->request_ns;
    return requests_ns > lock->stuck_after_ns ? requests_ns : lock->stuck_after_ns;
}

#endif
