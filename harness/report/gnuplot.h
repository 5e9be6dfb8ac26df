// Running gnuplot.
#ifndef LOCKPICK_REPORT_GNUPLOT_H
#define LOCKPICK_REPORT_GNUPLOT_H

#include "harness/base/error.h"
#include "harness/base/text.h"

#include <stdbool.h>
#include <stddef.h>

struct gnuplot_script {
    const char *folder; // that it is run in
    const char *name;   // "timeline"; the file is timeline.gp
};

// Runs scripts, each in its folder. Starting gnuplot takes longer than most pictures do: a process
// runs several scripts one after another, and as many processes run at a time as there are
// processors. A script that fails takes along those behind it in its process. 0, or -1 with `error`
// set to what gnuplot said; *missing tells that there is no gnuplot to run.
int gnuplot_run(const struct gnuplot_script *scripts, size_t count, bool *missing,
                struct error *error);

// `length` bytes of a string, in single quotes, in which gnuplot gives no character but these a
// meaning; control characters become spaces.
void gnuplot_quote(struct text *out, const char *string, size_t length);

#endif
