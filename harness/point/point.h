// Points: the places where a worker can be stopped.
//
// The wire layer passes a point before and after each request, the worker loop at `holds`, after
// each read and before each write. An unarmed point costs a count and one relaxed load. At an armed
// one that matches, the worker writes point-reached to the history and sleeps on a futex until the
// conductor lets it go.
#ifndef LOCKPICK_POINT_POINT_H
#define LOCKPICK_POINT_POINT_H

#include "harness/base/clock.h"
#include "harness/history/writer.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

// What a worker is doing; `in release` in a scenario names one of these.
enum phase { PHASE_ACQUIRE, PHASE_RELEASE, PHASE_RENEW, PHASE_READ, PHASE_WRITE, PHASE_NONE };
const char *phase_name(enum phase phase);

enum point_side { POINT_BEFORE, POINT_AFTER, POINT_AT, POINT_ANYWHERE };

#define POINT_ALTERNATIVES 4
#define MAX_FAULTS 128 // in one scenario
// Each fault has one trap for its trigger and one for a worker that it is to hold.
#define MAX_ARMED (2 * MAX_FAULTS)

// One place to stop at. Copied into memory that all processes of the trial share.
struct point_match {
    enum point_side side;
    enum phase phase; // PHASE_NONE: in any
    char what[16];    // a command, `read`, `write`, `holds`; "" for any command, and with
                      // POINT_ANYWHERE for any point at all
};

enum point_state { POINT_IDLE, POINT_ARMED, POINT_REACHED, POINT_LET_GO };

// One fault waiting for a worker to come by. Armed by the conductor, claimed by the first worker
// that gets there.
struct point_trap {
    _Atomic uint32_t state; // enum point_state; a futex
    uint16_t client;
    uint16_t worker;      // 0: any of the client's
    uint8_t fault_number; // the fault's number
    uint32_t match_count;
    struct point_match matches[POINT_ALTERNATIVES];
    int64_t nth;
    _Atomic int64_t passed;      // how often a match was passed already
    _Atomic uint32_t reached_by; // the worker that is held, once it is reached
};

// Shared by all processes of a trial: zeroed memory.
struct point_board {
    _Atomic uint32_t armed; // how many traps are armed; 0 is all that a worker reads on its way
    struct point_trap traps[MAX_ARMED];
};

struct step_gate;

// What a thread of a client does there.
enum client_thread {
    THREAD_WORKER,
    THREAD_SECOND_WORKER,
    THREAD_WATCHDOG,   // renews leases
    THREAD_SUBSCRIBER, // hears what is published
    THREAD_SWEEPER,    // deletes what nobody needs any more
    CLIENT_THREADS
};

// "watchdog", ...; "" for the worker.
const char *client_thread_name(enum client_thread thread);

// A worker thread as every request sees it: who it is, what it does, what it writes to.
struct actor {
    int client;
    int worker;
    enum phase phase;
    struct clock clock;
    struct point_board *board; // NULL: no points (a tool of the harness itself)
    struct step_gate *gate;    // NULL: none, see gate.h
    struct history_writer *history;
    int64_t requests[PHASE_NONE + 1]; // sent in each phase, as the points before them count them
    bool is_proxied;            // what it passes is no request to a server: a proxy passes those
    bool is_uncounted;          // some requests of its are not among them
    int64_t wakeups;            // waits of acquires that a notification ended
    bool are_wakeups_uncounted; // perhaps there were more
};

// Sets the trap; `trap` is one of the board's that is idle. Conductor only.
void point_arm(struct point_board *board, struct point_trap *trap);

// Lets the held worker go on, or disarms a trap nobody has reached. Conductor only.
void point_let_go(struct point_board *board, struct point_trap *trap);

void gate_pass(struct step_gate *gate, enum phase phase, enum point_side side, const char *what);
void point_stop_if_armed(struct actor *actor, enum point_side side, const char *what,
                         size_t length);

// Passes a point. `what` names it: the text up to the first space counts, so that a command's
// format string can be given as it is.
static inline void point(struct actor *actor, enum point_side side, const char *what)
{
    if (side == POINT_BEFORE)
        actor->requests[actor->phase]++;
    if (actor->gate != NULL)
        gate_pass(actor->gate, actor->phase, side, what);
    if (actor->board == NULL ||
        atomic_load_explicit(&actor->board->armed, memory_order_relaxed) == 0)
        return;
    size_t length = 0;
    while (what[length] != '\0' && what[length] != ' ')
        length++;
    point_stop_if_armed(actor, side, what, length);
}

#endif
