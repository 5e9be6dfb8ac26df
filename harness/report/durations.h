// The durations that a digest holds, one set for each thing that is measured.
#ifndef LOCKPICK_REPORT_DURATIONS_H
#define LOCKPICK_REPORT_DURATIONS_H

#include "harness/check/check.h"

// In nanoseconds, never negative. Free `items`.
struct durations {
    int64_t *items;
    size_t count;
};

// Acquire invoke to grant, of every hold.
struct durations durations_acquire(const struct digest *digest);

// Release invoke to return, of every release that returned.
struct durations durations_release(const struct digest *digest);

// Grant to release invoke, of every hold that was released.
struct durations durations_hold(const struct digest *digest);

// Release invoke to the next grant, of every release during which somebody waited: an acquire was
// invoked before it and granted after it.
struct durations durations_hand_off(const struct digest *digest);

#endif
