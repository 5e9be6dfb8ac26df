// The load of one trial: its phases in time, and when the operations of an open loop are to begin.
// Made before the clients are forked, so that all go by the same times, each on its own: nobody is
// told that a phase begins. All times count from the opening of the gate.
#ifndef LOCKPICK_RUN_LOAD_H
#define LOCKPICK_RUN_LOAD_H

#include "harness/history/writer.h"
#include "harness/run/arrivals.h"
#include "harness/scenario/plan.h"

struct load {
    const struct scenario *scenario;
    size_t count;                       // of phases; 0: one closed loop to the end
    int64_t begins_ns[MOST_PHASES + 2]; // of each; then the end of the last
    struct arrivals *arrivals;          // of all phases that have a rate; NULL if none has
    struct history_writer writer;       // of the conductor: see load_announce
    size_t announced;
};

// `operations`: how many the workload has in all, 0 if it runs for a time. 0, or -1 with `error`
// set; call load_close in either case.
int load_open(struct load *load, const struct trial *trial, const struct history_file *history,
              int64_t operations, struct error *error);
void load_close(struct load *load);

// The phase (from 0) at that time; `count` if the last is over.
size_t load_phase_at(const struct load *load, int64_t at_ns);

// From when on what was to begin may still be begun in that phase, however late: a warm-up leaves
// nothing undone to those after it.
int64_t load_backlog_ns(const struct load *load, size_t phase);

// True if the client (from 1) takes part in that phase.
bool load_includes(const struct load *load, size_t phase, int client);

// Records the beginning of every phase that has begun by `now_ns` and was not recorded yet, as of
// the time at which it was to begin. The gate was opened at `opened_ns`, 0 if it was not yet; both
// on CLOCK_MONOTONIC.
void load_announce(struct load *load, int64_t opened_ns, int64_t now_ns);

// How many operations of an open loop were to begin by then, in phases that are no warm-up.
int64_t load_due(const struct load *load, int64_t at_ns);

#endif
