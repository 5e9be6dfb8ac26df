// memcached servers whose memory is full.
//
// memcached keeps items of about one size together, in a slab class, and throws away the least
// recently used of a class when that is full. So the fillers are exactly as large as the lock's
// item. All that a call needs to know of those before it, the server keeps for it, in an item that
// is much larger, and so of another class.
#include "harness/base/clock.h"
#include "harness/cluster/memcached_control_link.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PIECE_NS (40 * NS_PER_MS)
#define PIECE_BATCHES 20 // at most, so that no memory is full after the first piece
#define BATCH 500        // fillers between two looks for the lock
#define FILLER "lockpick-filler:%08" PRIu64
#define NOTE "lockpick-pressure"
#define NOTE_BYTES 700

const char *const memcached_policies[] = {"lru", NULL};

struct pressure {
    uint64_t fillers;     // so many were stored so far
    int value_bytes;      // of each
    uint64_t evictions;   // of the server, before the first
    uint64_t lock_number; // of the lock's item, when it was last seen
    char lock[100];       // which one it is: several are evicted one by one
};

// --- the note ------------------------------------------------------------------------------------

// 1 if earlier calls have left one, 0 if not, -1 with `error` set.
static int read_note(struct memcached_link *link, struct pressure *pressure, struct error *error)
{
    if (memcached_link_ask(link, "END", error, "get " NOTE) != 0)
        return -1;
    if (memcached_answered(link, "END"))
        return 0;
    const char *value = strchr(text_string(&link->answer), '\n');
    if (value != NULL && sscanf(value, " %" SCNu64 " %d %" SCNu64 " %" SCNu64 " %99s",
                                &pressure->fillers, &pressure->value_bytes, &pressure->evictions,
                                &pressure->lock_number, pressure->lock) == 5)
        return 1;
    return memcached_unexpected(link, "get " NOTE, error);
}

static int write_note(struct memcached_link *link, const struct pressure *pressure,
                      struct error *error)
{
    char value[NOTE_BYTES + 1];
    int length = snprintf(value, sizeof value, "%" PRIu64 " %d %" PRIu64 " %" PRIu64 " %s",
                          pressure->fillers, pressure->value_bytes, pressure->evictions,
                          pressure->lock_number, pressure->lock);
    memset(value + length, ' ', (size_t)(NOTE_BYTES - length));
    value[NOTE_BYTES] = '\0';
    if (memcached_link_ask(link, NULL, error, "set " NOTE " 0 0 %d\r\n%s", NOTE_BYTES, value) != 0)
        return -1;
    return memcached_answered(link, "STORED") ? 0 : memcached_unexpected(link, "set " NOTE, error);
}

// --- beginning -----------------------------------------------------------------------------------

static int count_evictions(struct memcached_link *link, uint64_t *count, struct error *error)
{
    if (memcached_link_ask(link, "END", error, "stats") != 0)
        return -1;
    const char *line = strstr(text_string(&link->answer), "STAT evictions ");
    return line != NULL && sscanf(line, "STAT evictions %" SCNu64, count) == 1
               ? 0
               : memcached_unexpected(link, "stats", error);
}

// How long a filler's value must be: the first filler, which has one of a byte, tells.
static int measure_filler(struct memcached_link *link, struct pressure *pressure, int wanted_bytes,
                          struct error *error)
{
    char name[64];
    struct memcached_item filler;
    snprintf(name, sizeof name, FILLER, pressure->fillers++);
    if (memcached_link_ask(link, NULL, error, "set %s 0 0 1\r\nf", name) != 0)
        return -1;
    int found = memcached_find(link, name, &filler, error);
    if (found <= 0)
        return found < 0 ? -1 : memcached_unexpected(link, "me of a new item", error);
    int bytes = 1 + wanted_bytes - filler.bytes;
    pressure->value_bytes = bytes > 0 ? bytes : 1;
    return 0;
}

// Looks for the lock that is to go, and how many went before it. `bytes` is set to its item's.
// EVICTION_GOES_ON if it is there.
static enum eviction aim(struct memcached_link *link, const struct lock_identity *lock,
                         struct pressure *pressure, int *bytes, struct error *error)
{
    struct memcached_item item;
    int found = memcached_find(link, lock->name, &item, error);
    if (found < 0)
        return EVICTION_FAILED;
    if (found == 0) {
        error_set(error, "%s does not have the lock %s, so that it cannot evict it",
                  link->node->name, lock->name);
        return EVICTION_TOO_LATE;
    }
    pressure->lock_number = item.cas;
    snprintf(pressure->lock, sizeof pressure->lock, "%s", lock->name);
    *bytes = item.bytes;
    return count_evictions(link, &pressure->evictions, error) == 0 ? EVICTION_GOES_ON
                                                                   : EVICTION_FAILED;
}

