// Percentiles of sorted values.
#ifndef LOCKPICK_BASE_RANK_H
#define LOCKPICK_BASE_RANK_H

#include <stddef.h>
#include <stdint.h>

// Ascending, in place.
void sort_values(int64_t *values, size_t count);

// The smallest of the sorted values that at least `permille` thousandths of them do not exceed
// (the nearest-rank method); 0 of an empty set.
int64_t percentile_of_sorted(const int64_t *sorted, size_t count, unsigned permille);

// The same in ten-thousandths, for the far end of a distribution.
int64_t fine_percentile_of_sorted(const int64_t *sorted, size_t count, unsigned per_ten_thousand);

#endif
