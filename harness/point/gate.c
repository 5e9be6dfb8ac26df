#include "harness/point/gate.h"

#include "harness/base/futex.h"

#include <stdio.h>
#include <string.h>

// FNV-1a (Fowler, Noll, Vo), 64 bits.
#define FNV_PRIME UINT64_C(1099511628211)

void gate_hear(struct step_gate *gate, const void *bytes, size_t length)
{
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < length; i++)
        gate->heard = (gate->heard ^ byte[i]) * FNV_PRIME;
}

void gate_stand(struct step_gate *gate, enum gate_place place)
{
    if (atomic_load(&gate->order) == GATE_END)
        return;
    gate->place = place;
    atomic_store(&gate->stands, 1);
    futex_wake_all(&gate->stands);
    while (atomic_load(&gate->stands) == 1)
        futex_wait_until_ns(&gate->stands, 1, TIME_NEVER);
}

void gate_pass(struct step_gate *gate, enum phase phase, enum point_side side, const char *what)
{
    enum gate_order order = (enum gate_order)atomic_load(&gate->order);
    bool is_write = side == POINT_BEFORE && strcmp(what, "write") == 0;
    bool stands = side == POINT_BEFORE || (side == POINT_AFTER && order == GATE_GO_AND_STAND);
    if (gate->is_free || !stands)
        return;
    gate->phase = phase;
    if (side == POINT_BEFORE)
        snprintf(gate->what, sizeof gate->what, "%.*s", (int)strcspn(what, " "), what);
    gate_stand(gate, is_write               ? GATE_BEFORE_WRITE
                     : side == POINT_BEFORE ? GATE_BEFORE_REQUEST
                                            : GATE_AFTER_REPLY);
}

void gate_sleep(struct sleeper *sleeper, int64_t duration_ns)
{
    struct step_gate *gate = (struct step_gate *)sleeper; // its first member
    if (duration_ns > 0 && !gate->is_free)
        gate_stand(gate, GATE_SLEEPING);
}

void gate_await(struct step_gate *gate)
{
    while (atomic_load(&gate->stands) == 0)
        futex_wait_until_ns(&gate->stands, 0, TIME_NEVER);
}

void gate_let_go(struct step_gate *gate, enum gate_order order)
{
    atomic_store(&gate->order, order);
    atomic_store(&gate->stands, 0);
    futex_wake_all(&gate->stands);
    if (order != GATE_END)
        gate_await(gate);
}
