#include "harness/import/entry_stream.h"

#include "harness/base/growing.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

void entry_stream_open(struct entry_stream *stream, enum import_format format, const char *bytes,
                       size_t length, const struct import_options *options,
                       struct problems *problems)
{
    *stream = (struct entry_stream){.options = options};
    reader_start(&stream->reader, format, bytes, length, problems);
}

void entry_stream_close(struct entry_stream *stream)
{
    reader_stop(&stream->reader);
}

// READING_BAD after telling what is wrong.
static enum map_reading read_entry(struct reader *reader, const struct import_options *options,
                                   struct entry_fields *fields, struct entry *entry)
{
    enum map_reading found = reader_next(reader, fields);
    if (found == READING_MAP && entry_read(fields, options, entry, reader->problems) != 0)
        return READING_BAD;
    return found;
}

enum map_reading entry_stream_next(struct entry_stream *stream, const struct entry **entry)
{
    struct entry_fields fields;
    enum map_reading found = read_entry(&stream->reader, stream->options, &fields, &stream->entry);
    if (found != READING_MAP)
        return found;
    if (stream->entry.is_unclear && stream->unclear_line == 0) {
        stream->unclear_line = stream->entry.line;
        stream->unclear = value_show(fields.of[FIELD_VALUE]);
    }
    stream->has_uid |= stream->entry.has_uid;
    *entry = &stream->entry;
    return READING_MAP;
}

// --- by two threads ------------------------------------------------------------------------------

// Bytes of a chunk, which ends with the last line before another one that begins a map.
#define CHUNK ((size_t)1 << 16)
#define LANES 2

// What both have, and use in turn.
struct lanes {
    struct entry_stream *stream; // its reader goes on behind what was taken
    bool (*take)(void *context, const struct entry *entry);
    void *context;
    bool is_over;
    struct lane *items;
};

// One that reads every other chunk, and writes nothing meanwhile that is near what the other one
// needs. Entries stay with the processor that read them: to hand them to another one costs as much
// as to read them.
struct lane {
    struct lanes *of;
    const struct import_options *options;
    const char *first, *end; // what all lanes read
    struct reader reader;
    struct problems found; // thrown away, and told when they are found again
    size_t chunk;
    const char *from, *behind; // from here a line that begins a map was looked for, and found
    sem_t turn;                // to take
    size_t count;              // of entries
    const char *at;            // where reading stopped
    uint32_t line;             // of that, counted from the beginning of the chunk
    struct entry entries[1024];
};

// Where a chunk begins: the first one anywhere, all others with a line that begins a map.
static const char *chunk_begin(struct lane *lane, size_t chunk)
{
    const char *end = lane->end;
    if (chunk == 0 || chunk * CHUNK >= (size_t)(end - lane->first))
        return chunk == 0 ? lane->first : end;
    const char *from = lane->first + chunk * CHUNK;
    // Of long lines nothing is looked at twice.
    if (lane->from == NULL || from < lane->from || from >= lane->behind) {
        const char *found = memmem(from, (size_t)(end - from), "\n{", 2);
        lane->from = from;
        lane->behind = found != NULL ? found + 1 : end;
    }
    return lane->behind;
}

// True if this text, if there is any, is there for as long as the entry is.
static bool lasts(const struct lane *lane, const struct entry *entry, struct slice text)
{
    return text.length == 0 || (text.bytes >= lane->first && text.bytes < lane->end) ||
           (text.bytes >= entry->digits[0] && text.bytes < entry->digits[0] + sizeof entry->digits);
}

// Whether the entry says all by itself, wherever in the whole it stands.
static bool is_complete(const struct lane *lane, const struct entry *entry)
{
    return !entry->is_unclear && lane->reader.list_line == 0 &&
           lasts(lane, entry, entry->process) && lasts(lane, entry, entry->name) &&
           lasts(lane, entry, entry->client) && lasts(lane, entry, entry->error);
}

static void keep_place(struct lane *lane)
{
    lane->at = lane->reader.at;
    lane->line = lane->reader.line;
}

// As many as there is room for. READING_END at the end of the chunk; READING_BAD where there is a
// problem: a chunk that ends in the middle of a map, and was none, is one.
static enum map_reading read_some(struct lane *lane)
{
    struct entry_fields fields;
    const size_t room = sizeof lane->entries / sizeof lane->entries[0];
    for (lane->count = 0; lane->count < room; lane->count++) {
        struct entry *entry = &lane->entries[lane->count];
        keep_place(lane);
        enum map_reading found = read_entry(&lane->reader, lane->options, &fields, entry);
        if (found == READING_END) { // behind the blanks
            keep_place(lane);
            return READING_END;
        }
        if (found != READING_MAP || !is_complete(lane, entry))
            return READING_BAD;
    }
    return READING_MAP;
}

// When it is the lane's turn. `line`: that its chunk begins with.
static void take_some(struct lane *lane, uint32_t line)
{
    struct lanes *lanes = lane->of;
    for (size_t i = 0; i < lane->count && !lanes->is_over; i++) {
        lane->entries[i].line += line;
        if (lane->entries[i].has_uid)
            lanes->stream->has_uid = true;
        lanes->is_over = !lanes->take(lanes->context, &lane->entries[i]);
    }
}

static void *work(void *argument)
{
    struct lane *lane = argument;
    struct lanes *lanes = lane->of;
    struct reader *mark = &lanes->stream->reader;
    for (bool is_over = false; !is_over; lane->chunk += LANES) {
        lane->reader.at = chunk_begin(lane, lane->chunk);
        lane->reader.end = chunk_begin(lane, lane->chunk + 1);
        lane->reader.line = 0;
        enum map_reading found = read_some(lane);
        while (sem_wait(&lane->turn) != 0)
            continue; // a signal came
        uint32_t line = mark->line;
        take_some(lane, line);
        while (found == READING_MAP && !lanes->is_over) {
            found = read_some(lane);
            take_some(lane, line);
        }
        if (!lanes->is_over) {
            mark->at = lane->at;
            mark->line = line + lane->line;
            lanes->is_over = found == READING_BAD || lane->reader.end == lane->end;
        }
        is_over = lanes->is_over;
        sem_post(&lanes->items[(lane->chunk + 1) % LANES].turn);
    }
    return NULL;
}

void entry_stream_by_two(struct entry_stream *stream,
                         bool (*take)(void *context, const struct entry *entry), void *context)
{
    struct lane *lanes = memory_zeroed(LANES, sizeof *lanes);
    struct lanes all = {.stream = stream, .take = take, .context = context, .items = lanes};
    pthread_t thread;
    for (size_t i = 0; i < LANES; i++) {
        lanes[i].of = &all;
        lanes[i].options = stream->options;
        lanes[i].first = stream->reader.at;
        lanes[i].end = stream->reader.end;
        lanes[i].chunk = i;
        lanes[i].found.file = stream->reader.problems->file;
        reader_start(&lanes[i].reader, stream->reader.is_json ? IMPORT_JSON : IMPORT_EDN, NULL, 0,
                     &lanes[i].found);
        sem_init(&lanes[i].turn, 0, i == 0);
    }
    if (pthread_create(&thread, NULL, work, &lanes[1]) == 0) {
        work(&lanes[0]);
        pthread_join(thread, NULL);
    }
    for (size_t i = 0; i < LANES; i++) {
        sem_destroy(&lanes[i].turn);
        reader_stop(&lanes[i].reader);
        text_free(&lanes[i].found.text);
    }
    free(lanes);
}
