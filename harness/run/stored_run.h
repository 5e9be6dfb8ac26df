// Runs that were made before: what a path of the user's means, and a run judged anew from its
// histories.
#ifndef LOCKPICK_RUN_STORED_RUN_H
#define LOCKPICK_RUN_STORED_RUN_H

#include "harness/run/perform.h"
#include "harness/run/run_files.h"
#include "harness/scenario/plan.h"

// Each is NULL where there is none.
struct stored_path {
    char *run;   // the folder of the run
    char *trial; // the name of the trial, if it is one or its history
    char **histories;
    size_t history_count, history_room; // the file itself, or all that are below the folder
};

// Below a folder that is no run and no trial, histories are known by their names: .edn, .json or
// .jsonl, each also with .gz; where there is a history.*, as in Jepsen's store, only that. "-" is
// standard input.
void stored_path_find(const char *path, struct stored_path *stored);
// Moves the histories to the end of the others'.
void stored_path_move(struct stored_path *from, struct stored_path *to);
void stored_path_free(struct stored_path *stored);

// By how much verdicts differ from those of result.json.
struct differences {
    struct text text; // a line each
    size_t compared;  // trials whose verdict stands there
};

// Says so on standard output; that nothing differs only if not `quiet`.
void differences_print(const struct differences *differences, bool quiet);

struct stored_run {
    struct run_result result;
    struct differences differences;
    bool was_stopped;       // before it wrote result.json: how many trials it was to have is lost
    struct json_t *entries; // what result.json says of each trial
    // What the result points to.
    struct vocabulary *vocabulary;
    struct scenario_set scenarios;
    struct plan plans[3];
};

// Reads the scenarios that the run's folder holds (as-run.yaml, or as-run/) and names its trials,
// none of which is judged; if `trial` is not NULL, only that one. Those that result.json tells of
// come in its order. Where it lacks some or is missing (the run was stopped), every other trial
// that has a history. 0, or -1 with `error` set. Free with stored_run_free in either case.
int stored_run_open(const char *folder, const char *trial, struct stored_run *run,
                    struct error *error);

// Judges its trial of that number into `result`, whose `trial` and `folder` are set; that folder
// gets the files, and is made if there are any. What result.json says of trials that were never
// run, or failed, is taken over. A verdict that differs from it is one of `run->differences`.
void stored_run_decide(struct stored_run *run, size_t index, enum trial_files files,
                       struct trial_result *result);

// False of a trial that was SKIPPED, or made no sense, by what result.json says.
bool stored_run_was_tried(const struct stored_run *run, size_t index);

// False if there is nothing to judge it by any more; if some trial that was tried has no history.
bool stored_run_has_history(const struct stored_run *run);
bool stored_run_has_all(const struct stored_run *run);

// Both, for all its trials, in their own folder, writing nothing.
int stored_run_judge(const char *folder, const char *trial, struct stored_run *run,
                     struct error *error);
void stored_run_free(struct stored_run *run);

#endif
