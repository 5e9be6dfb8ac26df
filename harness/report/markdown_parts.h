// The parts of report.md.
#ifndef LOCKPICK_REPORT_MARKDOWN_PARTS_H
#define LOCKPICK_REPORT_MARKDOWN_PARTS_H

#include "harness/report/report.h"

// Adds text so that no character means anything to Markdown or HTML, not even inside of a table.
void markdown_add(struct text *out, const char *text);

// The same as the cell of a table, without the bar behind it.
void markdown_cell(struct text *out, const char *text);

// Adds text as a block of code, which nothing in it ends.
void markdown_block(struct text *out, const char *text);

// Adds `part`, and empties it, if the whole stays below `most` bytes.
bool markdown_fit(struct text *out, struct text *part, size_t most);

// What was not met; and how much was. `most` is that of all of `out`, here and below.
void markdown_thresholds(const struct run_result *run, struct text *out, size_t most);

// A row for each scheme of each scenario, and what is to be said of them.
void markdown_costs(const struct run_result *run, struct text *out, size_t most);

#endif
