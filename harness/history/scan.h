// Goes through a history file chunk by chunk, whatever its state, and finds out what is lost.
#ifndef LOCKPICK_HISTORY_SCAN_H
#define LOCKPICK_HISTORY_SCAN_H

#include "harness/base/error.h"
#include "harness/history/condition.h"
#include "harness/history/event.h"

#include <stddef.h>

// What the header says.
struct history_origin {
    int64_t began_ns;      // CLOCK_MONOTONIC when the file was made
    int64_t began_unix_ns; // CLOCK_REALTIME at the same moment
    uint64_t seed;
};

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

struct history_origin history_scan_origin(const struct history_scan *scan);

// False if there is no more. What is damaged is passed over.
bool history_scan_next(struct history_scan *scan, struct history_piece *piece);

// After the last piece: whether that was all.
void history_scan_condition(const struct history_scan *scan, struct history_condition *condition);

#endif
