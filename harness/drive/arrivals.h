// When operations are to begin, in an open loop: at a rate that does not care how the lock is
// doing.
//
// A closed loop waits for one operation before it begins the next, so a lock that stalls is asked
// less often, and its stall shows in one latency only (coordinated omission: Gil Tene, "How NOT to
// Measure Latency", 2013). Here every operation has its time before the trial begins; whoever is
// free takes the next one, and its latency counts from that time, however late it began.
#ifndef LOCKPICK_DRIVE_ARRIVALS_H
#define LOCKPICK_DRIVE_ARRIVALS_H

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

enum arrival_kind {
    ARRIVALS_FIXED,   // all gaps are equal
    ARRIVALS_POISSON, // gaps are drawn, exponentially distributed: nobody knows of anybody else
};

#define MOST_ARRIVALS 50000000

// Draws the times of `rate` operations a second for that long. NULL if there would be more than
// MOST_ARRIVALS. The caller frees with arrivals_free; processes forked in between share it.
struct arrivals *arrivals_new(double rate, enum arrival_kind kind, int64_t for_ns, uint64_t seed);
void arrivals_free(struct arrivals *arrivals);

// Takes the next operation: sets when it is to begin, and returns its number, from 1; 0 if none is
// left.
int64_t arrivals_take(struct arrivals *arrivals, int64_t *at_ns);

// How many have come by then, taken or not.
uint64_t arrivals_due(const struct arrivals *arrivals, int64_t at_ns);

#endif
