// Operations as Jepsen and Knossos write them, so that other checkers can be asked.
#ifndef LOCKPICK_IMPORT_EXPORT_H
#define LOCKPICK_IMPORT_EXPORT_H

#include "harness/import/import.h"

#include <stdio.h>

// Writes an operation map a line, in the order of real time: what happened at the same moment is
// invoked before it returns. `time` counts from `zero_ns`. The processes are numbers; operations of
// which no answer is known get their :info at the end. The operations' moments must be
// nanoseconds. 0, or -1 if `out` could not be written.
int export_history(enum import_format format, const struct operations *operations, FILE *out);

#endif
