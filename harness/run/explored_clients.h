// The programs of a lock that is explored: one for each client, started once and used again in each
// schedule that follows, if they are idle by then. One that was struck by a fault, or that still
// owes something, ends with its schedule, and another is started.
//
// A schedule begins for each of them behind an acquire and a release that nobody holds up, so that
// it is connected.
#ifndef LOCKPICK_RUN_PROGRAMS_H
#define LOCKPICK_RUN_PROGRAMS_H

#include "harness/run/trial_state.h"

#include <stdbool.h>

struct programs;

// What the programs need of the explorer. All of it outlives them.
struct programs_settings {
    struct trial_state *state;
    int count;                       // of clients
    const struct clock_shift *clock; // that this process follows
    // Has time pass until then, for servers and programs.
    void (*sleep)(void *context, int64_t until_ns);
    // Empties the servers. 0, or -1 with `error` set.
    int (*empty)(void *context, struct error *error);
    void *context;
};

// NULL with `error` set.
struct programs *programs_open(const struct programs_settings *settings, const char *folder,
                               struct error *error);
void programs_close(struct programs *programs);

// The clock that they are shown, as clock_freeze has it.
void programs_set_time(struct programs *programs, int64_t zero_unix_ns, int64_t now_ns);

// The time of day at which all schedules begin: what is heard of times is told by it.
void programs_set_zero(struct programs *programs, int64_t began_unix_ns);

// In what the servers keep, too.
void programs_tell_image(const struct programs *programs, struct text *image);

// Before a schedule: starts the missing ones. Time may pass meanwhile. 0, or -1 with `error`
// set.
int programs_begin(struct programs *programs, struct error *error);

// After it, once its clients have ended: ends the ones of no more use. `struck`: by
// client from 0, true if a fault struck it.
void programs_end(struct programs *programs, const bool *struck);

#endif
