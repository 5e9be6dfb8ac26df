// A run as GitHub Actions shows it.
#ifndef LOCKPICK_REPORT_GITHUB_H
#define LOCKPICK_REPORT_GITHUB_H

#include "harness/report/report.h"

// Prints workflow commands, each at the line of the scenario that the trial did not meet: an error
// for a missed expectation, for ERROR and, in a strict run, for what was skipped; a warning for
// UNKNOWN and for each reason to skip. Likewise for thresholds: an error for one that was missed, a
// warning for one that was not measured. Then every story in a group that can be unfolded, and the
// summary as a notice. Paths are those of the command line, which GitHub takes to be relative to
// the repository. Escaped as in packages/core/src/command.ts of github.com/actions/toolkit.
void report_github(const struct run_report *report, FILE *out);

// As report.md (see markdown.h), for the file that $GITHUB_STEP_SUMMARY names: at most 1 MiB, which
// is as much as GitHub takes of one step. The caller frees the text.
char *report_github_summary(const struct run_report *report);

#endif
