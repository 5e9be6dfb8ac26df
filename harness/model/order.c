#include "harness/model/order.h"

#include "harness/base/text.h"

#include <stdlib.h>
#include <string.h>

#define DIGIT_BITS 11
#define DIGITS (1U << DIGIT_BITS)

struct keyed {
    uint64_t key;
    size_t index;
};

static bool is_sorted(const struct model_holds *holds)
{
    for (size_t i = 1; i < holds->count; i++) {
        if (holds->items[i - 1].from > holds->items[i].from)
            return false;
    }
    return true;
}

// Moves the items to `sorted` in the order of one digit of their keys.
static void distribute(const struct keyed *items, struct keyed *sorted, size_t count,
                       unsigned shift)
{
    size_t starts[DIGITS] = {0};
    for (size_t i = 0; i < count; i++)
        starts[items[i].key >> shift & (DIGITS - 1)]++;
    size_t next = 0;
    for (size_t digit = 0; digit < DIGITS; digit++) {
        size_t here = starts[digit];
        starts[digit] = next;
        next += here;
    }
    for (size_t i = 0; i < count; i++)
        sorted[starts[items[i].key >> shift & (DIGITS - 1)]++] = items[i];
}

// Fills `items` with the keys, counted from the least. Returns the largest.
static uint64_t read_keys(const struct model_holds *holds, struct keyed *items)
{
    int64_t least = holds->items[0].from;
    for (size_t i = 1; i < holds->count; i++)
        least = holds->items[i].from < least ? holds->items[i].from : least;
    uint64_t largest = 0;
    for (size_t i = 0; i < holds->count; i++) {
        items[i] = (struct keyed){(uint64_t)holds->items[i].from - (uint64_t)least, i};
        largest = items[i].key > largest ? items[i].key : largest;
    }
    return largest;
}

void order_holds(struct model_holds *holds)
{
    if (holds->count == 0 || is_sorted(holds))
        return;
    struct keyed *items = memory_new(holds->count * sizeof *items);
    struct keyed *spare = memory_new(holds->count * sizeof *spare);
    uint64_t largest = read_keys(holds, items);
    for (unsigned shift = 0; shift < 64 && largest >> shift > 0; shift += DIGIT_BITS) {
        distribute(items, spare, holds->count, shift);
        struct keyed *sorted = spare;
        spare = items;
        items = sorted;
    }
    free(spare);
    struct model_hold *ordered = memory_new(holds->count * sizeof *ordered);
    for (size_t i = 0; i < holds->count; i++)
        ordered[i] = holds->items[items[i].index];
    free(items);
    free(holds->items);
    holds->items = ordered;
    holds->room = holds->count;
}
