// The moves of a schedule: an order of steps, written down (`schedule:` of a scenario).
#ifndef LOCKPICK_SCENARIO_MOVES_H
#define LOCKPICK_SCENARIO_MOVES_H

#include "harness/base/error.h"
#include "harness/base/text.h"

#include <stdint.h>

enum move_kind {
    MOVE_STEP,         // the client goes on
    MOVE_LOSE_REQUEST, // its request is lost, with its connection
    MOVE_LOSE_REPLY,   // the request executes; the reply is lost, with the connection
    MOVE_TIME_INSIDE,  // the request executes, a lease passes, then the reply comes
    MOVE_CRASH,        // the client goes no more
    MOVE_TIME,         // a lease passes
    MOVE_WAIT,         // nobody can go on: so much time passes as a lock that is given back by
                       // itself could need
    MOVE_KINDS
};

struct move {
    uint8_t kind;   // enum move_kind
    uint8_t client; // from 1; 0: of MOVE_TIME and MOVE_WAIT
};

#define MOST_MOVES 256
#define MOVE_WHAT_ROOM 16

// Appends "client-1 SET, reply lost"; `what` is where the client stands: a command, `start`,
// `write`, `retry`.
void move_write(struct move move, const char *what, struct text *out);

// Reads that. `what` is "" where the move has none. 0, or -1 with `error` set.
int move_read(const char *text, struct move *move, char what[MOVE_WHAT_ROOM], struct error *error);

#endif
