// The durations that a digest holds, one set for each thing that is measured, and when each ended.
// Only of what belongs to the counted time (see counted.h).
#ifndef LOCKPICK_REPORT_DURATIONS_H
#define LOCKPICK_REPORT_DURATIONS_H

#include "harness/check/check.h"

// In nanoseconds, never negative. `items` may be sorted, which parts them from their ends. Free
// with durations_free.
struct durations {
    int64_t *items;
    int64_t *ends_ns; // when each was over
    size_t count;
};

void durations_free(struct durations *durations);

// To the grant, of every hold: from the intended beginning where there is one (an open loop), else
// from the acquire's invocation. So an operation that had to wait for a worker, because all were
// stopped by a stall, counts that time too (Tene's "coordinated omission" is to leave it out).
struct durations durations_acquire(const struct digest *digest);

// Acquire invoke to grant, of every hold, whatever was intended. None in a closed loop, where it
// would be the same as the corrected.
struct durations durations_acquire_uncorrected(const struct digest *digest);

// Release invoke to return, of every release that returned.
struct durations durations_release(const struct digest *digest);

// Grant to release invoke, of every hold that was released.
struct durations durations_hold(const struct digest *digest);

// Release invoke to the next grant of the same key, of every release during which somebody waited
// for it: an acquire was invoked before it and granted after it.
struct durations durations_hand_off(const struct digest *digest);

// From a loss, by another's grant, until its holder was told or went on no longer; only the time in
// which it ran (harness/check/not_told.h). Of all losses of the trial.
struct durations durations_told(const struct digest *digest);

#endif
