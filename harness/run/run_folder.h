// The folder that a run writes.
#ifndef LOCKPICK_RUN_RUN_FOLDER_H
#define LOCKPICK_RUN_RUN_FOLDER_H

#include "harness/cli/run_options.h"
#include "harness/run/scenario_files.h"
#include "harness/scenario/plan.h"

// In a run's folder: a line with the name of each trial that was planned.
#define PLANNED_FILE "planned.txt"

// 0 if the folder that the user named (if any) does not exist yet or is empty; else -1 with `error`
// set: trials of two runs in one folder could be taken for one run.
int run_folder_check(const struct run_options *options, struct error *error);

// Makes the folder (options->out, or a new one in results/) and puts the scenarios of the plan
// there, with the command line, and what would do the same again: as-run.yaml, or in as-run/ a file
// for each scenario, and where trials had different faults drawn, for each trial; and the names of
// all trials. Returns its path, which the caller frees, or NULL with `error` set.
char *run_folder_make(const struct run_options *options, const struct scenario_set *set,
                      const struct plan *plan, struct error *error);

// Removes what a run that was killed has left: in its folder the servers' data, and the room of
// histories that no event took; and half of a kept data folder (data_cache.h).
void run_folder_sweep(const char *folder);

// Points results/latest to the folder if it is in results/. Another run may do so at any time: to
// the user a run calls its folder by its name.
void run_folder_publish(const char *folder);

#endif
