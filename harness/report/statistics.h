// What a trial cost, derived from its digest.
//
// Only the counted time goes into it (see counted.h): what lies in a warm-up is left out of every
// figure, except where it is said below. A figure that nothing was measured for is absent, by its
// count of 0 or its `is_known`; it is never a zero that looks like a measurement.
#ifndef LOCKPICK_REPORT_STATISTICS_H
#define LOCKPICK_REPORT_STATISTICS_H

#include "harness/base/percentile.h"
#include "harness/check/check.h"
#include "harness/check/fairness.h"
#include "harness/check/liveness.h"
#include "harness/check/liveness_herd.h"
#include "harness/report/driver_bound.h"
#include "harness/report/recovery.h"
#include "harness/report/resources.h"
#include "harness/report/time_source.h"

#include <stdbool.h>

#define WORST_STALLS 20

struct statistics {
    int64_t started_ns;  // CLOCK_MONOTONIC when the barrier opened: the trial's zero
    int64_t duration_ns; // barrier to stop, warm-up included
    int64_t counted_ns;  // how much of it counts
    size_t holds;        // acquires granted
    size_t leased;       // of these: with a lease
    size_t expired;      // of these: nothing was left of it when the grant came
    size_t not_held;     // acquires that gave up
    size_t unknown;      // acquires of unknown outcome
    size_t open; // of these two: whose wait was cut off, as the trial ended or the worker died
    int64_t longest_open_ns; // how long any of these had waited by then, from its beginning
    // Of the whole trial: the store's accounts have no warm-up.
    size_t writes, refused_writes, unknown_writes;
    double holds_per_second; // grants in the counted time by its length: "locks/s"
    double attempts_per_hold;
    double commands_per_hold; // requests of acquire and release, and renewals, for each grant; see
                              // liveness_herd.h. NaN if nobody told
    struct percentiles acquire; // to the grant: from the intended beginning in an open loop, so
                                // that a stall cannot hide; else from the invocation
    struct percentiles acquire_uncorrected; // from the invocation; of an open loop only
    struct percentiles acquire_on_time; // acquire without the driver's lateness; of an open loop
                                        // only: see driver_bound.h
    struct percentiles release;         // invoke to return
    struct percentiles hold;            // grant to release invoke
    struct percentiles hand_off;        // release invoke to the next grant, where somebody waited
    struct percentiles told;            // loss to the holder being told, or to its end
    struct percentiles lateness;        // of the driver in an open loop: see lateness.h
    int64_t due, begun;      // operations of an open loop: that were to begin, and that did
    int64_t longest_wait_ns; // of any acquire from its invocation, granted or not
    double fairness;         // Jain's index over the workers' holds; 0 if there is none
    size_t stalls;           // times the harness itself was late
    int64_t longest_stall_ns;
    int64_t stalled_ns; // all of them together
    // Of whomever they were, the longest ones first, times since the start.
    struct stall worst_stalls[WORST_STALLS];
    size_t worst_stall_count;
    struct recoveries recoveries;
    struct resources resources;
    struct driver_bound driver_bound;
    struct liveness liveness; // of the whole trial
    struct fairness turns;    // shares of the counted time, order of the whole trial
    struct herd herd;
    unsigned times; // whose they are: see time_source.h
};

void statistics_make(const struct digest *digest, struct statistics *statistics);

#endif
