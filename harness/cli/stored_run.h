// A run that was made before, judged anew from its histories.
#ifndef LOCKPICK_CLI_STORED_RUN_H
#define LOCKPICK_CLI_STORED_RUN_H

#include "harness/cli/scenario_files.h"
#include "harness/report/report.h"
#include "harness/scenario/plan.h"

struct stored_run {
    struct run_result result;
    struct text differences; // from what result.json says, a line each
    size_t compared;         // trials whose verdict stands in result.json
    // What the result points to.
    struct vocabulary *vocabulary;
    struct scenario_set scenarios;
    struct plan plans[2];
};

// Reads the scenarios that the run's folder holds (as-run.yaml, or as-run/) and judges its trials;
// if `trial` is not NULL, only that one. Those that result.json tells of come in its order; what it
// says of trials that were never run, or failed, is taken over. Where it is missing (the run was
// killed), every trial that has a history. 0, or -1 with `error` set. Free with stored_run_free in
// either case.
int stored_run_judge(const char *folder, const char *trial, struct stored_run *run,
                     struct error *error);
void stored_run_free(struct stored_run *run);

#endif
