#include "harness/history/reader.h"

#include "harness/base/ahead.h"
#include "harness/base/file.h"
#include "harness/base/growing.h"
#include "harness/base/rank.h"
#include "harness/base/text.h"
#include "harness/history/writer.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Chunks that are read at a time: 256 KiB, which the processor's cache holds, of however long a
// file. Not mapped: a hole on a full disk, a file that is cut meanwhile, or a broken disk would end
// us by SIGBUS.
#define WINDOW_CHUNKS 64
#define WINDOWS 8 // so many are read ahead, so that nobody waits at each
// A file of more than these is read ahead by a thread.
#define MOST_ALONE (16 * WINDOW_CHUNKS)

struct window {
    struct history_chunk *chunks;
    uint64_t from, count; // count 0: there are no more
    bool is_intact[WINDOW_CHUNKS];
    int unread; // errno, if what follows cannot be read
};

// What a scan found, put together.
struct damage {
    uint64_t chunks; // that could be read, with at least one event
    uint64_t events;
    uint64_t unreadable; // chunks that are there, but damaged
    uint64_t first_at;   // byte of the file at which the first of them begins
    uint64_t gaps;       // chunks that are missing between others of their writers
    bool harness_gap;    // one of them is the harness's own
    bool interrupted;    // the harness wrote that the user had asked for an end
    int unread;          // errno, if the file could not be read to its end
};

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
    uint64_t next;        // chunk to be looked at
    uint64_t unread_from; // chunk to be read
    struct window windows[WINDOWS], *window;
    struct ahead ahead; // fills windows while another is looked at
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
        !beginning_is_valid(header->began_ns))
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
    ahead_stop(&scan->ahead);
    if (scan->descriptor >= 0) {
        close(scan->descriptor);
        for (size_t i = 0; i < WINDOWS; i++)
            free(scan->windows[i].chunks);
    }
    free(scan->authors);
    free(scan->author_of);
    free(scan);
}

int64_t history_scan_began_ns(const struct history_scan *scan)
{
    return scan->header.began_ns;
}

size_t history_scan_events(const struct history_scan *scan)
{
    uint64_t claimed = atomic_load(&scan->header.chunks_claimed);
    return (claimed < scan->chunk_count ? claimed : scan->chunk_count) * HISTORY_EVENTS_PER_CHUNK;
}

// --- the chunks ----------------------------------------------------------------------------------

// True if the chunk is as its writer left it, and has events.
static bool is_intact(const struct history_scan *scan, const struct history_chunk *chunk,
                      uint64_t at)
{
    uint64_t published = atomic_load_explicit(&chunk->published, memory_order_acquire);
    uint32_t count = published_events(published), number = (uint32_t)at;
    if (at > UINT32_MAX || count == 0 || count > HISTORY_EVENTS_PER_CHUNK)
        return false;
    if (chunk->first > number || (chunk->first == number) != (chunk->sequence == 0))
        return false;
    uint32_t checksum =
        history_chunk_checksum(&scan->header, number, chunk->first, chunk->sequence);
    // Both in one loop: a processor looks at an event while it waits for its checksum.
    for (uint32_t i = 0; i < count; i++) {
        checksum = checksum_add(checksum, &chunk->events[i], sizeof *chunk->events);
        if (!event_is_valid(&chunk->events[i], scan->header.began_ns))
            return false;
    }
    return checksum == published_checksum(published);
}

// Goes on to where the file has data: what was never written is a hole.
static void skip_hole(struct history_scan *scan)
{
    off_t from = (off_t)((scan->unread_from + 1) * HISTORY_CHUNK_BYTES);
    off_t data = lseek(scan->descriptor, from, SEEK_DATA);
    if (data < 0 && errno == ENXIO)
        scan->unread_from = scan->chunk_count;
    else if (data > from)
        scan->unread_from = (uint64_t)data / HISTORY_CHUNK_BYTES - 1;
}

