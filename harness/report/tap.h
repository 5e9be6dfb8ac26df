// The Test Anything Protocol, for `prove` and whatever else reads it.
#ifndef LOCKPICK_REPORT_TAP_H
#define LOCKPICK_REPORT_TAP_H

#include "harness/report/report.h"

// Version 13 of the protocol, which Perl's harness speaks: a line for each trial, then for each
// threshold and scheme, and below those that are "not ok" what is known of them, as a YAML block of
// plain keys, quoted strings and a list of lines. What passes, fails and is skipped is as in
// junit.xml; SKIP says why. Of a run that ended early, the trials that did not finish are counted
// in a comment: the exit code tells of them. Text that would break a line is quoted or left out,
// whatever bytes it has. The caller frees the text.
char *report_tap(const struct run_report *report);

#endif
