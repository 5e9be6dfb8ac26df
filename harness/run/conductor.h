// The conductor of one trial: boots its cluster, starts its clients, lets its faults strike, ends
// it, and leaves its history behind.
#ifndef LOCKPICK_RUN_CONDUCTOR_H
#define LOCKPICK_RUN_CONDUCTOR_H

#include "harness/run/servers.h"
#include "harness/scenario/plan.h"

// Told now and then how far a trial is.
struct progress {
    void (*show)(void *context, const struct trial *trial, const char *doing, size_t events);
    void *context;
};

#define TRIAL_IMPOSSIBLE 1
#define TRIAL_MEANINGLESS 2
#define TRIAL_INTERRUPTED 3

// Runs the trial; its history is then `<folder>/history.bin`, its servers' logs are in
// `<folder>/servers/`. `serial` differs for each trial of a run. 0; -1 with `error` set if the
// harness or its set-up failed (a history may be there all the same); TRIAL_IMPOSSIBLE, with the
// reason in `error`, if the servers lack what the scheme needs, or a fault cannot be had here;
// TRIAL_MEANINGLESS if a fault of the scenario has no target among the scheme's servers;
// TRIAL_INTERRUPTED if the user asked for an end: its history says so, and is judged as far as it
// goes.
int trial_conduct(const struct trial *trial, struct server_pool *pool, const char *folder,
                  int serial, const struct progress *progress, struct error *error);

#endif