// Reads the next chunks. What is missing behind the end of a file that is cut inside a chunk is
// zero.
static void read_window(void *of, size_t slot)
{
    struct history_scan *scan = of;
    struct window *window = &scan->windows[slot];
    skip_hole(scan);
    uint64_t left =
        scan->unread_from < scan->chunk_count ? scan->chunk_count - scan->unread_from : 0;
    window->from = scan->unread_from;
    window->count = left < WINDOW_CHUNKS ? left : WINDOW_CHUNKS;
    if (window->chunks == NULL)
        window->chunks = memory_new(WINDOW_CHUNKS * HISTORY_CHUNK_BYTES);
    size_t wanted = window->count * HISTORY_CHUNK_BYTES, done = 0;
    off_t from = (off_t)((window->from + 1) * HISTORY_CHUNK_BYTES);
    ssize_t got = 0;
    while (done < wanted) {
        got = pread(scan->descriptor, (char *)window->chunks + done, wanted - done,
                    from + (off_t)done);
        if (got == 0 || (got < 0 && errno != EINTR))
            break;
        done += got > 0 ? (size_t)got : 0;
    }
    memset((char *)window->chunks + done, 0, wanted - done);
    if (got < 0) {
        window->unread = errno;
        window->count = done / HISTORY_CHUNK_BYTES;
    }
    scan->unread_from = got < 0 ? scan->chunk_count : window->from + window->count;
    for (uint64_t i = 0; i < window->count; i++)
        window->is_intact[i] = is_intact(scan, &window->chunks[i], window->from + i);
}

static void next_window(struct history_scan *scan)
{
    if (scan->window == NULL)
        ahead_start(&scan->ahead, scan->chunk_count > MOST_ALONE ? WINDOWS : 1, read_window, scan);
    scan->window = &scan->windows[ahead_next(&scan->ahead)];
    scan->next = scan->window->from;
    if (scan->window->unread != 0)
        scan->damage.unread = scan->window->unread;
}

// NULL: there is no more.
static const struct history_chunk *next_chunk(struct history_scan *scan)
{
    if (scan->descriptor >= 0 &&
        (scan->window == NULL || scan->next >= scan->window->from + scan->window->count))
        next_window(scan);
    const struct window *window = scan->window;
    return scan->next < window->from + window->count ? &window->chunks[scan->next++ - window->from]
                                                     : NULL;
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
        if ((scan->descriptor >= 0 ? scan->window->is_intact[number - scan->window->from]
                                   : is_intact(scan, chunk, number)) &&
            take(scan, chunk, published_events(published), piece))
            return true;
        if (scan->damage.unreadable++ == 0)
            scan->damage.first_at = (number + 1) * HISTORY_CHUNK_BYTES;
    }
}

// --- what is lost --------------------------------------------------------------------------------

#define LEAST(a, b) ((a) < (b) ? (a) : (b))

// Closed: how much there was is known.
static void judge_closed(const struct history_scan *scan, const char *unreadable,
                         struct history_condition *condition)
{
    const struct damage *damage = &scan->damage;
    const struct history_end *end = &scan->header.end;
    const size_t room = sizeof condition->text;
    uint64_t chunks = end->chunks - LEAST(damage->chunks, end->chunks);
    uint64_t events = end->events - LEAST(damage->events, end->events);
    // A writer of the harness that filled its last chunk may have written another.
    bool harness_may_go_on = end->writers != scan->author_count;
    for (size_t i = 0; i < scan->author_count; i++)
        harness_may_go_on |= scan->authors[i].last.client == 0 &&
                             scan->authors[i].last_count == HISTORY_EVENTS_PER_CHUNK;
    // What the gaps do not explain was at the end of some writer, or all that it wrote.
    condition->harness_lost |= (chunks > damage->gaps && harness_may_go_on) || end->dropped != 0;
    if (chunks > 0 || events > 0)
        snprintf(condition->text, room,
                 "the history is damaged: %" PRIu64 " of its %" PRIu64 " events and %" PRIu64
                 " of its %" PRIu64 " chunks are lost%s%s",
                 events, end->events, chunks, end->chunks, unreadable[0] ? "; " : "", unreadable);
    else if (damage->unreadable > 0)
        snprintf(condition->text, room, "the history is damaged: %s", unreadable);
    else if (damage->chunks != end->chunks || damage->events != end->events)
        snprintf(condition->text, room,
                 "the history is damaged: it has %" PRIu64 " events, and had %" PRIu64
                 " when it was closed",
                 damage->events, end->events);
    else if (end->dropped != 0)
        snprintf(condition->text, room, "the history was full: what came later was not recorded");
    else
        condition->state = damage->interrupted ? HISTORY_UNFINISHED : HISTORY_WHOLE;
    if (condition->state == HISTORY_UNFINISHED)
        snprintf(condition->text, room, "the history ends early: its trial was interrupted");
}

