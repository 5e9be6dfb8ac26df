#include "harness/base/rank.h"

#include "harness/base/text.h"

#include <assert.h>
#include <pthread.h>
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

#define FEW 16      // are inserted one by one
#define MANY 100000 // are sorted by two threads
#define BLOCK 4096  // so many are sorted by their digits: what the processor's cache holds
#define DIGIT_BITS 8
#define DIGITS (1U << DIGIT_BITS)
#define MOST_WORDS 8

// Items of any type, as words of which one is the key.
typedef int64_t __attribute__((may_alias)) word;

// Where an item of a block is, and how much its key is more than the least.
struct place {
    uint64_t key;
    size_t index;
};

struct block {
    struct place places[2 * BLOCK];
    word items[];
};

static inline void copy(word *to, const word *from, size_t words)
{
    for (size_t i = 0; i < words; i++)
        to[i] = from[i];
}

static void insert_each(word *items, size_t count, size_t words, size_t key)
{
    word held[MOST_WORDS];
    for (size_t i = 1; i < count; i++) {
        word *next = items + i * words;
        word *place = next;
        if ((place - words)[key] <= next[key])
            continue;
        copy(held, next, words);
        for (; place > items && (place - words)[key] > held[key]; place -= words)
            copy(place, place - words, words);
        copy(place, held, words);
    }
}

// Merges two parts that are sorted, of which only what overlaps is moved.
static void merge(word *items, size_t left, size_t right, size_t words, size_t key)
{
    size_t stride = words * sizeof *items;
    word *middle = items + left * words;
    int64_t last = (middle - words)[key];
    if (last <= middle[key])
        return;
    size_t before = first_from(items + key, left, stride, middle[key] + 1);
    const word *end = middle + first_from(middle + key, right, stride, last) * words;
    size_t bytes = (left - before) * stride;
    word *room = memory_new(bytes);
    memcpy(room, items + before * words, bytes);
    word *to = items + before * words;
    const word *low = room;
    const word *high = middle;
    // Which one is next cannot be foretold: it is reckoned, not branched to.
    for (; to < high && high < end; to += words) {
        bool is_high = high[key] < low[key];
        copy(to, is_high ? high : low, words);
        high += is_high ? words : 0;
        low += is_high ? 0 : words;
    }
    memcpy(to, low, (size_t)(high - to) * sizeof *to);
    free(room);
}

// Sorts a block by the digits of its keys, the last ones first: of pairs of a key and a place,
// which are smaller than most items; those are moved once, in the end. Knuth, The Art of Computer
// Programming 3, 5.2.5.
static void sort_block(word *items, size_t count, size_t words, size_t key, struct block *block)
{
    struct place *from = block->places, *to = block->places + BLOCK, *last;
    word least = items[key], most = items[key], before = items[key];
    bool is_sorted = true;
    for (size_t i = 0; i < count; i++) {
        word value = items[i * words + key];
        is_sorted &= value >= before;
        before = value;
        least = value < least ? value : least;
        most = value > most ? value : most;
    }
    if (is_sorted)
        return;
    for (size_t i = 0; i < count; i++)
        from[i] = (struct place){(uint64_t)items[i * words + key] - (uint64_t)least, i};
    uint64_t range = (uint64_t)most - (uint64_t)least;
    for (unsigned shift = 0; shift < 64 && range >> shift != 0; shift += DIGIT_BITS) {
        uint32_t next[DIGITS + 1] = {0}; // place of each digit
        for (size_t i = 0; i < count; i++)
            next[(from[i].key >> shift) % DIGITS + 1]++;
        for (size_t digit = 1; digit < DIGITS; digit++)
            next[digit] += next[digit - 1];
        for (size_t i = 0; i < count; i++)
            to[next[(from[i].key >> shift) % DIGITS]++] = from[i];
        last = from;
        from = to;
        to = last;
    }
    for (size_t i = 0; i < count; i++)
        copy(block->items + i * words, items + from[i].index * words, words);
    memcpy(items, block->items, count * words * sizeof *items);
}

// Times of a history are nearly in order: there is little to merge, and each block is looked at
// once.
static void sort_words(word *items, size_t count, size_t words, size_t key, struct block *block)
{
    if (count <= BLOCK) {
        sort_block(items, count, words, key, block);
        return;
    }
    sort_words(items, count / 2, words, key, block);
    sort_words(items + count / 2 * words, count - count / 2, words, key, block);
    merge(items, count / 2, count - count / 2, words, key);
}

struct part {
    word *items;
    size_t count, words, key;
};

static void *sort_part(void *of)
{
    const struct part *part = of;
    size_t count = part->count < BLOCK ? part->count : BLOCK;
    struct block *block = memory_new(sizeof *block + count * part->words * sizeof *part->items);
    sort_words(part->items, part->count, part->words, part->key, block);
    free(block);
    return NULL;
}

void sort_by_word(void *items, size_t count, size_t size, size_t offset)
{
    struct part all = {items, count, size / sizeof(word), offset / sizeof(word)};
    assert(size % sizeof(word) == 0 && size <= MOST_WORDS * sizeof(word));
    if (count <= FEW) {
        insert_each(items, count, all.words, all.key);
        return;
    }
    struct part left = all, right = all;
    left.count = count / 2;
    right.count -= left.count;
    right.items += left.count * all.words;
    pthread_t thread;
    if (count < MANY || pthread_create(&thread, NULL, sort_part, &right) != 0) {
        sort_part(&all);
        return;
    }
    sort_part(&left);
    pthread_join(thread, NULL);
    merge(items, left.count, right.count, all.words, all.key);
}

void sort_by_key(void *items, size_t count, size_t size)
{
    sort_by_word(items, count, size, 0);
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

#define X(id, name, share)                                                                         \
    [PERCENTILE_##id] = {#id, name, #id "_ns", (share) / 100.0, (10000 - (share)) / 10000.0},
const struct percentile_form percentile_forms[PERCENTILE_COUNT] = {PERCENTILES(X)};
#undef X

void percentiles_list(const char *before, struct text *out)
{
    for (enum percentile i = 0; i < PERCENTILE_COUNT; i++)
        text_format(out, "%s%s%s",
                    i == 0                      ? ""
                    : i == PERCENTILE_COUNT - 1 ? " or "
                                                : ", ",
                    before, percentile_forms[i].name);
}

void percentiles_make(int64_t *durations, size_t count, struct percentiles *percentiles)
{
    sort_values(durations, count);
    *percentiles = (struct percentiles){.count = count};
#define X(id, name, share)                                                                         \
    percentiles->id##_ns = fine_percentile_of_sorted(durations, count, share);
    PERCENTILES(X)
#undef X
}

bool percentile_has_enough(int64_t count, double percent)
{
    if (percent >= 100)
        return count > 0;
    // 100 - 99.9 is a bit less than a tenth.
    return count >= LEAST_FOR_PERCENTILES && (double)count * (100 - percent) >= 100 * (1 - 1e-9);
}

bool percentile_is_of_all(int64_t asked, int64_t denied, double percent)
{
    return denied <= 0 || (double)denied * 100 <= (double)asked * (100 - percent) * (1 + 1e-9);
}
