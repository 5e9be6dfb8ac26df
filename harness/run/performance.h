// Performs a plan: every trial, from its cluster to its judgement.
#ifndef LOCKPICK_RUN_PERFORMANCE_H
#define LOCKPICK_RUN_PERFORMANCE_H

#include "harness/cli/run_options.h"
#include "harness/cluster/sandbox.h"
#include "harness/report/report.h"

// Runs the trials one after the other and fills `run`, whose folder is set already. Shows progress
// on standard error. Free with performance_free.
void perform_plan(const struct plan *plan, const struct run_options *options,
                  const struct sandbox *sandbox, struct run_result *run);
void performance_free(struct run_result *run);

// How busy the machine is.
struct machine_load machine_load_read(void);

// What this machine is, for the result. What is known only at the end is left for then: the number
// of lanes, the load.
void environment_describe(const struct sandbox *sandbox, const struct plan *plan,
                          struct environment *environment);

#endif
