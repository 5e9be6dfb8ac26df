// Performs a plan: every trial, from its cluster to its judgement.
#ifndef LOCKPICK_RUN_PERFORM_H
#define LOCKPICK_RUN_PERFORM_H

#include "harness/cluster/sandbox.h"
#include "harness/report/report.h"
#include "harness/run/run_files.h"

#include <stdio.h>

// What is written into a trial's folder.
enum trial_files {
    TRIAL_FILES_NONE,
    TRIAL_FILES_PAGE,    // what a page shows of trials that broke something is drawn from
    TRIAL_FILES_UNDRAWN, // latencies, and what all pictures are drawn from
    TRIAL_FILES_ALL,     // the pictures too
};

// Judges the history of `result->trial`, of a run or of a stored one, and fills all of `result`
// that follows from it. What cannot be written is said on standard error, and in
// `result->lacks_files`; the verdict stands all the same.
void trial_decide(struct trial_result *result, struct history *history, enum trial_files files);

// Frees what a result owns, and clears it.
void trial_result_free(struct trial_result *result);

// Runs the trials one after the other, or side by side, and fills `run`, whose folder is set
// already. Shows progress on standard error: on a terminal one line that is written over again and
// again, and a line for each verdict. Free with performed_free.
void perform_plan(const struct plan *plan, const struct run_options *options,
                  const struct sandbox *sandbox, struct run_result *run);
void performed_free(struct run_result *run);

// How a verb runs scenarios: what trials it makes of them, and what it does with these.
struct scenario_run {
    // Optional, of scenarios that are in no files. 0, or -1 with `error` set or after saying why;
    // the caller frees `set` in either case.
    int (*load)(void *context, const struct vocabulary *vocabulary, struct scenario_set *set,
                struct error *error);
    // Optional, unless plan_make does with what the options say. 0, or -1 with `error` set; the
    // caller frees `plan` in either case. `seed` is the run's.
    int (*plan)(void *context, const struct scenario_set *set, const struct vocabulary *vocabulary,
                uint64_t seed, struct plan *plan, struct error *error);
    // What is told instead of a run, if the options ask for that. Returns the exit code.
    int (*preview)(const struct run_options *options, const struct plan *plan);
    // In a sandbox, as the conductor, with the run's folder. Returns the exit code.
    int (*conduct)(void *context, const struct sandbox *sandbox, const struct plan *plan,
                   char *folder);
};

// Loads the scenarios that the options name, draws the faults of their trials, says which ones are
// not, makes the run's folder, and conducts. Returns the exit code; what the user must be told yet
// is in `error`.
int run_scenarios(const struct run_options *options, const struct scenario_run *how, void *context,
                  struct error *error);

// --- drawn faults (draw.c) -----------------------------------------------------------------------

// Faults drawn for a trial: what `random:` leaves open, and when each `every:` comes. A draw
// depends on the scenario, the seed, the scheme's servers and the number of the repeat, and on
// nothing else: it is the same on any machine and in any order of execution.

// Which faults of `random: {of: ...}` are not drawn for which schemes of the plan (they cannot
// happen to their servers, or are not promised to be survived), as "path:line: message" on `out`.
void draw_tell(const struct plan *plan, const struct scenario *scenario, FILE *out);

// Draws what the trials of the plan leave open: each gets a scenario of its own (`drawn`, the
// plan's). A trial for which nothing can be drawn gets a skip_reason. 0, or -1 after saying why on
// standard error.
int draw_plan(struct plan *plan, const struct vocabulary *vocabulary);

// --- the machine ---------------------------------------------------------------------------------

// What this machine is, for the result (environment.c). What is known only at the end is left for
// then: the number of slots, the load.
void environment_describe(const struct sandbox *sandbox, const struct plan *plan,
                          struct environment *environment);

// How busy the machine is.
struct machine_load machine_load_read(void);

#endif
