// The driver's own lateness in an open loop: how long after it could have begun an operation did.
//
// An operation is taken by a worker that is free, which waits until its time. If it was free by
// then, all that passes until the invocation is the driver's doing: a timer that fired late, a
// processor that was busy. If it was not, nobody was (else another had taken it): the wait for a
// free worker is the lock's slowness, and only what passes after the worker became free is the
// driver's. A worker is free once its last operation has been released, or was given up, and it has
// thought; one whose last operation began late is held to have been free as much sooner, counted or
// not, so that one delay of the driver is found in all that queued up behind it.
#ifndef LOCKPICK_REPORT_LATENESS_H
#define LOCKPICK_REPORT_LATENESS_H

#include "harness/report/durations.h"

struct lateness {
    // One for each operation of an open loop in the counted time whose worker is known to have been
    // free; none in a closed loop.
    struct durations late;
    // For each granted operation of the counted time, what is left of its acquire from the intended
    // beginning without its own lateness, as far as that is known; none in a closed loop.
    struct durations acquire_on_time;
};

// Free both sets with durations_free.
struct lateness lateness_of(const struct digest *digest);

#endif
