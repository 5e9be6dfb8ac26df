// Two schemes of a scenario, run in turns.
#ifndef LOCKPICK_RUN_COMPARE_TURNS_H
#define LOCKPICK_RUN_COMPARE_TURNS_H

#include "harness/cli/compare_options.h"

// Runs the scenario of options->run.paths[0] and prints the comparison. Returns the exit code.
int compare_in_turns(const struct compare_options *options);

// Prints it as the options ask. Returns the exit code.
int compare_show(const struct comparison *comparison, const struct compare_options *options);

#endif
