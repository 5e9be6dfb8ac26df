// Rows of the page's tables of costs: one for each scheme of a scenario, over all its repeats.
#ifndef LOCKPICK_REPORT_HTML_ROWS_H
#define LOCKPICK_REPORT_HTML_ROWS_H

#include "harness/report/cost_rows.h"
#include "harness/report/html.h"

// What is above a column; those beside each other that have the same group share it.
struct html_heading {
    const char *group; // "": none
    const char *name;  // NULL: there are no more
};

// Adds a table: `headings` behind that of the scheme, and a row for each
// cost, whose cells `add` adds. `highest` is the highest rate of the same scenario. Where there are
// hundreds of rows, the table ends with how many more there are.
void html_add_cost_table(struct page *page, const char *name, const struct html_heading *headings,
                         void (*add)(struct page *page, const struct scheme_cost *cost,
                                     double highest));

// Cells: the worst verdict of the repeats; a percentile; a number, which may be NaN.
void html_add_verdict_of(struct page *page, const struct scheme_cost *cost);
void html_add_percentile(struct text *out, const struct histogram *histogram, double percent);
void html_add_number(struct text *out, const char *format, double value);

#endif
