// When operations are to begin, in an open loop: at a rate that does not care how the lock is
// doing.
//
// A closed loop waits for one operation before it begins the next, so a lock that stalls is asked
// less often, and its stall shows in one latency only (coordinated omission: Gil Tene, "How NOT to
// Measure Latency", 2013). Here every operation has its time before the trial begins; whoever is
// free takes the next one, and its latency counts from that time, however late it began.
#ifndef LOCKPICK_RUN_ARRIVALS_H
#define LOCKPICK_RUN_ARRIVALS_H

#include "harness/scenario/scenario.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// In memory that all clients share. A client that dies leaves the operation that it took undone.
struct arrivals {
    _Atomic uint64_t taken;
    uint64_t count;
    int64_t at_ns[]; // after the start, ascending
};

// Operations at a rate, or at one that goes evenly to another.
struct arrivals_part {
    double rate; // each second
    double to;   // its rate at the end
    enum arrival_kind kind;
    int64_t from_ns; // after the start
    int64_t for_ns;  // 0: until there are `most` in all; only for the last part, without a ramp
    uint64_t most;
};

#define MOST_ARRIVALS 50000000

// Draws the times of all parts, which come one after the other. Those of ARRIVALS_POISSON are a
// Poisson process: also of a ramp, drawn at rate 1 and brought into time by the inverse of the
// expected count (Cinlar, "Introduction to Stochastic Processes", 1975). NULL if there would be
// more than MOST_ARRIVALS. The caller frees with arrivals_free; processes forked in between share
// it.
struct arrivals *arrivals_new(const struct arrivals_part *parts, size_t count, uint64_t seed);
void arrivals_free(struct arrivals *arrivals);

// Takes the next operation that is to begin from `from_ns` on, if it is to before `before_ns`: sets
// when, and returns its number, from 1; 0 if there is none. Those before `from_ns` that nobody has
// taken by then are left out for good.
int64_t arrivals_take(struct arrivals *arrivals, int64_t from_ns, int64_t before_ns,
                      int64_t *at_ns);

// How many have come by then, taken or not.
uint64_t arrivals_due(const struct arrivals *arrivals, int64_t at_ns);

#endif