// `noted`: the pressure of earlier calls is on, for this lock or for another.
static enum eviction begin(struct memcached_link *link, const struct lock_identity *lock, int noted,
                           struct pressure *pressure, struct error *error)
{
    int bytes;
    if (noted == 1 && strcmp(pressure->lock, lock->name) == 0)
        return EVICTION_GOES_ON;
    enum eviction eviction = aim(link, lock, pressure, &bytes, error);
    if (eviction == EVICTION_GOES_ON && noted == 0 &&
        measure_filler(link, pressure, bytes, error) != 0)
        return EVICTION_FAILED;
    return eviction;
}

// --- filling -------------------------------------------------------------------------------------

static int add_fillers(struct memcached_link *link, struct pressure *pressure, struct error *error)
{
    struct text batch = {0};
    char *value = memory_new((size_t)pressure->value_bytes + 1);
    memset(value, 'f', (size_t)pressure->value_bytes);
    value[pressure->value_bytes] = '\0';
    for (int i = 0; i < BATCH; i++)
        text_format(&batch, "set " FILLER " 0 0 %d noreply\r\n%s\r\n", pressure->fillers++,
                    pressure->value_bytes, value);
    int result = memcached_link_send(link, batch.bytes, batch.length, error);
    free(value);
    text_free(&batch);
    return result;
}

// Another item under the lock's name is a later hold: of somebody whom the eviction let in, or,
// before the memory was full, in whatever way the lock came free.
static enum eviction look_for_lock(struct memcached_link *link, const struct lock_identity *lock,
                                   struct pressure *pressure, struct error *error)
{
    struct memcached_item item;
    uint64_t evictions;
    int found = memcached_find(link, lock->name, &item, error);
    if (found < 0)
        return EVICTION_FAILED;
    if (found == 1 && item.cas == pressure->lock_number)
        return EVICTION_GOES_ON;
    if (count_evictions(link, &evictions, error) != 0)
        return EVICTION_FAILED;
    if (evictions > pressure->evictions)
        return EVICTION_DONE;
    if (found == 0) {
        error_set(error, "the lock was gone before the memory of %s was full", link->node->name);
        return EVICTION_TOO_LATE;
    }
    pressure->lock_number = item.cas;
    return EVICTION_GOES_ON;
}

static enum eviction fill(struct memcached_link *link, const struct lock_identity *lock,
                          struct pressure *pressure, struct error *error)
{
    int64_t until_ns = clock_monotonic_ns() + PIECE_NS;
    enum eviction eviction = look_for_lock(link, lock, pressure, error);
    for (int i = 0; i < PIECE_BATCHES && eviction == EVICTION_GOES_ON; i++) {
        if (clock_monotonic_ns() >= until_ns)
            break;
        if (add_fillers(link, pressure, error) != 0)
            return EVICTION_FAILED;
        eviction = look_for_lock(link, lock, pressure, error);
    }
    return eviction;
}

static enum eviction evict_now(struct memcached_link *link, const struct lock_identity *lock,
                               struct error *error)
{
    struct pressure pressure = {0};
    int noted = read_note(link, &pressure, error);
    if (noted < 0)
        return EVICTION_FAILED;
    enum eviction eviction = begin(link, lock, noted, &pressure, error);
    if (eviction != EVICTION_GOES_ON)
        return eviction;
    eviction = fill(link, lock, &pressure, error);
    return write_note(link, &pressure, error) != 0 ? EVICTION_FAILED : eviction;
}

int memcached_evict(const struct node *node, const struct lock_identity *lock, const char *policy,
                    struct error *error)
{
    struct memcached_link link;
    if (policy != NULL && !text_is_one_of(policy, memcached_policies))
        return error_set(error, "memcached has no policy '%s' to evict by", policy);
    if (memcached_link_open(&link, node, error) != 0)
        return -1;
    int result = evict_now(&link, lock, error);
    memcached_link_close(&link);
    return result;
}

// --- relieving -----------------------------------------------------------------------------------

// Most of them were evicted themselves. The note goes last, so that a call that failed can be made
// again.
static int relieve_now(struct memcached_link *link, struct error *error)
{
    struct pressure pressure = {0};
    int noted = read_note(link, &pressure, error);
    int result = noted < 0 ? -1 : 0;
    for (uint64_t i = 0; result == 0 && i < pressure.fillers;) {
        struct text batch = {0};
        for (int of_batch = 0; of_batch < BATCH && i < pressure.fillers; of_batch++)
            text_format(&batch, "delete " FILLER " noreply\r\n", i++);
        result = memcached_link_send(link, batch.bytes, batch.length, error);
        text_free(&batch);
    }
    if (result == 0 && noted == 1)
        result = memcached_link_ask(link, NULL, error, "delete " NOTE);
    return result;
}

int memcached_relieve(const struct node *node, struct error *error)
{
    struct memcached_link link;
    if (memcached_link_open(&link, node, error) != 0)
        return -1;
    int result = relieve_now(&link, error);
    memcached_link_close(&link);
    return result;
}
