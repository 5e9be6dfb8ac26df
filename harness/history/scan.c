#include "harness/history/scan.h"

#include "harness/base/file.h"
#include "harness/base/growing.h"
#include "harness/base/text.h"
#include "harness/history/checksum.h"
#include "harness/history/damage.h"
#include "harness/history/file.h"
#include "harness/history/sense.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Chunks that are read at a time: 256 KiB, which the processor's cache holds, of however long a
// file. Not mapped: a hole on a full disk, a file that is cut meanwhile, or a broken disk would end
// us by SIGBUS.
#define WINDOW_CHUNKS 64

// What is known of one writer so far.
struct author {
    uint32_t next_sequence;
    uint32_t last_count; // events in its last chunk
    struct event last;   // its last event
};

struct history_scan {
    struct history_header header;
    int descriptor;
    uint64_t bytes;
    uint64_t chunk_count; // a last one that is cut short included
    uint64_t next;        // chunk
    struct history_chunk *window;
    uint64_t window_from, window_count; // chunks
    struct author *authors;
    size_t author_count, author_room;
    uint32_t *author_of; // by first chunk, one more than the index; 0: not seen
    size_t author_of_count;
    struct damage damage;
};

// --- the header ----------------------------------------------------------------------------------

static int check_header(const char *path, const struct history_header *header, struct error *error)
{
    if (memcmp(header->magic, HISTORY_MAGIC, sizeof header->magic) != 0)
        return error_set(error, "%s: not a history: it does not begin with " HISTORY_MAGIC, path);
    if (header->byte_order != HISTORY_BYTE_ORDER)
        return error_set(error, "%s: written on a machine of another byte order", path);
    if (header->version != HISTORY_VERSION)
        return error_set(error, "%s: version %u of the format; this program reads version %d", path,
                         header->version, HISTORY_VERSION);
    if (header->checksum != history_header_checksum(header))
        return error_set(error, "%s: damaged header: its checksum is not that of its contents",
                         path);
    if (header->event_bytes != sizeof(struct event) || header->chunk_bytes != HISTORY_CHUNK_BYTES ||
        !beginning_makes_sense(header->began_ns))
        return error_set(error, "%s: damaged header: events of %u bytes in chunks of %u", path,
                         header->event_bytes, header->chunk_bytes);
    return 0;
}

static int open_file(struct history_scan *scan, const char *path, struct error *error)
{
    struct stat status;
    scan->descriptor = file_open(path, error);
    if (scan->descriptor < 0)
        return -1;
    if (fstat(scan->descriptor, &status) != 0)
        return error_set(error, "cannot open %s: %s", path, strerror(errno));
    if (status.st_size < HISTORY_CHUNK_BYTES)
        return error_set(error, "%s: not a history: shorter than its header", path);
    ssize_t got = pread(scan->descriptor, &scan->header, sizeof scan->header, 0);
    if (got != (ssize_t)sizeof scan->header)
        return error_set(error, "cannot read the history %s: %s", path,
                         got < 0 ? strerror(errno) : "it ends too soon");
    scan->bytes = (uint64_t)status.st_size;
    scan->chunk_count = (scan->bytes - 1) / HISTORY_CHUNK_BYTES;
    return check_header(path, &scan->header, error);
}

struct history_scan *history_scan_open(const char *path, struct error *error)
{
    struct history_scan *scan = memory_zeroed(1, sizeof *scan);
    if (open_file(scan, path, error) == 0)
        return scan;
    history_scan_close(scan);
    return NULL;
}

void history_scan_close(struct history_scan *scan)
{
    if (scan->descriptor >= 0)
        close(scan->descriptor);
    free(scan->window);
    free(scan->authors);
    free(scan->author_of);
    free(scan);
}

struct history_origin history_scan_origin(const struct history_scan *scan)
{
    return (struct history_origin){scan->header.began_ns, scan->header.began_unix_ns,
                                   scan->header.seed};
}

size_t history_scan_events(const struct history_scan *scan)
{
    uint64_t claimed = atomic_load(&scan->header.chunks_claimed);
    return (claimed < scan->chunk_count ? claimed : scan->chunk_count) * HISTORY_EVENTS_PER_CHUNK;
}

// --- the chunks ----------------------------------------------------------------------------------

// Goes on to where the file has data: what was never written is a hole.
static void skip_hole(struct history_scan *scan)
{
    off_t from = (off_t)((scan->next + 1) * HISTORY_CHUNK_BYTES);
    off_t data = lseek(scan->descriptor, from, SEEK_DATA);
    if (data < 0 && errno == ENXIO)
        scan->next = scan->chunk_count;
    else if (data > from)
        scan->next = (uint64_t)data / HISTORY_CHUNK_BYTES - 1;
}

