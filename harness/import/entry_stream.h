// The entries of a text, one after the other, in their order.
#ifndef LOCKPICK_IMPORT_ENTRY_STREAM_H
#define LOCKPICK_IMPORT_ENTRY_STREAM_H

#include "harness/import/entry.h"

struct entry_stream {
    struct reader reader;
    const struct import_options *options;
    struct entry entry;    // that was read last
    bool has_uid;          // values are maps that name the operation
    uint32_t unclear_line; // the first whose value may mean several things; 0: none
    struct shown unclear;  // that value
};

// Begins with the first of the bytes, which must stay until entry_stream_close.
void entry_stream_open(struct entry_stream *stream, enum import_format format, const char *bytes,
                       size_t length, const struct import_options *options,
                       struct problems *problems);
void entry_stream_close(struct entry_stream *stream);

// The next entry that says what it means, good until the next call. READING_BAD after telling what
// is wrong: the rest may be read on. Its reader may be moved between two calls.
enum map_reading entry_stream_next(struct entry_stream *stream, const struct entry **entry);

// Reads on, by two threads, which take what they have read in turn: `take` is called for one entry
// after the other, in their order, by either, until it returns false. Stops in front of whatever
// is to be told, and of what only one thread can read; entry_stream_next goes on there.
void entry_stream_by_two(struct entry_stream *stream,
                         bool (*take)(void *context, const struct entry *entry), void *context);

#endif
