// Exact percentiles, by sorting.
#ifndef LOCKPICK_REPORT_PERCENTILES_H
#define LOCKPICK_REPORT_PERCENTILES_H

#include "harness/base/rank.h"
#include "harness/report/report.h"

// Sorts `durations` (ns) in place and takes its percentiles; an empty set gives zeros.
void percentiles_make(int64_t *durations, size_t count, struct percentiles *percentiles);

#endif
