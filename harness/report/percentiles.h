// Exact percentiles, by sorting.
#ifndef LOCKPICK_REPORT_PERCENTILES_H
#define LOCKPICK_REPORT_PERCENTILES_H

#include "harness/report/report.h"

// Ascending, in place.
void sort_values(int64_t *values, size_t count);

// Sorts `durations` (ns) in place and takes its percentiles; an empty set gives zeros.
void percentiles_make(int64_t *durations, size_t count, struct percentiles *percentiles);

// The smallest of the sorted values that at least `permille` thousandths of them do not exceed
// (the nearest-rank method); 0 of an empty set.
int64_t percentile_of_sorted(const int64_t *sorted, size_t count, unsigned permille);

#endif
