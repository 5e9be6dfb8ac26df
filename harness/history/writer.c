#include "harness/history/writer.h"

#include "harness/base/clock.h"
#include "harness/base/file.h"
#include "harness/base/futex.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

// Room on the disk is reserved for so many chunks at a time.
#define CHUNKS_AT_ONCE 16

// Reserves room on the disk. 0, 1 if the file system cannot, or -1 with errno set.
static int reserve(int descriptor, uint64_t from, uint64_t bytes)
{
    int result;
    do {
        result = fallocate(descriptor, 0, (off_t)from, (off_t)bytes);
    } while (result != 0 && errno == EINTR);
    return result == 0 ? 0 : errno == EOPNOTSUPP || errno == ENOSYS ? 1 : -1;
}

static int map_file(const char *path, struct history_file *file, struct error *error)
{
    char why[300];
    file->descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (file->descriptor < 0)
        return error_set(error, "cannot create the history %s: %s", path,
                         file_reason(path, why, sizeof why));
    if (ftruncate(file->descriptor, (off_t)file->bytes) != 0 ||
        reserve(file->descriptor, 0, HISTORY_CHUNK_BYTES) < 0) {
        error_set(error, "cannot make room for %zu bytes of history in %s: %s", file->bytes, path,
                  file_reason(path, why, sizeof why));
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

void history_file_restart(struct history_file *file)
{
    struct history_header *header = file->header;
    memset(file->chunks, 0, history_file_chunks(file) * HISTORY_CHUNK_BYTES);
    atomic_store(&header->chunks_claimed, 0);
    memset(&header->end, 0, sizeof header->end);
    header->began_ns = clock_monotonic_ns();
    header->began_unix_ns = clock_realtime_ns();
    header->checksum = history_header_checksum(header);
}

// Says in the file what it holds, so that a reader misses what is missing.
static void write_end(const struct history_file *file, uint64_t chunks_used)
{
    struct history_end *end = &file->header->end;
    *end = (struct history_end){.chunks = 0};
    for (uint64_t i = 0; i < chunks_used; i++) {
        uint64_t published = atomic_load(&file->chunks[i].published);
        end->chunks += published_events(published) > 0;
        end->events += published_events(published);
        end->writers += published_events(published) > 0 && file->chunks[i].sequence == 0;
    }
    end->dropped = history_file_overflowed(file) || history_file_no_room(file) != 0;
    // Last: who is killed meanwhile leaves a file that was not closed.
    atomic_store_explicit(&end->checksum, history_end_checksum(end), memory_order_release);
}

void history_file_finish(struct history_file *file)
{
    write_end(file, history_file_chunks(file));
}

void history_file_close(struct history_file *file)
{
    if (file->header == NULL)
        return;
    uint64_t used = history_file_chunks(file);
    write_end(file, used);
    munmap(file->header, file->bytes);
    // A file that stays too long is still right: its unclaimed chunks are holes.
    (void)!ftruncate(file->descriptor, (off_t)((used + 1) * HISTORY_CHUNK_BYTES));
    close(file->descriptor);
    *file = (struct history_file){.descriptor = -1};
}

void history_file_cut(const char *path)
{
    struct history_header header;
    struct stat about;
    int descriptor = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    if (descriptor < 0)
        return;
    if (read(descriptor, &header, sizeof header) == (ssize_t)sizeof header &&
        header.checksum == history_header_checksum(&header) && fstat(descriptor, &about) == 0) {
        off_t used = (off_t)((history_header_chunks(&header) + 1) * HISTORY_CHUNK_BYTES);
        if (used < about.st_size)
            (void)!ftruncate(descriptor, used);
    }
    close(descriptor);
}

bool history_file_overflowed(const struct history_file *file)
{
    return atomic_load(&file->header->chunks_claimed) > file->header->chunk_capacity;
}

int history_file_no_room(const struct history_file *file)
{
    return atomic_load_explicit(&file->header->no_room, memory_order_relaxed);
}

uint64_t history_file_chunks(const struct history_file *file)
{
    return history_header_chunks(file->header);
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

// Sees to it that there is room on the disk for that chunk and all before it. Several may do so at
// a time.
static bool make_room(const struct history_file *file, uint64_t number)
{
    struct history_header *header = file->header;
    uint64_t reserved = atomic_load_explicit(&header->chunks_reserved, memory_order_acquire);
    if (number < reserved)
        return true;
    uint64_t until = (number / CHUNKS_AT_ONCE + 1) * CHUNKS_AT_ONCE;
    until = until < header->chunk_capacity ? until : header->chunk_capacity;
    int result = reserve(file->descriptor, (reserved + 1) * HISTORY_CHUNK_BYTES,
                         (until - reserved) * HISTORY_CHUNK_BYTES);
    if (result < 0) {
        atomic_store(&header->no_room, errno);
        return false;
    }
    until = result == 0 ? until : UINT64_MAX;
    while (reserved < until &&
           !atomic_compare_exchange_weak(&header->chunks_reserved, &reserved, until))
        continue;
    return true;
}

static bool claim_chunk(struct history_writer *writer)
{
    struct history_header *header = writer->file->header;
    if (atomic_load_explicit(&header->chunks_claimed, memory_order_relaxed) >
            header->chunk_capacity ||
        history_file_no_room(writer->file) != 0)
        return false; // full: and the counter must not grow for ever
    // Release: whoever sees this claim also sees the chunk before it full.
    uint64_t number = atomic_fetch_add_explicit(&header->chunks_claimed, 1, memory_order_release);
    if (number >= header->chunk_capacity || !make_room(writer->file, number))
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
    if (writer->file->last_ns != NULL && *writer->file->last_ns == TIME_NEVER)
        return event.at_ns;
    if (writer->file->last_ns != NULL) {
        event.at_ns = time_later(event.at_ns, *writer->file->last_ns + 1);
        *writer->file->last_ns = event.at_ns;
    }
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

void history_append_text(struct history_writer *writer, int fault_number, const char *text)
{
    for (size_t rest = strlen(text); rest > 0;) {
        struct event event = {.kind = EVENT_NOTE, .fault_number = (uint8_t)fault_number};
        size_t piece = rest < sizeof event.args ? rest : sizeof event.args;
        memcpy(event.args, text, piece);
        history_append(writer, event);
        text += piece;
        rest -= piece;
    }
}
