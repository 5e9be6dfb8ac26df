#include "harness/import/labels.h"

#include "harness/base/growing.h"
#include "harness/base/text.h"

#include <stdlib.h>
#include <string.h>

// FNV-1a, 64 bits (Fowler, Noll, Vo), and its halves mixed, as the table uses the lower bits.
static size_t hash_of(const char *text, size_t length)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
    return (size_t)(hash ^ hash >> 32);
}

static bool is_item(const struct labels *labels, uint32_t number, const char *text, size_t length)
{
    const char *item = labels->items[number];
    return (length == 0 || strncmp(item, text, length) == 0) && item[length] == '\0';
}

// Where the text is, or would be.
static uint32_t *slot_of(const struct labels *labels, const char *text, size_t length)
{
    size_t slot = hash_of(text, length) & (labels->slot_count - 1);
    while (labels->slots[slot] != 0 && !is_item(labels, labels->slots[slot] - 1, text, length))
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
        *slot_of(labels, labels->items[i], strlen(labels->items[i])) = i + 1;
}

uint32_t labels_number(struct labels *labels, const char *text, size_t length)
{
    if ((size_t)labels->count * 2 >= labels->slot_count)
        grow(labels);
    uint32_t *slot = slot_of(labels, text, length);
    if (*slot != 0)
        return *slot - 1;
    labels->items = grown(labels->items, labels->count, &labels->room, sizeof *labels->items);
    char *item = memory_new(length + 1);
    if (length > 0) // `text` may be NULL if there is none
        memcpy(item, text, length);
    item[length] = '\0';
    labels->items[labels->count] = item;
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