// Reads the next chunks. What is missing behind the end of a file that is cut inside a chunk is
// zero.
static void read_window(struct history_scan *scan)
{
    uint64_t left = scan->chunk_count - scan->next;
    scan->window_from = scan->next;
    scan->window_count = left < WINDOW_CHUNKS ? left : WINDOW_CHUNKS;
    if (scan->window == NULL)
        scan->window = memory_new(scan->window_count * HISTORY_CHUNK_BYTES);
    size_t wanted = scan->window_count * HISTORY_CHUNK_BYTES, done = 0;
    off_t from = (off_t)((scan->next + 1) * HISTORY_CHUNK_BYTES);
    ssize_t got;
    do {
        got =
            pread(scan->descriptor, (char *)scan->window + done, wanted - done, from + (off_t)done);
        done += got > 0 ? (size_t)got : 0;
    } while (done < wanted && (got > 0 || (got < 0 && errno == EINTR)));
    memset((char *)scan->window + done, 0, wanted - done);
    if (got >= 0)
        return;
    scan->damage.unread = errno;
    scan->window_count = done / HISTORY_CHUNK_BYTES;
    scan->chunk_count = scan->next + scan->window_count;
}

// NULL: there is no more.
static const struct history_chunk *next_chunk(struct history_scan *scan)
{
    if (scan->next >= scan->window_from + scan->window_count) {
        skip_hole(scan);
        if (scan->next < scan->chunk_count)
            read_window(scan);
    }
    return scan->next < scan->chunk_count ? &scan->window[scan->next++ - scan->window_from] : NULL;
}

static struct author *author_of(struct history_scan *scan, uint32_t first)
{
    scan->author_of =
        reaching(scan->author_of, &scan->author_of_count, first, sizeof *scan->author_of);
    if (scan->author_of[first] == 0) {
        *APPEND(scan->authors, scan->author_count, scan->author_room) = (struct author){0};
        scan->author_of[first] = (uint32_t)scan->author_count;
    }
    return &scan->authors[scan->author_of[first] - 1];
}

// True if the chunk is as its writer left it.
static bool is_intact(const struct history_scan *scan, const struct history_chunk *chunk,
                      uint32_t number, uint64_t published)
{
    uint32_t count = published_events(published);
    if (count > HISTORY_EVENTS_PER_CHUNK)
        return false;
    if (chunk->first > number || (chunk->first == number) != (chunk->sequence == 0))
        return false;
    uint32_t checksum =
        history_chunk_checksum(&scan->header, number, chunk->first, chunk->sequence);
    // Both in one loop: a processor looks at an event while it waits for its checksum.
    for (uint32_t i = 0; i < count; i++) {
        checksum = checksum_add(checksum, &chunk->events[i], sizeof *chunk->events);
        if (!event_makes_sense(&chunk->events[i], scan->header.began_ns))
            return false;
    }
    return checksum == published_checksum(published);
}

// True if one of the events is the harness's own word that the user had asked for an end.
static bool tells_interruption(const struct history_chunk *chunk, uint32_t count)
{
    for (uint32_t i = 0; chunk->events[0].client == 0 && i < count; i++) {
        if (chunk->events[i].kind == EVENT_STOP_ASKED &&
            chunk->events[i].detail == STOP_INTERRUPTED)
            return true;
    }
    return false;
}

// Adds an intact chunk to what is known of its writer. False if it cannot be the writer's next.
static bool take(struct history_scan *scan, const struct history_chunk *chunk, uint32_t count,
                 struct history_piece *piece)
{
    struct author *author = author_of(scan, chunk->first);
    if (chunk->sequence < author->next_sequence)
        return false;
    uint32_t lost = chunk->sequence - author->next_sequence;
    // Nobody begins a chunk before the last one is full; so it was read while it was written.
    bool is_torn = author->last_count < HISTORY_EVENTS_PER_CHUNK;
    bool is_first = author->last_count == 0;
    *piece = (struct history_piece){.events = chunk->events,
                                    .count = count,
                                    .writer = (size_t)(author - scan->authors),
                                    .is_after_gap = lost > 0 || (is_torn && !is_first),
                                    .before_gap = author->last};
    author->next_sequence = chunk->sequence + 1;
    author->last_count = count;
    author->last = chunk->events[count - 1];
    scan->damage.gaps += lost;
    scan->damage.harness_gap |= lost > 0 && author->last.client == 0;
    scan->damage.interrupted |= tells_interruption(chunk, count);
    scan->damage.chunks++;
    scan->damage.events += count;
    return true;
}

bool history_scan_next(struct history_scan *scan, struct history_piece *piece)
{
    for (;;) {
        const struct history_chunk *chunk = next_chunk(scan);
        if (chunk == NULL)
            return false;
        uint64_t number = scan->next - 1;
        uint64_t published = atomic_load_explicit(&chunk->published, memory_order_acquire);
        if (published == 0) // claimed, and nothing was written; or never claimed
            continue;
        if (number <= UINT32_MAX && is_intact(scan, chunk, (uint32_t)number, published) &&
            published_events(published) > 0 &&
            take(scan, chunk, published_events(published), piece))
            return true;
        if (scan->damage.unreadable++ == 0)
            scan->damage.first_at = (number + 1) * HISTORY_CHUNK_BYTES;
    }
}

void history_scan_condition(const struct history_scan *scan, struct history_condition *condition)
{
    struct damage damage = scan->damage;
    damage.file_bytes = scan->bytes;
    damage.writers = scan->author_count;
    for (size_t i = 0; i < scan->author_count; i++)
        damage.harness_may_go_on |= scan->authors[i].last.client == 0 &&
                                    scan->authors[i].last_count == HISTORY_EVENTS_PER_CHUNK;
    damage_judge(&damage, &scan->header, condition);
}