static void judge_open(const struct history_scan *scan, const char *unreadable,
                       struct history_condition *condition)
{
    const struct damage *damage = &scan->damage;
    const struct history_header *header = &scan->header;
    char gaps[60];
    uint64_t full_bytes = (header->chunk_capacity + 1) * HISTORY_CHUNK_BYTES;
    // Where all its writers were killed it may have been cut behind what they claimed.
    uint64_t used_bytes = (history_header_chunks(header) + 1) * HISTORY_CHUNK_BYTES;
    bool is_cut = scan->bytes < full_bytes && scan->bytes != used_bytes;
    bool has_bad_end = header->end.checksum != 0;
    snprintf(gaps, sizeof gaps, "%" PRIu64 " chunk%s missing", damage->gaps,
             damage->gaps == 1 ? " is" : "s are");
    if (damage->unreadable == 0 && damage->gaps == 0 && !has_bad_end && !is_cut) {
        condition->state = HISTORY_UNFINISHED;
        snprintf(condition->text, sizeof condition->text,
                 "the history was never closed: its run was killed, or goes on");
        return;
    }
    condition->harness_lost = true;
    snprintf(condition->text, sizeof condition->text, "the history is damaged: %s%s%s%s",
             has_bad_end ? "its header does not say how much there was" : "",
             has_bad_end && damage->unreadable > 0 ? "; " : "",
             damage->unreadable > 0 ? unreadable
             : has_bad_end          ? ""
             : damage->gaps > 0     ? gaps
                                    : "its end is missing",
             has_bad_end ? "" : "; and it was never closed");
}

void history_scan_condition(const struct history_scan *scan, struct history_condition *condition)
{
    const struct damage *damage = &scan->damage;
    const struct history_end *end = &scan->header.end;
    char unreadable[100];
    *condition =
        (struct history_condition){.state = HISTORY_DAMAGED, .harness_lost = damage->harness_gap};
    snprintf(unreadable, sizeof unreadable,
             "%" PRIu64 " chunk%s cannot be read, the first at byte %" PRIu64, damage->unreadable,
             damage->unreadable == 1 ? "" : "s", damage->first_at);
    if (damage->unread != 0) {
        condition->harness_lost = true;
        snprintf(condition->text, sizeof condition->text,
                 "the history could not be read to its end: %s", strerror(damage->unread));
    } else if (end->checksum != 0 && end->checksum == history_end_checksum(end)) {
        judge_closed(scan, damage->unreadable > 0 ? unreadable : "", condition);
    } else {
        judge_open(scan, unreadable, condition);
    }
}

// --- as a whole ----------------------------------------------------------------------------------

static void add_events(struct history *history, size_t *room, const struct event *events,
                       size_t count)
{
    if (history->count + count > *room) {
        *room = *room * 2 + count;
        history->events = memory_resized(history->events, *room * sizeof *history->events);
    }
    memcpy(history->events + history->count, events, count * sizeof *events);
    history->count += count;
}

static void load(struct history_scan *scan, struct history *history)
{
    history->began_ns = scan->header.began_ns;
    history->began_unix_ns = scan->header.began_unix_ns;
    size_t room = 0;
    for (struct history_piece piece; history_scan_next(scan, &piece);) {
        const struct event *last = &piece.before_gap;
        const struct event gap = {last->at_ns, last->client, last->worker, .kind = EVENT_GAP};
        if (piece.is_after_gap && last->kind != EVENT_NONE)
            add_events(history, &room, &gap, 1);
        add_events(history, &room, piece.events, piece.count);
    }
    history_scan_condition(scan, &history->condition);
    history_scan_close(scan);
    // Ties keep the order of the file, which is each worker's own.
    sort_by_key(history->events, history->count, sizeof *history->events);
}

int history_load(const char *path, struct history *history, struct error *error)
{
    *history = (struct history){0};
    struct history_scan *scan = history_scan_open(path, error);
    if (scan == NULL)
        return -1;
    load(scan, history);
    return 0;
}

void history_load_finished(const struct history_file *file, struct history *history)
{
    *history = (struct history){0};
    struct history_scan *scan = memory_zeroed(1, sizeof *scan);
    memcpy(&scan->header, file->header, sizeof scan->header);
    scan->descriptor = -1;
    scan->chunk_count = history_file_chunks(file);
    scan->windows[0] = (struct window){.chunks = file->chunks, .count = scan->chunk_count};
    scan->window = scan->windows;
    scan->bytes = (scan->chunk_count + 1) * HISTORY_CHUNK_BYTES;
    load(scan, history);
}

void history_free(struct history *history)
{
    free(history->events);
    *history = (struct history){0};
}

int64_t history_zero_ns(const struct history *history)
{
    for (size_t i = 0; i < history->count; i++) {
        if (history->events[i].kind == EVENT_BARRIER_OPEN)
            return history->events[i].at_ns;
    }
    return history->began_ns;
}
