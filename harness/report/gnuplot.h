// Running gnuplot.
#ifndef LOCKPICK_REPORT_GNUPLOT_H
#define LOCKPICK_REPORT_GNUPLOT_H

#include "harness/base/error.h"

#include <stdbool.h>

// Runs `gnuplot scripts…` (NULL-terminated names) in the folder, all in one process. 0, or -1 with
// `error` set to what gnuplot said; *missing tells that there is no gnuplot to run.
int gnuplot_run(const char *folder, const char *const *scripts, bool *missing, struct error *error);

#endif
