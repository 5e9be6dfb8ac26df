// Reads a history file: also one whose writers were killed, or one still being written.
#ifndef LOCKPICK_HISTORY_READER_H
#define LOCKPICK_HISTORY_READER_H

#include "harness/base/error.h"
#include "harness/history/condition.h"
#include "harness/history/event.h"

#include <stddef.h>

struct history {
    struct event *events; // in real-time order; ties keep each worker's own order
    size_t count;
    int64_t began_ns;      // CLOCK_MONOTONIC when the file was made
    int64_t began_unix_ns; // CLOCK_REALTIME at the same moment
    uint64_t seed;
    struct history_condition condition; // zero: it is whole
};

// Loads the whole file: all that can be read of it, and whether that is all. Where events of a
// worker are lost between others there is an EVENT_GAP. 0, or -1 with `error` set (which says what
// is wrong with the file) if it is no history or its header is damaged. The caller frees with
// history_free.
int history_load(const char *path, struct history *history, struct error *error);
void history_free(struct history *history);

// When the trial began for its clients: what stories, plots and printed histories count from.
int64_t history_zero_ns(const struct history *history);

// One event as a line of JSON, without a newline; times in seconds from `zero_ns`. Returns the
// length; `room` of 512 suffices.
int event_print_json(const struct event *event, int64_t zero_ns, char *line, size_t room);

#endif
