// A gate: every place where one worker can be held, and let go by one step at a time. Where points
// (point.h) let one fault strike at one place, gates give the order of all that several workers do
// to whoever explores it (harness/explore).
//
// A worker with a gate stands at it before each request, before it writes the guarded value, and
// instead of sleeping. Of all workers with gates, one at a time goes.
#ifndef LOCKPICK_POINT_GATE_H
#define LOCKPICK_POINT_GATE_H

#include "harness/base/text.h"
#include "harness/point/point.h"

#include <stddef.h>

// What a worker is to do with the request that it stands before. GATE_END: it is over for it; what
// it sends from now on reaches nobody, and it stands nowhere any more.
enum gate_order { GATE_GO, GATE_LOSE_REQUEST, GATE_LOSE_REPLY, GATE_GO_AND_STAND, GATE_END };

enum gate_place {
    GATE_AT_START,       // it is connected, and has done nothing
    GATE_BEFORE_REQUEST, // `what` is the command
    GATE_BEFORE_WRITE,   // of the guarded value
    GATE_AFTER_REPLY,    // by GATE_GO_AND_STAND
    GATE_SLEEPING,       // instead, until it is let go
    GATE_OVER,           // it has done all that it was to do
};

struct step_gate {
    struct sleeper sleeper;  // for the worker's clock
    _Atomic uint32_t stands; // a futex: 1 while the worker waits at the gate
    _Atomic uint32_t order;  // enum gate_order
    bool is_free;            // it passes without standing: while it connects
    // While it stands:
    enum gate_place place;
    enum phase phase;
    char what[16];
    // All that it has sent, that servers and the store have answered, and that time passed
    // meanwhile: what it does next follows from that.
    struct text heard;
    size_t attempt_at, vain_at; // where its last attempt begins there, and the one in vain before
    int64_t operation;          // which it does, from 0
    bool remembers;             // `heard` loses nothing
};

// Of the worker's thread. `what` is text up to the first space.
void gate_pass(struct step_gate *gate, enum phase phase, enum point_side side, const char *what);
void gate_stand(struct step_gate *gate, enum gate_place place);
void gate_sleep(struct sleeper *sleeper, int64_t duration_ns);

// What is to become of the request that is sent now. `actor` may have no gate.
static inline enum gate_order gate_order(const struct actor *actor)
{
    return actor->gate == NULL ? GATE_GO : (enum gate_order)atomic_load(&actor->gate->order);
}

// It begins its next operation. Unless the gate remembers, what it has heard is over with the last.
void gate_next_operation(struct step_gate *gate);

// Takes down a request, or what a server has answered.
void gate_hear(struct step_gate *gate, const void *bytes, size_t length);

// Of whoever explores: the worker has tried in vain. To try once more with the same answers (but
// for tokens, which are drawn for each attempt) teaches it nothing: only the last of such is kept,
// unless the gate remembers.
void gate_tried_in_vain(struct step_gate *gate);

// Appends the text, with each token that is drawn at random named by its place among them all: by
// `names`, which holds those that have been met. What differs only in what was drawn becomes equal.
void gate_name_tokens(const char *text, size_t length, struct text *names, struct text *out);

// Of whoever explores: lets the worker go on, and waits until it stands again. After GATE_END it
// does not wait.
void gate_let_go(struct step_gate *gate, enum gate_order order);

// Waits until the worker stands.
void gate_await(struct step_gate *gate);

#endif
