// What a run writes and prints once its verdicts stand.
#ifndef LOCKPICK_CLI_RUN_OUTPUTS_H
#define LOCKPICK_CLI_RUN_OUTPUTS_H

#include "harness/cli/run_options.h"
#include "harness/report/report.h"

// Before a run starts: makes sure that the files which the options name outside of the run's folder
// can be written, makes the folder of `--junit`, and removes what an earlier run left there, as
// nobody should take it for this run's. 0, or -1 with `error` set.
int run_outputs_check(const struct run_options *options, struct error *error);

// Writes result.json, the reports and junit.xml into the run's folder. 0, or -1 after saying what
// could not be written on standard error.
int run_outputs_write_folder(const struct run_result *run);

// Writes result.json, report.html and junit.xml into the run's folder and the files that the
// options name, and prints what they ask for; speaking to the user it calls the folder `name`, or,
// if that is NULL, what run_folder_publish does, which is done once all is written. Returns the
// exit code of the run.
int run_outputs_write(const struct run_result *run, const struct run_options *options,
                      const char *name);

#endif
