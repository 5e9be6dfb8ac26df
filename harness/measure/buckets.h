// Where values are counted: buckets of doubling width, each cut into the same number of steps.
#ifndef LOCKPICK_MEASURE_BUCKETS_H
#define LOCKPICK_MEASURE_BUCKETS_H

#include <stdint.h>

// Three significant digits need 2000 steps: the next power of two, and half of it, for the lower
// half of each bucket is the bucket before it.
#define BUCKET_DIGITS 3
#define BUCKET_STEPS 2048
#define BUCKET_HALF_STEPS 1024
#define BUCKET_HALF_BITS 10
// 2048 << 31 is more than an hour.
#define BUCKET_COUNT 32
#define BUCKET_CELLS ((BUCKET_COUNT + 1) * BUCKET_HALF_STEPS)

static inline int bucket_of(int64_t value)
{
    return 64 - __builtin_clzll((uint64_t)value | (BUCKET_STEPS - 1)) - (BUCKET_HALF_BITS + 1);
}

// The cell in which a value is counted.
static inline int64_t cell_of(int64_t value)
{
    int bucket = bucket_of(value);
    int64_t step = value >> bucket;
    return ((int64_t)(bucket + 1) << BUCKET_HALF_BITS) + step - BUCKET_HALF_STEPS;
}

// The smallest value of a cell, and the largest.
static inline int64_t cell_lowest(int64_t cell)
{
    int64_t bucket = (cell >> BUCKET_HALF_BITS) - 1;
    int64_t step = (cell & (BUCKET_HALF_STEPS - 1)) + BUCKET_HALF_STEPS;
    return bucket < 0 ? step - BUCKET_HALF_STEPS : step << bucket;
}

static inline int64_t cell_highest(int64_t cell)
{
    return cell_lowest(cell + 1) - 1;
}

#endif
