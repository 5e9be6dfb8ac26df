#include "harness/import/labels.h"

#include "harness/base/growing.h"
#include "harness/base/text.h"

#include <stdlib.h>
#include <string.h>

// FNV-1a, 64 bits (Fowler, Noll, Vo), and its halves mixed, as the table uses the lower bits.
static size_t hash_of(const char *text)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (; *text != '\0'; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return (size_t)(hash ^ hash >> 32);
}

// Where the text is, or would be.
static uint32_t *slot_of(const struct labels *labels, const char *text)
{
    size_t slot = hash_of(text) & (labels->slot_count - 1);
    while (labels->slots[slot] != 0 && strcmp(labels->items[labels->slots[slot] - 1], text) != 0)
        slot = (slot + 1) & (labels->slot_count - 1);
    return &labels->slots[slot];
}

// Never more than half of the slots are taken.
static void grow(struct labels *labels)
{
    labels->slot_count = labels->slot_count > 0 ? labels->slot_count * 2 : 64;
    free(labels->slots);
    labels->slots = memory_zeroed(labels->slot_count, sizeof *labels->slots);
    for (uint32_t i = 0; i < labels->count; i++)
        *slot_of(labels, labels->items[i]) = i + 1;
}

uint32_t labels_number(struct labels *labels, const char *text)
{
    if ((size_t)labels->count * 2 >= labels->slot_count)
        grow(labels);
    uint32_t *slot = slot_of(labels, text);
    if (*slot != 0)
        return *slot - 1;
    labels->items = grown(labels->items, labels->count, &labels->room, sizeof *labels->items);
    labels->items[labels->count] = memory_string(text);
    *slot = ++labels->count;
    return labels->count - 1;
}

void labels_free(struct labels *labels)
{
    for (uint32_t i = 0; labels->items != NULL && i < labels->count; i++)
        free(labels->items[i]);
    free(labels->items);
    free(labels->slots);
    *labels = (struct labels){0};
}
