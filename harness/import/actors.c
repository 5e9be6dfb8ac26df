#include "harness/import/actors.h"

#include "harness/base/growing.h"
#include "harness/base/scope.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SMALL_NUMBER (INT64_C(1) << 24)

// --- labels --------------------------------------------------------------------------------------

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

// --- actors --------------------------------------------------------------------------------------

static struct actor *new_actor(struct actors *actors, const struct entry *entry)
{
    *APPEND(actors->items, actors->count, actors->room) =
        (struct actor){.number = entry->number, .name = NO_LABEL, .client = NO_LABEL};
    struct actor *actor = &actors->items[actors->count - 1];
    actors_begin_process(actors, actor);
    return actor;
}

void actors_begin_process(struct actors *actors, struct actor *actor)
{
    actor->process = (uint32_t)actors->process_count;
    *APPEND(actors->of_process, actors->process_count, actors->process_room) =
        (uint32_t)(actor - actors->items);
}

// The actor whose index is kept in an array that may have to grow; a new one if there is none.
static struct actor *keep(struct actors *actors, uint32_t **indices, size_t *count, size_t at,
                          const struct entry *entry)
{
    *indices = reaching(*indices, count, at, sizeof **indices);
    if ((*indices)[at] != 0)
        return &actors->items[(*indices)[at] - 1];
    struct actor *actor = new_actor(actors, entry);
    (*indices)[at] = (uint32_t)actors->count;
    return actor;
}

struct actor *actors_find(struct actors *actors, const struct entry *entry)
{
    char digits[24];
    bool is_named = entry->process.length > 0;
    if (!is_named && entry->number >= 0 && entry->number < SMALL_NUMBER)
        return keep(actors, &actors->by_number, &actors->by_number_count, (size_t)entry->number,
                    entry);
    struct slice text = entry->process;
    if (!is_named) { // what no word is
        snprintf(digits, sizeof digits, " %" PRId64, entry->number);
        text = (struct slice){digits, strlen(digits)};
    }
    uint32_t label = labels_number(&actors->texts, text.bytes, text.length);
    struct actor *actor = keep(actors, &actors->by_text, &actors->by_text_count, label, entry);
    actor->name = is_named ? label : NO_LABEL;
    return actor;
}

struct shown actor_show(const struct actors *actors, const struct actor *actor)
{
    struct shown shown;
    if (actor->name != NO_LABEL)
        snprintf(shown.text, sizeof shown.text, "process %s", actors->texts.items[actor->name]);
    else
        snprintf(shown.text, sizeof shown.text, "process %" PRId64, actor->number);
    return shown;
}

// --- clients -------------------------------------------------------------------------------------

static const struct actor *find_number(const struct actors *actors, int64_t number)
{
    bool known =
        number >= 0 && (size_t)number < actors->by_number_count && actors->by_number[number] != 0;
    return known ? &actors->items[actors->by_number[number] - 1] : NULL;
}

static bool is_numbered(const struct actor *actor)
{
    return actor->name == NO_LABEL && actor->number >= 0 && actor->number < SMALL_NUMBER;
}

static bool is_explained(const struct actors *actors, const struct actor *actor,
                         int64_t concurrency)
{
    if (!is_numbered(actor) || actor->number < concurrency)
        return true;
    const struct actor *before = find_number(actors, actor->number - concurrency);
    return before != NULL && before->ended != 0 && before->ended < actor->began;
}

// True if every process from `concurrency` on came after the :info of the one so many before it.
// `*hint` is the one that did not the last time, so that nearly always it is the next one.
static bool explains(const struct actors *actors, int64_t concurrency, size_t *hint)
{
    for (size_t i = 0; i < actors->count; i++) {
        size_t at = (*hint + i) % actors->count;
        if (is_explained(actors, &actors->items[at], concurrency))
            continue;
        *hint = at;
        return false;
    }
    return true;
}

// How many processes there were at first. Jepsen numbers them from 0; who ends with an :info goes
// on under its number and so many more. All that began before the first :info are of the first.
static int64_t find_concurrency(const struct actors *actors)
{
    size_t first_info = SIZE_MAX;
    int64_t concurrency = 1;
    for (size_t i = 0; i < actors->count; i++) {
        if (actors->items[i].ended != 0 && actors->items[i].ended < first_info)
            first_info = actors->items[i].ended;
    }
    for (size_t i = 0; i < actors->count; i++) {
        const struct actor *actor = &actors->items[i];
        if (is_numbered(actor) && actor->began < first_info && actor->number >= concurrency)
            concurrency = actor->number + 1;
    }
    for (size_t hint = 0; !explains(actors, concurrency, &hint);)
        concurrency++;
    return concurrency;
}

