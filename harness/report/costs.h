// The table of costs, for a terminal of 100 columns.
#ifndef LOCKPICK_REPORT_COSTS_H
#define LOCKPICK_REPORT_COSTS_H

#include "harness/report/run_report.h"

// One table for each scenario, a line for each scheme that has a history, over its repeats; what
// was not measured is "–". A rate with an asterisk is driver-bound in at least one repeat; an
// acquire latency with one tells of the driver (see driver_bound.h); the reason is said below.
// Scenarios with faults are left out unless the run has no other: most have
// but a few operations, and are about something else. Nothing is printed of a run without a
// history.
void costs_print(const struct run_report *report, FILE *out, bool coloured);

// Adds what is to be said below a table that shows the cost, a line each: by what it is
// driver-bound, and that the rate was not held. Nothing, as a rule.
void costs_add_notes(const struct scheme_cost *cost, struct text *notes);

// What stands behind the name of a scheme in a table of costs: "†" if it is a program that the
// scenario brings along; else "".
const char *costs_mark(const struct trial *trial);

// Adds what the mark means, in a sentence for below a table that has it, without a full stop: whose
// times they are, and what else is in them. Of the schemes of one scenario, or of all (NULL);
// nothing if none is marked.
void costs_add_mark_meaning(const struct run_result *run, const struct scenario *scenario,
                            struct text *out);

#endif
