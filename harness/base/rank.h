// Percentiles of sorted values, and places among what is sorted.
#ifndef LOCKPICK_BASE_RANK_H
#define LOCKPICK_BASE_RANK_H

#include <stddef.h>
#include <stdint.h>

// The index of the first of the `count` items, sorted by the int64_t `field`, in which that is
// `least` or more; `count` if there is none. So it is how many have less, too. `items` may be NULL
// if there are none.
#define FIRST_FROM(items, count, field, least)                                                     \
    ((count) > 0 ? first_from(&(items)->field, count, sizeof *(items), least) : 0)

// The same for values of which each is `stride` bytes behind the one before.
size_t first_from(const int64_t *values, size_t count, size_t stride, int64_t least);

// Sorts items that begin with an int64_t, ascending by that; equal ones stay in their order. `size`
// is a multiple of 8, up to 64.
void sort_by_key(void *items, size_t count, size_t size);

// The same by any int64_t `field`: by several, if the least of them goes first.
#define SORT_BY(items, count, field)                                                               \
    ((count) > 0 ? sort_by_word(items, count, sizeof *(items),                                     \
                                (size_t)((const char *)&(items)->field - (const char *)(items)))   \
                 : (void)0)
void sort_by_word(void *items, size_t count, size_t size, size_t offset);

// Ascending, in place.
void sort_values(int64_t *values, size_t count);

// A value, and where it stood.
struct ranked {
    int64_t value;
    size_t index;
};

// The same, by their values; equal ones stay in their order.
void sort_ranked(struct ranked *items, size_t count);

// The smallest of the sorted values that at least `permille` thousandths of them do not exceed
// (the nearest-rank method); 0 of an empty set.
int64_t percentile_of_sorted(const int64_t *sorted, size_t count, unsigned permille);

// The same in ten-thousandths, for the far end of a distribution.
int64_t fine_percentile_of_sorted(const int64_t *sorted, size_t count, unsigned per_ten_thousand);

#endif
