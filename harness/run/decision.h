// From a trial's history to all that is known of it: the same for a run and for a stored one.
#ifndef LOCKPICK_RUN_DECISION_H
#define LOCKPICK_RUN_DECISION_H

#include "harness/report/report.h"

// What is written into the trial's folder.
enum trial_files {
    TRIAL_FILES_NONE,
    TRIAL_FILES_PAGE,    // none yet: what a page shows of trials that broke something is kept
    TRIAL_FILES_UNDRAWN, // latencies, and what all pictures are drawn from
    TRIAL_FILES_ALL,     // the pictures too
};

// Judges the history of `result->trial` and fills all of `result` that follows from it. What cannot
// be written is said on standard error, and in `result->lacks_files`; the verdict stands all the
// same.
void trial_decide(struct trial_result *result, struct history *history, enum trial_files files);

// Frees what a result owns, and clears it.
void trial_result_free(struct trial_result *result);

#endif
