// A run as CI servers read it: every trial and every threshold is a test case, and passes, fails,
// breaks or is skipped alike in each format.
//
// A missed expectation is a failure, and so is one that could not be decided; ERROR is an error;
// what was not tried is skipped, and so is what could not be decided where nothing was expected, as
// it neither passed nor failed. A threshold is a failure if it was missed or not measured. Trials
// that a run ended before are told once.
#ifndef LOCKPICK_REPORT_CI_H
#define LOCKPICK_REPORT_CI_H

#include "harness/report/report.h"

#define JUNIT_BEGINS "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"lockpick\""

// junit.xml, in the dialect that Jenkins, GitLab and GitHub's actions agree on: a test suite for
// each scenario. Trials that a run ended before are one error. Valid XML whatever bytes a story
// has. The caller frees the text.
char *report_junit(const struct run_report *report);

// Version 13 of the Test Anything Protocol, which Perl's harness speaks: a line for each case, and
// below those that are "not ok" what is known of them, as a YAML block of plain keys, quoted
// strings and a list of lines. SKIP says why. Of a run that ended early, the trials that did not
// finish are counted in a comment: the exit code tells of them. Text that would break a line is
// quoted or left out, whatever bytes it has. The caller frees the text.
char *report_tap(const struct run_report *report);

// Prints workflow commands of GitHub Actions, each at the line of the scenario that was not met: an
// error for a missed expectation, for ERROR and, in a strict run, for what was skipped; a warning
// for UNKNOWN and for each reason to skip. Likewise for thresholds: an error for one that was
// missed, a warning for one that was not measured. Then every story in a group that can be
// unfolded, and the summary as a notice. Paths are those of the command line, which GitHub takes to
// be relative to the repository. Escaped as in packages/core/src/command.ts of
// github.com/actions/toolkit.
void report_github(const struct run_report *report, FILE *out);

// As report.md (see report.h), for the file that $GITHUB_STEP_SUMMARY names: at most 1 MiB, which
// is as much as GitHub takes of one step. The caller frees the text.
char *report_github_summary(const struct run_report *report);

#endif
