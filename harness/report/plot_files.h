// The files of a picture: NAME.dat, NAME.gp, and the NAME.svg that gnuplot draws from them.
#ifndef LOCKPICK_REPORT_PLOT_FILES_H
#define LOCKPICK_REPORT_PLOT_FILES_H

#include "harness/base/error.h"
#include "harness/base/text.h"

// Writes NAME.dat and NAME.gp into the folder. 0, or -1 with `error` set.
int plot_files_write(const char *folder, const char *name, const struct text *data,
                     const struct text *script, struct error *error);

// NAME.svg as an element of HTML: without the declarations before it. The caller frees it. NULL
// with `error` set if it is not there in full.
char *plot_files_read(const char *folder, const char *name, struct error *error);

#endif
