// All that goes on in a schedule (replay.h): the threads of all clients, each at its gate
// (harness/point/gate.h), which of them can go on, and what servers keep for their sessions.
#ifndef LOCKPICK_RUN_THREADS_H
#define LOCKPICK_RUN_THREADS_H

#include "harness/cluster/exploration.h"
#include "harness/point/gate.h"
#include "harness/scenario/moves.h"

#define MOST_EXPLORED_CLIENTS 4
// States tell in such parts how long a timer, or what ends by itself, still takes: in longer ones
// than what all moves of a schedule take. Of a timer that these alone could make due, exactly.
#define TIMER_PART_NS (50 * NS_PER_MS)
#define TIMER_SOON_NS NS_PER_MS

// What a thread that sleeps waits for: that the servers keep something else than when it lay down,
// or that something has happened since then.
struct rest {
    struct text kept;
    uint64_t events; // 0: it has no need to wait
};

struct threads {
    int count;        // of clients
    bool has_threads; // besides workers
    struct step_gate gates[MOST_EXPLORED_CLIENTS][CLIENT_THREADS];
    bool crashed[MOST_EXPLORED_CLIENTS];
    int clock_leases[MOST_EXPLORED_CLIENTS]; // by which a client's time of day is ahead
    const struct text *kept; // of the replay: what servers keep, whenever somebody sleeps
    // That may change what a try finds: time has passed, a server was struck, a client has crashed.
    uint64_t events;
    struct rest rests[MOST_EXPLORED_CLIENTS][CLIENT_THREADS];
    // The clients in the order in which threads_tell has told them, each by its number from 1.
    int ranked[MOST_EXPLORED_CLIENTS];
    // Of sessions:
    struct explored_servers *servers;
    uint64_t last_in_line; // of those whose requests wait
    uint64_t ended;        // of all clients, after which others were looked at
    struct error error;    // what went wrong first, "" if nothing
};

// Before a schedule, when no client has been started; and when all are started and stand.
void threads_begin(struct threads *threads, int count, struct explored_servers *servers,
                   const struct text *kept);
void threads_are_started(struct threads *threads);
void threads_free(struct threads *threads);

bool thread_is_worker(int thread);

// Whether the client has nothing more to do; crashed, or all its workers are.
bool client_is_over(const struct threads *threads, int client);

// The gate of the thread that the move is of.
struct step_gate *thread_gate(const struct threads *threads, struct move move);

// The next thread that there is, as a step of it, with `*number` 0 for the first: the workers of
// all clients, in their order, then the others. False behind the last.
bool threads_next(const struct threads *threads, int *number, struct move *step);

// Whether the thread can go on. One that sleeps can once it may find something else (struct rest);
// one that waits for a time, from then on.
bool thread_can(const struct threads *threads, struct move step);

// The first that can go on: `last` itself, unless its client is 0, then workers, then others.
// False: nobody can.
bool threads_first(const struct threads *threads, struct move last, struct move *step);

// Whether anybody sleeps.
bool threads_sleep(const struct threads *threads);

// The thread has made its step, before which it slept or not. Who lost something in its try for the
// lock, and has taken back what that may have got, has reason to try again.
void thread_stands(struct threads *threads, struct move step, bool has_slept, bool has_lost);

// When the next timer of a thread is due, up to `most_ns` from now; TIME_NEVER if none is.
int64_t threads_next_timer_ns(const struct threads *threads, int64_t most_ns);

// Lets those go on that were rung for until they stand again, and has those look that may have been
// sent a message, if there may be one.
void threads_settle(struct threads *threads, bool may_have_published);

// All take down what is told to everybody, but for those that have heard nothing yet that it could
// make older.
void threads_hear(struct threads *threads, const char *what);

// True if a watchdog is late by so much: it could have gone on since then, and has not.
bool threads_are_late(const struct threads *threads, int64_t late_ns);

// Appends all that decides what the clients can do next, their tokens named by `names`
// (gate_name_tokens): if those that servers keep are in it, clients differ by whose token is there.
// threads_remember adds, from the next schedule on, what else they have heard.
void threads_tell(struct threads *threads, struct text *names, struct text *out);
void threads_remember(struct threads *threads);

// --- sessions ------------------------------------------------------------------------------------

// Where a kind of server tells it (struct server_exploration): a request that waits for others, and
// what ends with a session. A request that waits is issued in one step and answered in another; in
// between its thread cannot go on. A session ends at the server before the next step: with its
// connection, and with its client.

// As gate_let_go, but the thread may be left with a request that waits.
void sessions_let_go(struct threads *threads, struct step_gate *gate, enum gate_order order);

// After each move: waits until nothing is kept for sessions that have ended, and until all stand
// whose requests wait no more.
void sessions_settle(struct threads *threads);

// Ends all sessions of the client, from 1, which has crashed.
void sessions_crash(struct threads *threads, int client);

// At the end of a schedule: lets those go for good whose requests wait, before they are joined.
void sessions_end(struct threads *threads);

#endif
