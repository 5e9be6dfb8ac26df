// A driver whose client is explored: each of its requests stands at a gate, and its sleeps end as
// the explorer says. Between two of its steps it is at rest (rest.h), so that what it does
// next depends on nothing but what it has heard.
#ifndef LOCKPICK_WIRE_DRIVER_GATE_H
#define LOCKPICK_WIRE_DRIVER_GATE_H

#include "harness/point/gate.h"
#include "harness/wire/driver_process.h"
#include "harness/wire/proxy.h"

// How a driver's program is explored. All of it outlives the driver.
struct driver_exploration {
    const char *clock_path; // the clock that the program is shown (harness/base/clock_shift.h)
    const char *rest_path;
    struct rest_board *rest;
    int64_t short_ns; // a shorter sleep is no time: it ends by itself
    // The time of day when a schedule begins: times that are heard are told by how many parts of
    // that length they are later.
    int64_t began_unix_ns, part_ns;
    // Has time pass until then, on the program's clock, too. For a driver that goes without a gate.
    void (*sleep)(void *context, int64_t until_ns);
    void *context;
};

// Variables for the program's environment: its preload, and what that goes by. The texts are filled
// and to be freed in either case. 0, or -1 with `error` set.
int driver_gate_describe(const struct driver_exploration *exploration, struct text environment[3],
                         struct error *error);

struct driver_gate {
    const struct driver_exploration *exploration;
    struct driver_process *process;
    struct proxy *proxy;
    const _Atomic uint32_t *failed; // not 0: the driver has
    const char *restless;           // why it was not at rest when it was looked at last
};

// False with `error` set: the program has not loaded the preload.
bool driver_gate_reaches(const struct driver_gate *gate, struct error *error);

// Lets the driver go, step by step, until *word is not 0, and it is at rest. It stands at the
// actor's gate; without one, or once that has ended, it goes on by itself. False: the gate has
// ended, and it has not answered soon after that. One that does not come to rest has failed.
bool driver_gate_wait(struct driver_gate *gate, const struct actor *actor, _Atomic uint32_t *word);

// True if it is at rest now, and nothing of its stands.
bool driver_gate_is_idle(struct driver_gate *gate);

// Whether a request may be the one that is granted, where time may pass between any two: else a
// lease would seem to count from whatever the acquire has asked after that. Of one that is not
// understood, nobody can tell, and the lease may count from any time since the acquire was called.
bool driver_gate_may_be_granted(const struct parsed_request *request);

#endif
