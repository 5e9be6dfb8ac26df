// The table of costs, for a terminal of 100 columns.
#ifndef LOCKPICK_REPORT_COSTS_H
#define LOCKPICK_REPORT_COSTS_H

#include "harness/report/report.h"

// One table for each scenario, a line for each scheme that has a history, over its repeats; what
// was not measured is "–". A rate with an asterisk is driver-bound in at least one repeat, and the
// reason is said below. Scenarios with faults are left out unless the run has no other: most have
// but a few operations, and are about something else. Nothing is printed of a run without a
// history.
void costs_print(const struct run_result *run, FILE *out, bool coloured);

#endif
