// A picture of a violation that a pure model found: processes as rows, their holds as bars, the
// time at which too many held marked.
#ifndef LOCKPICK_REPORT_MODEL_PICTURE_H
#define LOCKPICK_REPORT_MODEL_PICTURE_H

#include "harness/model/model.h"

#define MODEL_PICTURE_BEGINS "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg "

// Writes an SVG of the operations around the violation, on the lock that it is about: of each hold
// the core (for which it was certainly held) and, paler, how far it may have reached; operations
// that were refused, and those of unknown outcome, look different. The axis counts what the
// history does: lines, or seconds. 0, or -1 with `error` set if the file could not be written, or
// gnuplot is missing or failed.
int model_picture(const struct operations *operations, const struct model_violation *violation,
                  const char *path, struct error *error);

#endif
