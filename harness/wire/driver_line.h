// What a driver says: a program that locks for Lockpick, one JSON object a line. The protocol is
// described in scripts/drivers/README.md.
#ifndef LOCKPICK_WIRE_DRIVER_LINE_H
#define LOCKPICK_WIRE_DRIVER_LINE_H

#include "harness/base/error.h"
#include "harness/history/event.h"

#include <stdbool.h>
#include <stddef.h>

#define DRIVER_PROTOCOL 1          // its version
#define DRIVER_LONGEST_LINE 262144 // bytes: DRIVER_MOST_CYCLES, and room to spare
#define DRIVER_MOST_CYCLES 4096    // of one answer

enum driver_word {
    DRIVER_HELLO,
    DRIVER_HELD,
    DRIVER_NOT_HELD,
    DRIVER_RELEASED,
    DRIVER_NOT_OWNER,
    DRIVER_GONE,
    DRIVER_RENEWED,
    DRIVER_UNKNOWN,
    DRIVER_ERROR,
    DRIVER_LOST,
    DRIVER_MEASURED,
    DRIVER_WORDS
};

// A cycle of a loop that a driver has run by itself, of its answer to "measure":
//
//     {"id": 7, "answer": "measured", "from_ns": T, "cycles": [[GAP, ACQUIRE, HOLD, RELEASE], ...]}
//
// Each counts in nanoseconds from the end of the one before it, the first from T on
// CLOCK_MONOTONIC: how long until it acquired, how long that took, how long it held the lock, and
// how long the release took. Of an acquire that was not granted: [GAP, ACQUIRE, "not-held"] or
// "unknown". A fifth number says how long after the beginning of the acquire the lease began, with
// the request that got the lock; a word at the end of a whole cycle, how the release was answered
// if not by "released".
struct driver_cycle {
    int64_t acquire_ns, acquired_ns; // CLOCK_MONOTONIC, as all that follow
    int64_t asked_ns; // when the lease began; acquire_ns if it does not say: at the earliest
    bool is_anchored; // it says so
    int64_t release_ns, released_ns;
    enum driver_word acquired; // held, not-held or unknown
    enum driver_word released; // released, not-owner, gone or unknown; of a lock that was held
};

struct driver_line {
    enum driver_word word;
    int64_t version;  // of a hello
    bool measures;    // of a hello: it can run a loop by itself
    int64_t id;       // of the request that it answers; 0: of none
    int64_t token;    // 0: none
    int64_t job;      // of a queue: which of its jobs is held, from 1; 0: it does not say
    int64_t valid_ms; // how much longer the hold is valid; -1: it does not say
    // On CLOCK_MONOTONIC; 0: it does not say.
    int64_t from_ns, to_ns;      // when the library was called, and when that call returned
    int64_t request_ns;          // when the request was sent to the server that granted the lease
    int64_t valid_until_ns;      // until when the library believes that the hold is valid
    int64_t worker;              // of a lost, from 1
    char lock[64];               // of a lost
    enum lost_reason reason;     // of a lost
    char why[200];               // for people; "" if it does not say
    struct driver_cycle *cycles; // of a measured, which has to be freed; else NULL
    size_t cycle_count;
};

// Reads one line, without its newline. 0, or -1 with `error` set to the line, quoted, and the rule
// that it breaks.
int driver_line_read(const char *bytes, size_t length, struct driver_line *line,
                     struct error *error);

// "held", "not-held", ...
const char *driver_word_name(enum driver_word word);

// The bytes as a message can show them: without control characters, cut if they are many; good
// until its block ends.
struct driver_quote {
    char text[180];
};
#define driver_quote(bytes, length) driver_quote_in(bytes, length, &(struct driver_quote){{0}})
const char *driver_quote_in(const char *bytes, size_t length, struct driver_quote *out);

#endif
