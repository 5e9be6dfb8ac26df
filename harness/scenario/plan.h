// A plan: every trial of a run, in order. A trial is one scenario × one scheme × one repeat.
#ifndef LOCKPICK_SCENARIO_PLAN_H
#define LOCKPICK_SCENARIO_PLAN_H

#include "harness/scenario/scenario.h"

struct trial {
    const struct scenario *scenario;
    // The same with what was drawn for this trial; NULL: nothing was. See trial_as_run.
    const struct scenario *drawn;
    const char *scheme;
    const struct external_client
        *external_client;                   // of a scheme that the scenario brings along, or NULL
    const char *const *traits;              // of the scheme, NULL-terminated
    const struct topology_form *topology;   // of the lock's servers; NULL if there are none
    const struct server_form *server;       // of the lock, or NULL
    const struct server_form *store_server; // of the store that the scenario names, or NULL
    int servers;                            // of the lock that hold data; 0: not known
    const struct expectation *expectation;  // NULL: none stated
    int repeat;                             // from 1
    uint64_t seed;                          // of this trial alone
    char *name;                             // "pause-outlives-lease--redis-set-px-lua", "…--2"
    char *skip_reason;                      // not NULL: not to be run, and why
};

struct plan {
    struct trial *trials;
    size_t count;
    uint64_t seed;
    struct scenario **drawn; // its own: those of its trials (harness/run/draw.c)
    size_t drawn_count;
};

// Expands scenarios into trials. `globs` (NULL-terminated names, globs and traits; none or NULL:
// all) narrow the schemes further, each to at least one; `repeat` (or 0) replaces the scenarios'
// own. A scheme that lacks what the workload needs (`fenced: true` on a scheme without the trait
// `fenced`) gets a trial with a skip_reason, even if the scenario names it: whether it is tried is
// known only here. Scenarios of one name are trials of one (`trial:`), and their results belong
// together. A scenario's own seed counts before `seed`. 0, or -1 with `error` set (for example: a
// glob means no scheme). Free with plan_free.
int plan_make(struct scenario *const *scenarios, size_t count, const struct vocabulary *vocabulary,
              const char *const *globs, int64_t repeat, uint64_t seed, struct plan *plan,
              struct error *error);
void plan_free(struct plan *plan);

// Puts the trials of two plans for the same scenarios, of one scheme each, into one, so that the
// repeats take turns and neither is always the first: X Y, Y X, X Y, ... The two plans are empty
// then.
void plan_interleave(struct plan *one, struct plan *other, struct plan *both);

// Of the scenario's trials: its own seed, or else the plan's.
uint64_t plan_seed_of(const struct plan *plan, const struct scenario *scenario);

// What the trial is called within its scenario: "redis-set-px-lua--2".
const char *trial_label(const struct trial *trial);

// The scenario with the faults of this very trial.
const struct scenario *trial_as_run(const struct trial *trial);

bool trial_has_trait(const struct trial *trial, const char *trait);

// True if the guarded value is on the lock's own servers: `store: same`, or a scheme that guards a
// value of its own.
bool trial_shares_service(const struct trial *trial);

// How the lock's servers belong together: as the scenario says, else as the scheme likes it best;
// "single" if there are none.
const char *trial_topology(const struct trial *trial);

// True if the lock's servers are one at the most.
bool trial_has_one_server(const struct trial *trial);

// True if the lock's servers know nothing of each other.
bool trial_has_independent_servers(const struct trial *trial);

#endif
