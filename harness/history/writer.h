// Appends events to a history file that every process of a trial maps.
#ifndef LOCKPICK_HISTORY_WRITER_H
#define LOCKPICK_HISTORY_WRITER_H

#include "harness/base/error.h"
#include "harness/history/file.h"

#include <stdbool.h>
#include <stddef.h>

// The mapped file. Made once by the conductor, inherited by every process it forks.
struct history_file {
    struct history_header *header;
    struct history_chunk *chunks;
    size_t bytes;
    int descriptor;
    // Not NULL: time stands still, and one thread at a time writes. The time of the last event:
    // each comes after the one before, by a nanosecond at least. TIME_NEVER: none is taken any
    // more.
    int64_t *last_ns;
};

// Creates the file, sparse, for at most `event_capacity` events. 0, or -1 with `error` set.
int history_file_create(const char *path, size_t event_capacity, uint64_t seed,
                        struct history_file *file, struct error *error);

// Empties the file: it begins now. Call when no writer lives.
void history_file_restart(struct history_file *file);

// Writes into the file how much it holds, so that it is whole as it is.
void history_file_finish(struct history_file *file);

// Writes into the file how much it holds, cuts it behind the last claimed chunk and unmaps it. Call
// when no writer lives any more.
void history_file_close(struct history_file *file);

// Cuts a file whose writers were all killed before anybody closed it behind the last claimed chunk.
// It remains one that was not closed. What is no history stays as it is.
void history_file_cut(const char *path);

// True if events were dropped because more were written than the file was made for.
bool history_file_overflowed(const struct history_file *file);

// The errno by which the disk refused room for more events, which were dropped then; 0: it did not.
int history_file_no_room(const struct history_file *file);

// How many chunks may have events. Those behind them must not be touched.
uint64_t history_file_chunks(const struct history_file *file);

// True once half of its room is taken: what is merely useful is not recorded any more.
bool history_file_is_half_full(const struct history_file *file);

// One thread's writer. Never shared between threads.
struct history_writer {
    const struct history_file *file;
    struct history_chunk *chunk;
    uint32_t count;    // of the events in `chunk`
    uint32_t checksum; // of them
    uint32_t first;    // its first chunk
    uint32_t sequence; // of `chunk` among its own
    uint16_t client;
    uint16_t worker;
};

void history_writer_start(struct history_writer *writer, const struct history_file *file,
                          int client, int worker);

// Appends the event; client and worker are the writer's, at_ns is now unless it is set already.
// Dropped silently only if the file or the disk is full (history_file_overflowed and
// history_file_no_room tell). Returns at_ns.
int64_t history_append(struct history_writer *writer, struct event event);

// Appends a text about a fault, as notes.
void history_append_text(struct history_writer *writer, int fault_number, const char *text);

#endif
