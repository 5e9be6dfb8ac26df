// Performs a plan: every trial, from its cluster to its judgement.
#ifndef LOCKPICK_RUN_PERFORM_H
#define LOCKPICK_RUN_PERFORM_H

#include "harness/cluster/sandbox.h"
#include "harness/report/report.h"
#include "harness/run/run_files.h"

// What is written into a trial's folder.
enum trial_files {
    TRIAL_FILES_NONE,
    TRIAL_FILES_PAGE,    // none yet: what a page shows of trials that broke something is kept
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

// Makes the run's folder, which the caller frees, and calls `body` in a sandbox, as the conductor,
// with it. Returns what `body` does, or EXIT_ENVIRONMENT; without a folder, with `error` set.
int perform_in_sandbox(const struct run_options *options, const struct scenario_set *set,
                       const struct plan *plan,
                       int (*body)(const struct sandbox *sandbox, char *folder, void *context),
                       void *context, char **folder, struct error *error);

// What this machine is, for the result (environment.c). What is known only at the end is left for
// then: the number of slots, the load.
void environment_describe(const struct sandbox *sandbox, const struct plan *plan,
                          struct environment *environment);

// How busy the machine is.
struct machine_load machine_load_read(void);

#endif
