#include "harness/history/reader.h"

#include "harness/base/text.h"
#include "harness/history/file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static int check_header(const char *path, const struct history_header *header, size_t bytes,
                        struct error *error)
{
    if (bytes < HISTORY_CHUNK_BYTES)
        return error_set(error, "%s: not a history: %zu bytes, a header has %d", path, bytes,
                         HISTORY_CHUNK_BYTES);
    if (memcmp(header->magic, HISTORY_MAGIC, sizeof header->magic) != 0)
        return error_set(error, "%s: not a history: it does not begin with " HISTORY_MAGIC, path);
    if (header->byte_order != HISTORY_BYTE_ORDER)
        return error_set(error, "%s: written on a machine of another byte order", path);
    if (header->version != HISTORY_VERSION)
        return error_set(error, "%s: version %u of the format; this program reads version %d", path,
                         header->version, HISTORY_VERSION);
    if (header->event_bytes != sizeof(struct event) || header->chunk_bytes != HISTORY_CHUNK_BYTES)
        return error_set(error, "%s: damaged header: events of %u bytes in chunks of %u", path,
                         header->event_bytes, header->chunk_bytes);
    return 0;
}

static bool event_is_sane(const struct event *event)
{
    return event->kind != EVENT_NONE && event->kind < EVENT_KIND_COUNT &&
           event->outcome <= OUTCOME_BROKEN && event->at_ns > 0;
}

// The sort key of an event: ties keep the order of the file, which is each worker's own.
struct order {
    int64_t at_ns;
    size_t index;
};

