#include "harness/base/rank.h"

#include <stdlib.h>
#include <string.h>

static int compare(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left;
    int64_t b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

void sort_values(int64_t *values, size_t count)
{
    if (count > 1)
        qsort(values, count, sizeof *values, compare);
}

size_t first_from(const int64_t *values, size_t count, size_t stride, int64_t least)
{
    size_t low = 0;
    size_t high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int64_t value;
        memcpy(&value, (const char *)values + middle * stride, sizeof value);
        if (value < least)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// In whole parts: 0.999 * 1000 in floating point rounds up to rank 1000.
int64_t fine_percentile_of_sorted(const int64_t *sorted, size_t count, unsigned per_ten_thousand)
{
    if (count == 0)
        return 0;
    size_t rank = (count * per_ten_thousand + 9999) / 10000;
    return sorted[rank == 0 ? 0 : rank - 1];
}

int64_t percentile_of_sorted(const int64_t *sorted, size_t count, unsigned permille)
{
    return fine_percentile_of_sorted(sorted, count, permille * 10);
}
