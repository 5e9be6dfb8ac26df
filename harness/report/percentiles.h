// Exact percentiles, by sorting.
#ifndef LOCKPICK_REPORT_PERCENTILES_H
#define LOCKPICK_REPORT_PERCENTILES_H

#include "harness/base/rank.h"

// Exact percentiles of a set of durations, by nearest rank.
struct percentiles {
    size_t count;
    int64_t p50_ns, p90_ns, p99_ns, p999_ns, p9999_ns, max_ns;
};

// Sorts `durations` (ns) in place and takes its percentiles; an empty set gives zeros.
void percentiles_make(int64_t *durations, size_t count, struct percentiles *percentiles);

#endif
