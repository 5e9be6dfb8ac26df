// What a driver says of a loop that it has run by itself: its answer to "measure".
//
//     {"id": 7, "answer": "measured", "from_ns": T, "cycles": [[GAP, ACQUIRE, HOLD, RELEASE], ...]}
//
// Each cycle counts in nanoseconds from the end of the one before it, the first from T on
// CLOCK_MONOTONIC: how long until it acquired, how long that took, how long it held the lock, and
// how long the release took. Of an acquire that was not granted: [GAP, ACQUIRE, "not-held"] or
// "unknown". A fifth number says how long after the beginning of the acquire the lease began, with
// the request that got the lock; a word at the end of a whole cycle, how the release was answered
// if not by "released".
#ifndef LOCKPICK_WIRE_DRIVER_CYCLES_H
#define LOCKPICK_WIRE_DRIVER_CYCLES_H

#include "harness/base/error.h"
#include "harness/wire/driver_line.h"

#include <jansson.h>

// Times are CLOCK_MONOTONIC.
struct driver_cycle {
    int64_t acquire_ns, acquired_ns;
    int64_t asked_ns; // when the lease began; acquire_ns if it does not say: at the earliest
    bool is_anchored; // it says so
    int64_t release_ns, released_ns;
    enum driver_word acquired; // held, not-held or unknown
    enum driver_word released; // released, not-owner, gone or unknown; of a lock that was held
};

// Reads "from_ns" and "cycles" into line->cycles, which the caller frees. 0, or -1 with `error` set
// to the rule that they break.
int driver_cycles_read(const json_t *object, struct driver_line *line, struct error *error);

#endif
