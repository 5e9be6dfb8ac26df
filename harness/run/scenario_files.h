// From the paths on the command line to loaded scenarios.
#ifndef LOCKPICK_RUN_SCENARIO_FILES_H
#define LOCKPICK_RUN_SCENARIO_FILES_H

#include "harness/cli/run_options.h"

struct scenario_set {
    struct scenario **scenarios;
    size_t count;
};

// Loads every file named, and every *.yaml below every folder named, in alphabetical order. 0, or
// -1 after printing every complaint about every file on standard error. Free in either case.
int scenario_set_load(const struct run_options *options, const struct vocabulary *vocabulary,
                      struct scenario_set *set);

void scenario_set_free(struct scenario_set *set);

#endif
