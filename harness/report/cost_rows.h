// The rows of tables of costs, in report.html and report.md: one for each scheme of a scenario.
#ifndef LOCKPICK_REPORT_COST_ROWS_H
#define LOCKPICK_REPORT_COST_ROWS_H

#include "harness/report/scheme_cost.h"

// True if a row begins at that trial: one of its scenario and scheme has a history, none of them
// comes before it, and its scenario measures. The others have but a few operations, and are about
// something else; they have rows if no scenario of the run measures.
bool cost_row_begins_at(const struct run_result *run, size_t index);

// True if the trial is one of those that the cost is of.
bool cost_row_has(const struct scheme_cost *cost, const struct trial_result *result);

// The percentile in words, or "–" if too few were recorded.
const char *cost_percentile(const struct histogram *histogram, double percent, char *out,
                            size_t room);

#endif
