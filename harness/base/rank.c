#include "harness/base/rank.h"

#include "harness/base/text.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

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

// --- sorting -------------------------------------------------------------------------------------

// Up to so many are inserted one by one, and up to so many dealt into buckets in the cache.
#define FEW 32
#define MOST_DEALT ((size_t)1 << 15)
#define MOST_WORDS 8

// Items of any type, as words of which the first is the key.
typedef int64_t __attribute__((may_alias)) word;

static inline void copy(word *to, const word *from, size_t words)
{
    for (size_t i = 0; i < words; i++)
        to[i] = from[i];
}

static void insert_each(word *items, size_t count, size_t words)
{
    word held[MOST_WORDS];
    for (size_t i = 1; i < count; i++) {
        word *next = items + i * words;
        word *place = next;
        copy(held, next, words);
        for (; place > items && *(place - words) > held[0]; place -= words)
            copy(place, place - words, words);
        copy(place, held, words);
    }
}

// By buckets of equal width, and within each the same again (Knuth, The Art of Computer Programming
// 3, 5.2.1): times of a history are spread evenly and nearly in order, so a bucket has few items,
// each near its place. `room` is as large as the items.
static void deal(word *items, word *room, size_t count, size_t words)
{
    if (count <= FEW) {
        insert_each(items, count, words);
        return;
    }
    int64_t least = items[0];
    int64_t most = items[0];
    bool sorted = true;
    for (size_t i = 1; i < count; i++) {
        int64_t key = items[i * words];
        sorted &= key >= most;
        least = key < least ? key : least;
        most = key > most ? key : most;
    }
    if (sorted)
        return;
    uint32_t ends[MOST_DEALT / 8];
    unsigned shift = 0;
    while (((uint64_t)most - (uint64_t)least) >> shift >= count / 8)
        shift++;
    memcpy(room, items, count * words * sizeof *items);
    memset(ends, 0, count / 8 * sizeof *ends);
    for (size_t i = 0; i < count; i++)
        ends[((uint64_t)room[i * words] - (uint64_t)least) >> shift]++;
    for (size_t bucket = 0, next = 0; bucket < count / 8; bucket++) {
        size_t here = ends[bucket];
        ends[bucket] = (uint32_t)next; // for now its beginning
        next += here;
    }
    for (size_t i = 0; i < count; i++) {
        const word *item = room + i * words;
        copy(items + ends[((uint64_t)item[0] - (uint64_t)least) >> shift]++ * words, item, words);
    }
    for (size_t bucket = 0, from = 0; bucket < count / 8; from = ends[bucket++])
        deal(items + from * words, room, ends[bucket] - from, words);
}

// Merges two parts that are sorted, of which only what overlaps is moved.
static void merge(word *items, size_t left, size_t right, size_t words)
{
    size_t stride = words * sizeof *items;
    word *middle = items + left * words;
    if (*(middle - words) <= *middle)
        return;
    size_t before = first_from(items, left, stride, *middle + 1);
    const word *end = middle + first_from(middle, right, stride, *(middle - words)) * words;
    size_t bytes = (left - before) * stride;
    word *room = memory_new(bytes);
    memcpy(room, items + before * words, bytes);
    const word *low = room;
    const word *high = middle;
    for (word *to = items + before * words; to < high; to += words) {
        const word **from = high < end && *high < *low ? &high : &low;
        copy(to, *from, words);
        *from += words;
    }
    free(room);
}

static void sort_words(word *items, word *room, size_t count, size_t words)
{
    if (count <= MOST_DEALT) {
        deal(items, room, count, words);
        return;
    }
    sort_words(items, room, count / 2, words);
    sort_words(items + count / 2 * words, room, count - count / 2, words);
    merge(items, count / 2, count - count / 2, words);
}

void sort_by_key(void *items, size_t count, size_t size)
{
    assert(size % sizeof(word) == 0 && size <= MOST_WORDS * sizeof(word));
    word *room = memory_new((count < MOST_DEALT ? count : MOST_DEALT) * size);
    sort_words(items, room, count, size / sizeof(word));
    free(room);
}

void sort_values(int64_t *values, size_t count)
{
    sort_by_key(values, count, sizeof *values);
}

void sort_ranked(struct ranked *items, size_t count)
{
    sort_by_key(items, count, sizeof *items);
}

// --- percentiles ---------------------------------------------------------------------------------

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
