// Reads a history file, also one whose writers were killed, or one still being written: as a whole,
// or chunk by chunk; and finds out what is lost.
#ifndef LOCKPICK_HISTORY_READER_H
#define LOCKPICK_HISTORY_READER_H

#include "harness/base/error.h"
#include "harness/history/event.h"

#include <stddef.h>

// --- whether it is all that was written ----------------------------------------------------------

enum history_state {
    HISTORY_WHOLE,      // closed, and every event that was written is there
    HISTORY_UNFINISHED, // all is there up to some moment: its trial was interrupted; or it was
                        // never closed, as its run was killed, or goes on
    HISTORY_DAMAGED,    // something is not there, or cannot be read
};

struct history_condition {
    enum history_state state;
    // Events of the harness itself may be among those that are lost: stalls of the machine, steps
    // of its clock, faults.
    bool harness_lost;
    char text[320]; // one clause for people, "the history ..."; "" if it is whole
};

// --- as a whole ----------------------------------------------------------------------------------

struct history {
    struct event *events; // in real-time order; ties keep each worker's own order
    size_t count;
    int64_t began_ns;                   // CLOCK_MONOTONIC when the file was made
    int64_t began_unix_ns;              // CLOCK_REALTIME at the same moment
    struct history_condition condition; // zero: it is whole
};

// Loads the whole file: all that can be read of it, and whether that is all. Where events of a
// worker are lost between others there is an EVENT_GAP. 0, or -1 with `error` set (which says what
// is wrong with the file) if it is no history or its header is damaged. The caller frees with
// history_free.
int history_load(const char *path, struct history *history, struct error *error);

// The same of a file that is written here, and finished (writer.h).
struct history_file;
void history_load_finished(const struct history_file *file, struct history *history);

void history_free(struct history *history);

// When the trial began for its clients: what stories, plots and printed histories count from.
int64_t history_zero_ns(const struct history *history);

// --- chunk by chunk ------------------------------------------------------------------------------

// The events of one chunk: the next ones of one writer. The writers' chunks come in any order.
struct history_piece {
    const struct event *events; // good until the next piece is asked for
    size_t count;               // at least 1
    size_t writer;              // from 0, in the order of their first pieces
    bool is_after_gap;          // what the writer wrote right before is lost
    struct event before_gap;    // the last event of it that is not; of kind NONE if nothing is left
};

struct history_scan;

// Opens the file and looks at its header. NULL with `error` set (which says what is wrong with it)
// if it is no history, or its header is damaged. The caller ends with history_scan_close.
struct history_scan *history_scan_open(const char *path, struct error *error);
void history_scan_close(struct history_scan *scan);

// How many events its writers had claimed room for: a guess at how many there are.
size_t history_scan_events(const struct history_scan *scan);

// CLOCK_MONOTONIC when the file was made.
int64_t history_scan_began_ns(const struct history_scan *scan);

// False if there is no more. What is damaged is passed over.
bool history_scan_next(struct history_scan *scan, struct history_piece *piece);

// After the last piece: whether that was all.
void history_scan_condition(const struct history_scan *scan, struct history_condition *condition);

#endif
