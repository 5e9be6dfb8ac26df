#include "harness/base/rank.h"

#include "harness/base/text.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

// --- sorting -------------------------------------------------------------------------------------

// Up to so many, a comparison sort is as fast.
#define FEW 256

#define DIGIT_BITS 11
#define DIGITS (1u << DIGIT_BITS)

static int64_t value_at(const char *items, size_t index, size_t size)
{
    int64_t value;
    memcpy(&value, items + index * size, sizeof value);
    return value;
}

// Moves the items to `to`, by one digit of what each is more than `least`, equal ones in their
// order. False, and nothing is moved, if they all have the same.
static inline bool deal(const char *from, char *to, size_t count, size_t size, uint64_t least,
                        unsigned shift)
{
    size_t places[DIGITS] = {0};
    for (size_t i = 0; i < count; i++)
        places[((uint64_t)value_at(from, i, size) - least) >> shift & (DIGITS - 1)]++;
    size_t next = 0;
    for (size_t digit = 0; digit < DIGITS; digit++) {
        size_t here = places[digit];
        if (here == count)
            return false;
        places[digit] = next;
        next += here;
    }
    for (size_t i = 0; i < count; i++) {
        size_t digit = ((uint64_t)value_at(from, i, size) - least) >> shift & (DIGITS - 1);
        memcpy(to + places[digit]++ * size, from + i * size, size);
    }
    return true;
}

// By digits, the last one first (Knuth, The Art of Computer Programming 3, 5.2.5): the times and
// durations of a trial have few that differ.
static inline void sort_by_digits(char *items, size_t count, size_t size)
{
    int64_t least = INT64_MAX;
    int64_t most = INT64_MIN;
    for (size_t i = 0; i < count; i++) {
        int64_t value = value_at(items, i, size);
        least = value < least ? value : least;
        most = value > most ? value : most;
    }
    uint64_t range = (uint64_t)most - (uint64_t)least;
    char *room = memory_new(count * size);
    char *from = items;
    char *to = room;
    for (unsigned shift = 0; shift < 64 && range >> shift > 0; shift += DIGIT_BITS) {
        if (deal(from, to, count, size, (uint64_t)least, shift)) {
            char *swapped = from;
            from = to;
            to = swapped;
        }
    }
    if (from != items)
        memcpy(items, from, count * size);
    free(room);
}

static int compare(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left;
    int64_t b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

void sort_values(int64_t *values, size_t count)
{
    if (count > FEW)
        sort_by_digits((char *)values, count, sizeof *values);
    else if (count > 1)
        qsort(values, count, sizeof *values, compare);
}

static int compare_ranked(const void *left, const void *right)
{
    const struct ranked *a = left;
    const struct ranked *b = right;
    int order = compare(&a->value, &b->value);
    return order != 0 ? order : (a->index > b->index) - (a->index < b->index);
}

void sort_ranked(struct ranked *items, size_t count)
{
    if (count > FEW)
        sort_by_digits((char *)items, count, sizeof *items);
    else if (count > 1)
        qsort(items, count, sizeof *items, compare_ranked);
}

// --- among what is sorted ------------------------------------------------------------------------

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
