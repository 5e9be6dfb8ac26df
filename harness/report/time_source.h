// Whose the times of an external program are, and what else is in them: our way to it, and the
// proxy that its requests pass.
#ifndef LOCKPICK_REPORT_TIME_SOURCE_H
#define LOCKPICK_REPORT_TIME_SOURCE_H

#include "harness/history/reader.h"

#include <stdbool.h>

// As bits; of all workers, so that a bit is one that all have in common. 0: times are ours, taken
// around a line of JSON each way and a proxy.
enum time_source {
    TIMES_STRAIGHT = 1, // no proxy
    TIMES_OWN = 2,      // of acquire and release: by its own clock, around the library's call
    TIMES_OWN_LOOP = 4, // and so is the rate: it ran the loop by itself
    TIME_SOURCES = 8,   // how many there can be
};

// By what the history says.
unsigned time_source_of(const struct history *history);

// "its times are ...", of one program or of `several`, without a full stop.
const char *time_source_words(unsigned source, bool several);

#endif
