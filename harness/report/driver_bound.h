// Whether a trial measured the lock, or the driver that asks for it.
//
// A trial is driver-bound if at least one of these holds in its counted time:
//
//  1. The clients and the driver used more than 90 % of the processor time that there was for them:
//     of all processors that the driver may use, or, the clients alone, of those they are pinned
//     to. Whatever the servers could do, nobody had time left to ask them. (A lock that asks no
//     server is driver-bound by nature: its whole cost is the client's.)
//  2. In an open loop, the driver's own lateness (see lateness.h), at the median or at p99, is more
//     than a tenth of the acquire latency at the same percentile. That latency counts from the
//     intended beginning, so the lateness is a part of it which the lock has nothing to do with. A
//     percentile is held against the same percentile: a tail that is late is no blame to a median.
//  3. The harness stood still (stalls, see harness/drive/client.h) for more than 1 % of the time:
//     the machine did not run it, and presumably not the others either, so that p99 and what lies
//     beyond it are the machine's.
//
// A tenth and a hundredth are what a reader of a table would overlook anyway.
#ifndef LOCKPICK_REPORT_DRIVER_BOUND_H
#define LOCKPICK_REPORT_DRIVER_BOUND_H

#include <stdbool.h>

struct statistics;

struct driver_bound {
    bool is_bound;
    char reason[400]; // with the numbers; "" if it is not
};

// From the other figures of a trial, which must be there.
void driver_bound_decide(const struct statistics *statistics, struct driver_bound *bound);

#endif
