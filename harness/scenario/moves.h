// The moves of a schedule: an order of steps, written down (`schedule:` of a scenario).
#ifndef LOCKPICK_SCENARIO_MOVES_H
#define LOCKPICK_SCENARIO_MOVES_H

#include "harness/base/error.h"
#include "harness/base/text.h"
#include "harness/point/point.h"

#include <stdint.h>

enum move_kind {
    MOVE_STEP,         // the client, or another thread of it, goes on
    MOVE_LOSE_REQUEST, // its request is lost, with its connection
    MOVE_LOSE_REPLY,   // the request executes; the reply is lost, with the connection
    MOVE_LOSE_MESSAGE, // the message that it is to take next is lost, with its connection
    MOVE_TIME_INSIDE,  // the request executes, a lease passes, then the reply comes
    MOVE_REFUSE,       // its request does not execute, and is answered with an error
    MOVE_DRAW_ZERO,    // the first number that it draws at random in its step is 0
    MOVE_CLOCK_BACK,   // its client's time of day jumps by a lease before its step, and stays so
    MOVE_CLOCK_AHEAD,
    MOVE_CRASH,        // the client goes no more, with all its threads
    MOVE_TIME,         // a lease passes
    MOVE_WAIT,         // nobody can go on: so much time passes as a lock that is given back by
                       // itself could need; who has a timer goes on when it is due
    MOVE_TIMER,        // time passes until the next timer of a thread is due, which goes on by it
    MOVE_EVICT,        // a server removes the lock's key for want of memory
    MOVE_RESTART,      // it crashes and comes back with all that it kept
    MOVE_AMNESIA,      // the same with nothing
    MOVE_FAIL_OVER,    // its replica, which lacks its last write, is in its place
    MOVE_SERVER_AHEAD, // its time of day jumps by a lease, and stays so
    MOVE_SERVER_BACK,  // it jumps back for longer than anybody waits
    MOVE_KINDS
};
#define MOVE_FIRST_OF_SERVER MOVE_EVICT

struct move {
    uint8_t kind;   // enum move_kind
    uint8_t client; // from 1; 0: of none, as for all where time passes for everybody
    uint8_t thread; // enum client_thread
    uint8_t server; // from 1; 0: of none
};

// What a move is to a search, which limits how many there are of each.
enum move_class { CLASS_STEP, CLASS_FAULT, CLASS_LEASE, CLASS_TIMER, CLASS_WAIT };
enum move_class move_class(struct move move);

// True if both are of the same thread of the same client, or of the same server.
bool move_is_of_same(struct move one, struct move other);

// True if the servers know less than they have said: no lock that they alone know of survives it.
bool move_forgets(struct move move);

// True if leases that the servers have given last longer than was asked for.
bool move_prolongs(struct move move);

// True if a server's connections are lost with it.
bool move_disconnects(struct move move);

// True if a client's time of day jumps with it.
bool move_sets_clock(struct move move);

// True if it is left to searches that are asked for such.
bool move_is_rare(struct move move);

#define MOST_MOVES 256
#define MOVE_WHAT_ROOM 16

// Appends "client-1 SET, reply lost", or "client-1's watchdog EVAL"; `what` is where it stands: a
// command, `start`, `write`, `retry`, `answer`, `message`, `wakes`; of a server's move its name:
// "redis-1".
void move_write(struct move move, const char *what, struct text *out);

// Reads that. `what` is "" where the move has none. 0, or -1 with `error` set.
int move_read(const char *text, struct move *move, char what[MOVE_WHAT_ROOM], struct error *error);

#endif
