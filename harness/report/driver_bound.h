// Whether a trial measured the lock, or the driver that asks for it.
//
// A trial is driver-bound, all that it measured, if at least one of these holds in its counted
// time:
//
//  1. The clients and the driver used more than 90 % of the processor time that there was for them:
//     of all processors that the driver may use, or, the clients alone, of those they are pinned
//     to. Whatever the servers could do, nobody had time left to ask them. (A lock that asks no
//     server is driver-bound by nature: its whole cost is the client's.)
//  2. The harness stood still (stalls, see harness/run/client.h) for more than 1 % of the time:
//     the machine did not run it, and presumably not the others either, so that p99 and what lies
//     beyond it are the machine's.
//
// What lies beyond p99 is made up by fewer. So in a trial that is not driver-bound as a whole, such
// a figure of acquire is late, too, if the harness stood still for a larger share of the counted
// time than the share of the acquires that lies beyond the figure: p99.9 by more than a thousandth.
// The longest acquire is one, so its figure is late by any stall that is longer than a tenth of it.
//
// In an open loop, the driver's own lateness (see lateness.h) is in one thing only: in the latency
// of an acquire that counts from its intended beginning. It says nothing against the rate, which
// the arrivals set, nor against release, hold, hand-off and the uncorrected acquire, which count
// from their invocation. And it may be much in one percentile and nothing in another, so it is held
// against each figure for itself:
//
//  An operation that began l late and took L from its intended beginning would have taken between
//  L - l and L, had the driver been on time: L - l if the lock was free for it, and L if it had to
//  wait for a holder in any case. So the true percentile lies between the one of all L - l
//  (statistics.acquire_on_time) and the one of all L, which is reported. A figure is late, which is
//  to say that it tells of the driver, if the two differ by more than a tenth of what is reported.
//
// (Lateness p50 against acquire p50 would be another rule, and a wrong one: operations that are
// late need not be those that make up a percentile.) Not in it is what an operation that began late
// did to those that had to wait for it.
//
// A tenth and a hundredth are what a reader of a table would overlook anyway.
#ifndef LOCKPICK_REPORT_DRIVER_BOUND_H
#define LOCKPICK_REPORT_DRIVER_BOUND_H

#include "harness/base/percentile.h"

struct statistics;

struct driver_bound {
    bool is_bound;               // all figures of the trial
    char reason[400];            // with the numbers; "" if it is not, and no figure is late
    bool late[PERCENTILE_COUNT]; // that percentile of acquire, from the intended beginning
};

// From the other figures of a trial, which must be there.
void driver_bound_decide(const struct statistics *statistics, struct driver_bound *bound);

// True if one of the figures is late.
bool driver_bound_any_late(const struct driver_bound *bound);

#endif
