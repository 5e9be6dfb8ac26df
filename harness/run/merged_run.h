// Stored runs, made one again: what `lockpick report` shows.
#ifndef LOCKPICK_RUN_MERGED_RUN_H
#define LOCKPICK_RUN_MERGED_RUN_H

#include "harness/run/stored_run.h"

// One trial of the whole: a trial of a stored run, under the name that it has here.
struct merged_trial {
    struct trial trial; // its name is owned
    size_t run, index;  // which trial of which run
};

struct merged_run {
    struct run_result result;
    struct differences differences;
    // What the result points to.
    struct stored_run *runs;
    size_t run_count;
    struct merged_trial *trials; // by scenario, then scheme, then repeat
    size_t trial_count, trial_room;
    struct scenario **scenarios; // of all runs; those of the same text once
    size_t scenario_count, scenario_room;
    struct scenario **renamed; // those of them that had to be: copies, but for the name
    size_t renamed_count, renamed_room;
};

// Opens the runs that lie in `folders` and makes one of them, of which nothing is judged yet. Where
// two have a scenario of the same text (the seed may differ), the trials of a scheme count as
// repeats; of another text and the same name, the later one is called NAME-2. What no reader may
// overlook is in the result's remarks: runs that were stopped, that were made elsewhere or
// otherwise. 0, or -1 with `error` set. Free with merged_run_free in either case.
int merged_run_open(char *const *folders, size_t count, struct merged_run *merged,
                    struct error *error);

// Judges all its trials. Those that had a history get their files in `out`/trials.
void merged_run_judge(struct merged_run *merged, const char *out, enum trial_files files);

// Writes the scenarios into `out`, as a run does: as-run.yaml, or as-run/. 0, or -1 with `error`
// set.
int merged_run_keep_scenarios(const struct merged_run *merged, const char *out,
                              struct error *error);

void merged_run_free(struct merged_run *merged);

#endif
