// Exact percentiles, by sorting.
#ifndef LOCKPICK_REPORT_PERCENTILES_H
#define LOCKPICK_REPORT_PERCENTILES_H

#include "harness/base/rank.h"

#include <stdbool.h>

// Exact percentiles of a set of durations, by nearest rank.
struct percentiles {
    size_t count;
    int64_t p50_ns, p90_ns, p99_ns, p999_ns, p9999_ns, max_ns;
};

// Sorts `durations` (ns) in place and takes its percentiles; an empty set gives zeros.
void percentiles_make(int64_t *durations, size_t count, struct percentiles *percentiles);

// True if so many values have such a percentile (99.9; 100 is the longest) to speak of: there are
// at least LEAST_FOR_PERCENTILES, and at least one lies beyond it, so that p99 takes a hundred.
bool percentile_has_enough(int64_t count, double percent);

// True if a percentile of those that were granted speaks for all `asked`: no larger share than lies
// beyond it was denied, and so has no latency at all.
bool percentile_is_of_all(int64_t asked, int64_t denied, double percent);

#endif