static int compare_order(const void *left, const void *right)
{
    const struct order *a = left;
    const struct order *b = right;
    if (a->at_ns != b->at_ns)
        return a->at_ns < b->at_ns ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

static void sort_events(struct history *history)
{
    bool sorted = true;
    for (size_t i = 1; sorted && i < history->count; i++)
        sorted = history->events[i - 1].at_ns <= history->events[i].at_ns;
    if (sorted)
        return;
    struct order *order = memory_new(history->count * sizeof *order);
    for (size_t i = 0; i < history->count; i++)
        order[i] = (struct order){history->events[i].at_ns, i};
    qsort(order, history->count, sizeof *order, compare_order);
    struct event *events = memory_new(history->count * sizeof *events);
    for (size_t i = 0; i < history->count; i++)
        events[i] = history->events[order[i].index];
    free(order);
    free(history->events);
    history->events = events;
}

static int copy_events(const char *path, const struct history_chunk *chunks, size_t chunk_count,
                       struct history *history, struct error *error)
{
    size_t total = 0;
    for (size_t i = 0; i < chunk_count; i++) {
        uint32_t count = atomic_load_explicit(&chunks[i].count, memory_order_acquire);
        if (count > HISTORY_EVENTS_PER_CHUNK)
            return error_set(error, "%s: damaged: chunk %zu claims %u events of at most %d", path,
                             i + 1, count, HISTORY_EVENTS_PER_CHUNK);
        total += count;
    }
    history->events = memory_new(total * sizeof *history->events);
    for (size_t i = 0; i < chunk_count; i++) {
        uint32_t count = atomic_load_explicit(&chunks[i].count, memory_order_acquire);
        for (uint32_t j = 0; j < count && history->count < total; j++) {
            if (!event_is_sane(&chunks[i].events[j]))
                return error_set(error, "%s: damaged: event %u of chunk %zu is of no known kind",
                                 path, j + 1, i + 1);
            history->events[history->count++] = chunks[i].events[j];
        }
    }
    return 0;
}

static int load_mapped(const char *path, const char *memory, size_t bytes, struct history *history,
                       struct error *error)
{
    const struct history_header *header = (const struct history_header *)(const void *)memory;
    if (check_header(path, header, bytes, error) != 0)
        return -1;
    uint64_t claimed = atomic_load(&header->chunks_claimed);
    size_t present = bytes / HISTORY_CHUNK_BYTES - 1; // a last chunk cut short is lost
    size_t chunk_count = claimed < present ? (size_t)claimed : present;
    history->began_ns = header->began_ns;
    history->began_unix_ns = header->began_unix_ns;
    history->seed = header->seed;
    const void *first = memory + HISTORY_CHUNK_BYTES;
    if (copy_events(path, first, chunk_count, history, error) != 0)
        return -1;
    sort_events(history);
    return 0;
}

int history_load(const char *path, struct history *history, struct error *error)
{
    *history = (struct history){0};
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return error_set(error, "cannot open the history %s: %s", path, strerror(errno));
    struct stat status;
    if (fstat(descriptor, &status) != 0 || status.st_size < HISTORY_CHUNK_BYTES) {
        close(descriptor);
        return error_set(error, "%s: not a history: shorter than its header", path);
    }
    size_t bytes = (size_t)status.st_size;
    void *memory = mmap(NULL, bytes, PROT_READ, MAP_SHARED, descriptor, 0);
    close(descriptor);
    if (memory == MAP_FAILED)
        return error_set(error, "cannot map the history %s: %s", path, strerror(errno));
    int result = load_mapped(path, memory, bytes, history, error);
    munmap(memory, bytes);
    if (result != 0)
        history_free(history);
    return result;
}

void history_free(struct history *history)
{
    free(history->events);
    *history = (struct history){0};
}

static bool is_point_in_time(const char *name)
{
    return strcmp(name, "valid_until") == 0 || strcmp(name, "give_up") == 0 ||
           strcmp(name, "killed") == 0;
}

int64_t history_zero_ns(const struct history *history)
{
    for (size_t i = 0; i < history->count; i++) {
        if (history->events[i].kind == EVENT_BARRIER_OPEN)
            return history->events[i].at_ns;
    }
    return history->began_ns;
}

// Adds the text of a note in place of the closing brace. Printable ASCII only: JSON takes the rest
// amiss.
static int print_note(const struct event *event, char *out, size_t room)
{
    char text[sizeof event->args + 1] = "";
    memcpy(text, event->args, sizeof event->args);
    for (char *next = text; *next != '\0'; next++) {
        if (*next < ' ' || *next > '~' || *next == '"' || *next == '\\')
            *next = '?';
    }
    return snprintf(out, room, ",\"text\":\"%s\"}", text);
}

int event_print_json(const struct event *event, int64_t zero_ns, char *line, size_t room)
{
    int length = snprintf(line, room, "{\"t\":%.6f,\"client\":%u,\"worker\":%u,\"event\":\"%s\"",
                          (double)(event->at_ns - zero_ns) / 1e9, event->client, event->worker,
                          event_kind_name(event->kind));
    const char *const *names = event_argument_names(event->kind);
#define ADD(...) length += snprintf(line + length, room - (size_t)length, __VA_ARGS__)
    if (event->outcome != OUTCOME_OK || event->kind == EVENT_ACQUIRE_RETURN ||
        event->kind == EVENT_WRITE_RETURN || event->kind == EVENT_READ_RETURN)
        ADD(",\"outcome\":\"%s\"", outcome_name(event->outcome));
    if (event->kind == EVENT_RELEASE_RETURN)
        ADD(",\"answer\":\"%s\"", release_answer_name(event->detail));
    if (event->kind == EVENT_STOP_ASKED)
        ADD(",\"reason\":\"%s\"", stop_reason_name(event->detail));
    if (event->kind == EVENT_FAULT_HEALED)
        ADD(",\"reason\":\"%s\"", heal_reason_name(event->detail));
    if (event->step != 0)
        ADD(",\"fault\":%u", event->step);
    for (int i = 0; i < 4; i++) {
        if (names[i][0] == '\0')
            continue;
        if (event->args[i] == INT64_MAX)
            ADD(",\"%s\":null", names[i]);
        else if (is_point_in_time(names[i]) && event->args[i] > 0)
            ADD(",\"%s\":%.6f", names[i], (double)(event->args[i] - zero_ns) / 1e9);
        else
            ADD(",\"%s\":%" PRId64, names[i], event->args[i]);
    }
    ADD("}");
    if (event->kind == EVENT_NOTE)
        length += print_note(event, line + length - 1, room - (size_t)length + 1) - 1;
#undef ADD
    return length;
}
