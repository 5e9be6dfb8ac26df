// What CI servers read of a run.
#ifndef LOCKPICK_REPORT_JUNIT_H
#define LOCKPICK_REPORT_JUNIT_H

#include "harness/report/report.h"

#define JUNIT_BEGINS "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"lockpick\""

// junit.xml, in the dialect that Jenkins, GitLab and GitHub's actions agree on: a test suite for
// each scenario, a test case for each of its trials. A missed expectation is a failure, and so is
// one that could not be decided; ERROR is an error; what was not tried is skipped, and so is what
// could not be decided where nothing was expected, as it neither passed nor failed. Each threshold
// is a test case, too, and a failure if it was missed or not measured. Trials that a
// run ended before are one error. Valid XML whatever bytes a story has. The caller frees the text.
char *report_junit(const struct run_report *report);

// How a trial is told to CI servers, in the order of exit codes: a missed expectation comes before
// all else.
enum case_kind { CASE_PASSED, CASE_FAILED, CASE_BROKE, CASE_SKIPPED };

enum case_kind case_kind_of(const struct trial_result *result);

// The line of the scenario's file that says what is expected of the trial, or 1 if none does.
int trial_line(const struct trial *trial);

#endif
