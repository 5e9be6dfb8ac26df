#include "harness/history/writer.h"

#include "harness/base/clock.h"
#include "harness/base/futex.h"
#include "harness/history/checksum.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int map_file(const char *path, struct history_file *file, struct error *error)
{
    file->descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file->descriptor < 0)
        return error_set(error, "cannot create the history %s: %s", path, strerror(errno));
    if (ftruncate(file->descriptor, (off_t)file->bytes) != 0) {
        error_set(error, "cannot make room for %zu bytes of history in %s: %s", file->bytes, path,
                  strerror(errno));
        close(file->descriptor);
        return -1;
    }
    void *memory = mmap(NULL, file->bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE,
                        file->descriptor, 0);
    if (memory == MAP_FAILED) {
        error_set(error, "cannot map the history %s: %s", path, strerror(errno));
        close(file->descriptor);
        return -1;
    }
    file->header = memory;
    file->chunks = (struct history_chunk *)((char *)memory + HISTORY_CHUNK_BYTES);
    return 0;
}

int history_file_create(const char *path, size_t event_capacity, uint64_t seed,
                        struct history_file *file, struct error *error)
{
    size_t chunks = event_capacity / HISTORY_EVENTS_PER_CHUNK + 1;
    *file = (struct history_file){.bytes = (chunks + 1) * HISTORY_CHUNK_BYTES};
    if (map_file(path, file, error) != 0)
        return -1;
    struct history_header *header = file->header;
    header->version = HISTORY_VERSION;
    header->byte_order = HISTORY_BYTE_ORDER;
    header->event_bytes = sizeof(struct event);
    header->chunk_bytes = HISTORY_CHUNK_BYTES;
    header->began_ns = clock_monotonic_ns();
    header->began_unix_ns = clock_realtime_ns();
    header->seed = seed;
    header->chunk_capacity = chunks;
    memcpy(header->magic, HISTORY_MAGIC, sizeof header->magic);
    header->checksum = history_header_checksum(header);
    return 0;
}

// Says in the file what it holds, so that a reader misses what is missing.
static void write_end(const struct history_file *file, uint64_t chunks_used)
{
    struct history_end *end = &file->header->end;
    for (uint64_t i = 0; i < chunks_used; i++) {
        uint64_t published = atomic_load(&file->chunks[i].published);
        end->chunks += published_events(published) > 0;
        end->events += published_events(published);
        end->writers += published_events(published) > 0 && file->chunks[i].sequence == 0;
    }
    end->dropped = history_file_overflowed(file);
    // Last: who is killed meanwhile leaves a file that was not closed.
    atomic_store_explicit(&end->checksum, history_end_checksum(end), memory_order_release);
}

void history_file_close(struct history_file *file)
{
    if (file->header == NULL)
        return;
    uint64_t claimed = atomic_load(&file->header->chunks_claimed);
    uint64_t used = claimed < file->header->chunk_capacity ? claimed : file->header->chunk_capacity;
    write_end(file, used);
    munmap(file->header, file->bytes);
    // A file that stays too long is still right: its unclaimed chunks are holes.
    (void)!ftruncate(file->descriptor, (off_t)((used + 1) * HISTORY_CHUNK_BYTES));
    close(file->descriptor);
    *file = (struct history_file){.descriptor = -1};
}

bool history_file_overflowed(const struct history_file *file)
{
    return atomic_load(&file->header->chunks_claimed) > file->header->chunk_capacity;
}

bool history_file_is_half_full(const struct history_file *file)
{
    return atomic_load_explicit(&file->header->chunks_claimed, memory_order_relaxed) >
           file->header->chunk_capacity / 2;
}

void history_writer_start(struct history_writer *writer, const struct history_file *file,
                          int client, int worker)
{
    *writer = (struct history_writer){
        .file = file, .client = (uint16_t)client, .worker = (uint16_t)worker};
}

static bool claim_chunk(struct history_writer *writer)
{
    struct history_header *header = writer->file->header;
    if (atomic_load_explicit(&header->chunks_claimed, memory_order_relaxed) >
        header->chunk_capacity)
        return false; // full: and the counter must not grow for ever
    // Release: whoever sees this claim also sees the chunk before it full.
    uint64_t number = atomic_fetch_add_explicit(&header->chunks_claimed, 1, memory_order_release);
    if (number >= header->chunk_capacity)
        return false;
    bool is_first = writer->chunk == NULL;
    writer->first = is_first ? (uint32_t)number : writer->first;
    writer->sequence = is_first ? 0 : writer->sequence + 1;
    writer->chunk = &writer->file->chunks[number];
    writer->count = 0;
    writer->checksum =
        history_chunk_checksum(header, (uint32_t)number, writer->first, writer->sequence);
    writer->chunk->first = writer->first;
    writer->chunk->sequence = writer->sequence;
    return true;
}

// What a follower waits for: grants, accesses, releases, deaths, points. The rest can wait until it
// looks again.
static bool rings(unsigned kind)
{
    return kind == EVENT_ACQUIRE_RETURN || kind == EVENT_READ_RETURN ||
           kind == EVENT_WRITE_RETURN || kind == EVENT_RELEASE_RETURN ||
           kind == EVENT_POINT_REACHED || kind == EVENT_PROCESS_DEATH;
}

int64_t history_append(struct history_writer *writer, struct event event)
{
    if (event.at_ns == 0)
        event.at_ns = clock_monotonic_ns();
    event.client = writer->client;
    event.worker = writer->worker;
    if (writer->chunk == NULL || writer->count == HISTORY_EVENTS_PER_CHUNK) {
        if (!claim_chunk(writer))
            return event.at_ns;
    }
    struct history_chunk *chunk = writer->chunk;
    chunk->events[writer->count] = event;
    writer->checksum = checksum_add(writer->checksum, &event, sizeof event);
    atomic_store_explicit(&chunk->published, published_of(++writer->count, writer->checksum),
                          memory_order_release);
    struct history_header *header = writer->file->header;
    if (atomic_load_explicit(&header->waiting, memory_order_relaxed) != 0 && rings(event.kind)) {
        atomic_fetch_add_explicit(&header->doorbell, 1, memory_order_release);
        futex_wake_all(&header->doorbell);
    }
    return event.at_ns;
}

void history_append_text(struct history_writer *writer, int step, const char *text)
{
    for (size_t rest = strlen(text); rest > 0;) {
        struct event event = {.kind = EVENT_NOTE, .step = (uint8_t)step};
        size_t piece = rest < sizeof event.args ? rest : sizeof event.args;
        memcpy(event.args, text, piece);
        history_append(writer, event);
        text += piece;
        rest -= piece;
    }
}
