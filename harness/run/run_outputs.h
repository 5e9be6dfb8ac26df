// What a run writes and prints once its verdicts stand.
#ifndef LOCKPICK_RUN_RUN_OUTPUTS_H
#define LOCKPICK_RUN_RUN_OUTPUTS_H

#include "harness/cli/run_options.h"
#include "harness/report/run_report.h"

// Makes sure that the file which the option names can be written, makes its folder, and removes
// what an earlier run left there: nobody should take it for this one's. What is neither empty nor a
// plain file that begins so is left alone: a scenario, say. 0, or -1 with `error` set.
int output_check(const char *option, const char *path, const char *begins, struct error *error);

// Before a run starts: output_check of the files which the options name outside of the run's
// folder. 0, or -1 with `error` set.
int run_outputs_check(const struct run_options *options, struct error *error);

// Writes result.json, the reports and junit.xml into the run's folder. 0, or -1 after saying what
// could not be written on standard error.
int run_outputs_write_folder(const struct run_report *report);

// Writes result.json, report.html and junit.xml into the run's folder and the files that the
// options name, and prints what they ask for. Returns the exit code of the run.
int run_outputs_write(const struct run_result *run, const struct run_options *options);

#endif
