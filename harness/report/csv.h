// A run as a table for spreadsheets: one line a trial.
#ifndef LOCKPICK_REPORT_CSV_H
#define LOCKPICK_REPORT_CSV_H

#include "harness/report/report.h"

#define CSV_BEGINS "trial,scenario,scheme,"

// RFC 4180: comma-separated, lines end in CR LF, the first one names the columns; fields with a
// comma, a quote or a line break in them are quoted. Columns are only ever added, at the end; names
// that end in _ns are integers, in nanoseconds. A field is empty where nothing is known or was
// measured. What the columns mean is said in FORMATS.md. The caller frees the text.
char *report_csv(const struct run_report *report);

#endif