// Who two processes of one thread are: the client that their values name, else the thread.
static void find_owners(struct actors *actors, uint32_t *owners, struct problems *problems)
{
    size_t count = actors->count;
    uint32_t *client_of = memory_new((count + 1) * sizeof *client_of); // by thread, as `owners` has
    AUTO_FREE uint32_t *owner_of = memory_new((actors->clients.count + 1) * sizeof *owner_of);
    for (size_t i = 0; i < count; i++)
        client_of[i] = NO_LABEL;
    for (size_t i = 0; i < actors->clients.count; i++)
        owner_of[i] = NO_LABEL;
    for (size_t i = 0; i < count; i++) {
        const struct actor *actor = &actors->items[i];
        if (actor->client == NO_LABEL)
            continue;
        if (owner_of[actor->client] == NO_LABEL)
            owner_of[actor->client] = (uint32_t)i;
        else if (owners[owner_of[actor->client]] != owners[i])
            problems_add(problems, actor->client_line,
                         "the client %s is that of %s and of %s, which are no successors of one "
                         "another: --concurrency N says how many processes there were at first",
                         actors->clients.items[actor->client],
                         actor_show(actors, &actors->items[owner_of[actor->client]]).text,
                         actor_show(actors, actor).text);
        if (client_of[owners[i]] == NO_LABEL)
            client_of[owners[i]] = actor->client;
    }
    for (size_t i = 0; i < count; i++) {
        const struct actor *actor = &actors->items[i];
        uint32_t client = actor->client != NO_LABEL ? actor->client : client_of[owners[i]];
        owners[i] = client != NO_LABEL ? owner_of[client] : owners[i];
    }
    free(client_of);
}

// The index of the first process of each one's thread; then, of its client.
static uint32_t *own(struct actors *actors, int64_t concurrency, struct import_notes *notes,
                     struct problems *problems)
{
    uint32_t *owners = memory_new((actors->count + 1) * sizeof *owners);
    uint32_t *threads = memory_zeroed(actors->by_number_count + 1, sizeof *threads);
    for (size_t i = 0; i < actors->count; i++) {
        const struct actor *actor = &actors->items[i];
        owners[i] = (uint32_t)i;
        if (!is_numbered(actor))
            continue;
        uint32_t *thread = &threads[actor->number % concurrency];
        notes->continued += *thread != 0;
        *thread = *thread != 0 ? *thread : (uint32_t)i + 1;
        owners[i] = *thread - 1;
    }
    free(threads);
    if (actors->clients.count > 0)
        find_owners(actors, owners, problems);
    return owners;
}

void actors_hand_over(struct actors *actors, const struct import_options *options,
                      struct operations *operations, struct import_notes *notes,
                      struct problems *problems)
{
    size_t count = actors->process_count;
    operations->process_count = (uint32_t)count;
    operations->numbers = memory_new((count + 1) * sizeof *operations->numbers);
    if (actors->texts.count > 0)
        operations->processes = memory_zeroed(count, sizeof *operations->processes);
    notes->continued = count - actors->count;
    notes->concurrency = options->concurrency > 0 ? options->concurrency : find_concurrency(actors);
    AUTO_FREE uint32_t *owners = own(actors, notes->concurrency, notes, problems);
    if (options->owner == OWNER_IS_CLIENT)
        operations->owners = memory_new((count + 1) * sizeof *operations->owners);
    for (size_t i = 0; i < count; i++) {
        const struct actor *actor = &actors->items[actors->of_process[i]];
        operations->numbers[i] = actor->number;
        if (actor->name != NO_LABEL)
            operations->processes[i] = memory_string(actor_show(actors, actor).text);
        if (operations->owners != NULL)
            operations->owners[i] = owners[actors->of_process[i]];
    }
}

void actors_free(struct actors *actors)
{
    free(actors->items);
    free(actors->by_number);
    free(actors->by_text);
    free(actors->of_process);
    labels_free(&actors->texts);
    labels_free(&actors->clients);
    *actors = (struct actors){0};
}
