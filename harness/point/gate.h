// A gate: every place where one thread of a client can be held, and let go by one step at a time.
// Where points (point.h) let one fault strike at one place, gates give the order of all that
// several threads do to the explorer (harness/explore).
//
// A thread with a gate stands at it before each request, before it writes the guarded value, before
// it takes a message, and instead of sleeping or waiting. Of all threads with gates, one at a time
// goes; none stands at its gate while it holds a mutex. A request may have to wait at the server
// for what others do: then it is issued in one step and answered in another.
#ifndef LOCKPICK_POINT_GATE_H
#define LOCKPICK_POINT_GATE_H

#include "harness/base/text.h"
#include "harness/point/point.h"

#include <stddef.h>

// What a thread is to do with the request that it stands before. GATE_REFUSE: it is not sent, and
// answered with an error, as a server answers that cannot serve it now. GATE_LOOK: with none, but
// to look whether there is something else for it to do now. GATE_END: it is over for it; what it
// sends from now on reaches nobody, and it stands nowhere any more.
enum gate_order {
    GATE_GO,
    GATE_LOSE_REQUEST,
    GATE_LOSE_REPLY,
    GATE_GO_AND_STAND,
    GATE_REFUSE,
    GATE_LOOK,
    GATE_END
};

enum gate_place {
    GATE_AT_START,       // it is connected, and has done nothing
    GATE_BEFORE_REQUEST, // `what` is the command
    GATE_BEFORE_MESSAGE, // that has come, and is not taken yet
    GATE_BEFORE_WRITE,   // of the guarded value
    GATE_AFTER_REPLY,    // by GATE_GO_AND_STAND
    GATE_SLEEPING,       // instead, until it is let go
    GATE_WAITING,        // until another thread rings, or until `until_ns`
    GATE_BLOCKED,        // its request waits at the server, by gate_leave_blocked
    GATE_ANSWERED,       // the answer to that has come
    GATE_OVER,           // it has done all that it was to do
};

// Sessions with servers that one thread can have open at a time.
#define GATE_SESSIONS 4

struct step_gate {
    struct sleeper sleeper;  // for the thread's clock
    _Atomic uint32_t stands; // a futex: 1 while the thread waits at the gate
    _Atomic uint32_t order;  // enum gate_order
    bool is_there;           // there is such a thread
    bool is_free;            // it passes without standing: while it connects
    // While it stands:
    enum gate_place place;
    enum phase phase;
    char what[16];
    const _Atomic uint32_t *bell; // other threads change it to ring; NULL: none does
    uint32_t bell_was;            // its value when it was looked at last
    int64_t until_ns;             // of the last wait: when it is over if nobody rings, by the clock
                                  // of the process; of a program that sleeps, until when
    struct text kept;             // what it knows besides: messages that it has not taken yet,
                                  // leases that it is to renew
    bool is_subscribed;           // messages may come
    bool spans_operations;        // what it hears in one operation counts in the next ones, too
    // All that it has sent, that servers, the store and other threads have told it, and that time
    // passed meanwhile: what it does next follows from that.
    struct text heard;
    size_t attempt_at, vain_at; // where its last attempt begins there, and the one in vain before
    int64_t operation;          // which it does, from 0
    bool remembers;             // `heard` loses nothing
    // Of servers that keep something for a session: their numbers of those that are open, 0 of
    // none; how many have ended; and that over which the last request went.
    _Atomic uint64_t sessions[GATE_SESSIONS];
    _Atomic uint64_t ended_sessions;
    _Atomic uint64_t session_in_use;
    _Atomic uint32_t is_blocked; // 1: the thread is to stand as soon as its answer has come
    uint64_t line;               // of the explorer: its place among those that wait; 0: none
};

// Makes the gate ready for a thread that is about to be started. With `is_free` it passes until
// that is made false. The gate holds zeros, or was started before; gate_free frees what it holds.
void gate_start(struct step_gate *gate, bool is_free);
void gate_free(struct step_gate *gate);

