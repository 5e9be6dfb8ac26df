#include "harness/history/follower.h"

#include "harness/base/clock.h"
#include "harness/base/futex.h"
#include "harness/base/growing.h"
#include "harness/base/text.h"

#include <stdlib.h>

// A chunk that is not yet seen to its end. There are about as many as there are writers.
struct open_chunk {
    const struct history_chunk *chunk;
    uint32_t seen;
};

struct history_follower {
    const struct history_file *file;
    uint64_t next_chunk; // the first one not yet in `open`
    struct open_chunk *open;
    size_t open_count;
    size_t open_room;
};

struct history_follower *history_follower_new(const struct history_file *file)
{
    struct history_follower *follower = memory_zeroed(1, sizeof *follower);
    follower->file = file;
    return follower;
}

void history_follower_free(struct history_follower *follower)
{
    if (follower == NULL)
        return;
    free(follower->open);
    free(follower);
}

static uint32_t count_of(const struct history_chunk *chunk)
{
    return published_events(atomic_load_explicit(&chunk->published, memory_order_acquire));
}

static void open_new_chunks(struct history_follower *follower)
{
    for (uint64_t claimed = history_file_chunks(follower->file); follower->next_chunk < claimed;) {
        *APPEND(follower->open, follower->open_count, follower->open_room) =
            (struct open_chunk){&follower->file->chunks[follower->next_chunk++], 0};
    }
}

size_t history_follow(struct history_follower *follower,
                      void (*see)(void *context, const struct event *event), void *context)
{
    open_new_chunks(follower);
    size_t total = 0, kept = 0;
    // Chunks stay in the order in which they were claimed, so that a writer's next chunk is never
    // seen before its last one.
    for (size_t i = 0; i < follower->open_count; i++) {
        struct open_chunk open = follower->open[i];
        uint32_t count = count_of(open.chunk);
        for (; open.seen < count; open.seen++, total++)
            see(context, &open.chunk->events[open.seen]);
        if (open.seen < HISTORY_EVENTS_PER_CHUNK)
            follower->open[kept++] = open;
    }
    follower->open_count = kept;
    return total;
}

static bool something_new(const struct history_follower *follower)
{
    if (history_file_chunks(follower->file) > follower->next_chunk)
        return true;
    for (size_t i = 0; i < follower->open_count; i++) {
        const struct open_chunk *open = &follower->open[i];
        if (count_of(open->chunk) > open->seen)
            return true;
    }
    return false;
}

void history_follower_wait(struct history_follower *follower, int64_t until_ns)
{
    struct history_header *header = follower->file->header;
    int64_t look_again_ns = clock_monotonic_ns() + NS_PER_MS;
    uint32_t rung = atomic_load(&header->doorbell);
    atomic_store(&header->waiting, 1);
    if (!something_new(follower))
        futex_wait_until_ns(&header->doorbell, rung, time_earlier(look_again_ns, until_ns));
    atomic_store(&header->waiting, 0);
}

size_t history_events_about(const struct history_file *file)
{
    return (size_t)history_file_chunks(file) * HISTORY_EVENTS_PER_CHUNK;
}
