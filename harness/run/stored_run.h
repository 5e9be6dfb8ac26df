// Runs that were made before: what a path of the user's means; and runs judged anew from their
// histories, several of them made one.
#ifndef LOCKPICK_RUN_STORED_RUN_H
#define LOCKPICK_RUN_STORED_RUN_H

#include "harness/run/perform.h"
#include "harness/run/run_files.h"
#include "harness/scenario/plan.h"

// Each is NULL where there is none.
struct stored_path {
    char *run;                    // the folder of the run
    char *trial;                  // the name of the trial, if it is one or its history
    struct string_list histories; // the file itself, or all that are below the folder
};

// Below a folder that is no run and no trial, histories are known by their names: .edn, .json or
// .jsonl, each also with .gz; where there is a history.*, as in Jepsen's store, only that. "-" is
// standard input.
void stored_path_find(const char *path, struct stored_path *stored);
void stored_path_free(struct stored_path *stored);

// By how much verdicts differ from those of result.json.
struct differences {
    struct text text; // a line each
    size_t compared;  // trials whose verdict stands there
};

// Says so on standard output; that nothing differs only if not `quiet`.
void differences_print(const struct differences *differences, bool quiet);

struct stored_runs {
    struct run_result result;
    struct differences differences;
    bool was_stopped; // one of them was, before it wrote result.json
    // What the result points to.
    struct stored_run *runs;
    size_t run_count;
    struct stored_trial *trials; // of several runs: by scenario, then scheme, then repeat
    size_t trial_count, trial_room;
    struct scenario **scenarios; // of all runs; those of the same text once
    size_t scenario_count, scenario_room;
    struct scenario **renamed; // those of them that had to be: copies, but for the name
    size_t renamed_count, renamed_room;
};

// Of the trials of a run that were tried, which must have their history: none, one, each.
enum stored_histories { HISTORIES_NONE, HISTORIES_SOME, HISTORIES_ALL };

// Opens the runs that lie in `folders` and makes one of them, of which nothing is judged yet; of
// only that trial, if it is not NULL. Where two have a scenario of the same text (the seed may
// differ), the trials of a scheme count as repeats; of another text and the same name, the later
// one is called NAME-2. What no reader may overlook is in the result's remarks: runs that were
// stopped, that were made elsewhere or otherwise. 0, or -1 with `error` set. Free with
// stored_runs_free in either case.
int stored_runs_open(char *const *folders, size_t count, const char *trial,
                     enum stored_histories wanted, struct stored_runs *all, struct error *error);

// Judges all its trials. Those that had a history get their files in `out`/trials; what result.json
// says of trials that were never run, or failed, is taken over.
void stored_runs_judge(struct stored_runs *all, const char *out, enum trial_files files);

// Writes the scenarios into `out`, as a run does: as-run.yaml, or as-run/. 0, or -1 with `error`
// set.
int stored_runs_keep_scenarios(const struct stored_runs *all, const char *out, struct error *error);

void stored_runs_free(struct stored_runs *all);

#endif