// Of the thread. `what` is text up to the first space.
void gate_pass(struct step_gate *gate, enum phase phase, enum point_side side, const char *what);
void gate_stand(struct step_gate *gate, enum gate_place place);

// Stands until *bell is not `rung` any more, or until `until_ns`; returns at once if it is over for
// the thread, and *bell has changed.
void gate_wait(struct step_gate *gate, _Atomic uint32_t *bell, uint32_t rung, int64_t until_ns);

// The same for a thread that has something to do besides: it stands before a request or a message,
// or, if there is neither, waits for ever. Returns the order by which it was let go: GATE_LOOK if
// *bell has changed.
enum gate_order gate_stand_or_wait(struct step_gate *gate, enum gate_place place, const char *what,
                                   _Atomic uint32_t *bell, uint32_t rung);

// Of a thread whose request waits at the server: stands before the answer that has come, or until
// one may have come, or until `until_ns`. Returns the order by which it was let go: GATE_LOOK if it
// is to see whether the answer has come, and to stand again.
enum gate_order gate_stand_for_answer(struct step_gate *gate, bool has_come, int64_t until_ns);

// As futex_wait_until_ns of a thread that may have a gate, `until_ns` by the actor's clock.
void actor_wait(struct actor *actor, _Atomic uint32_t *bell, uint32_t rung, int64_t until_ns);

// What is to become of the request that is sent now. `actor` may have no gate.
static inline enum gate_order gate_order(const struct actor *actor)
{
    return actor->gate == NULL ? GATE_GO : (enum gate_order)atomic_load(&actor->gate->order);
}

// Of the thread, with a server that keeps something for a session.
void gate_open_session(struct step_gate *gate, uint64_t session);
void gate_end_session(struct step_gate *gate, uint64_t session);

// It begins its next operation. Unless that counts still, what it has heard is over with the last.
void gate_next_operation(struct step_gate *gate);

// Takes down a request, or what a server has answered. NULL: nothing happens. Nor while the thread
// connects: that says nothing of what it does then.
void gate_hear(struct step_gate *gate, const void *bytes, size_t length);

// The same of a short text that is made for it.
__attribute__((format(printf, 2, 3))) void gate_hear_text(struct step_gate *gate,
                                                          const char *format, ...);

// What the thread knows from now on is in gate->kept alone. Unless the gate remembers.
void gate_forget(struct step_gate *gate);

// Of the explorer: the worker has tried in vain. To try once more with the same answers (but
// for tokens, which are drawn for each attempt) teaches it nothing: only the last of such is kept,
// unless the gate remembers.
void gate_tried_in_vain(struct step_gate *gate);

// Appends the text, with each token that is drawn at random named by its place among them all: by
// `names`, which holds those that have been met. What differs only in what was drawn becomes equal.
void gate_name_tokens(const char *text, size_t length, struct text *names, struct text *out);

// Appends the text, with each time of day in it, as `began_ns` is one (in seconds, with or without
// a fraction, or in milli-, micro- or nanoseconds), as how many `part_ns` it is later than that.
void gate_name_times(const char *text, size_t length, int64_t began_ns, int64_t part_ns,
                     struct text *out);

// Of the explorer: lets the thread go on, and waits until it stands again. Not with GATE_END.
void gate_let_go(struct step_gate *gate, enum gate_order order);

// The same in two parts, where requests may wait, or it is let go for good (GATE_END): lets the
// thread go on, and looks, for a moment of the machine's time, whether it stands.
void gate_send_off(struct step_gate *gate, enum gate_order order);
bool gate_stands_soon(struct step_gate *gate);

// Leaves the thread alone, as its server says that its request waits for others, behind those with
// lower numbers.
void gate_leave_blocked(struct step_gate *gate, uint64_t line);

// Lets all threads of a client but its workers go for good, one after the other, each until it
// waits for the worker. `gates` are one for each enum client_thread. Does nothing to those that
// were let go so before.
void gates_end(struct step_gate *gates);

// Waits until the thread stands.
void gate_await(struct step_gate *gate);

// True if another thread has rung since the thread stands there.
bool gate_is_rung(const struct step_gate *gate);

#endif
