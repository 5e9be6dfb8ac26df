// Faults drawn for a trial: what `random:` leaves open, and when each `every:` comes. A draw
// depends on the scenario, the seed, the scheme's servers and the number of the repeat, and on
// nothing else: it is the same on any machine and in any order of execution.
#ifndef LOCKPICK_RUN_DRAW_H
#define LOCKPICK_RUN_DRAW_H

#include "harness/scenario/plan.h"

#include <stdio.h>

// Which faults of `random: {of: ...}` are not drawn for which schemes of the plan (they cannot
// happen to their servers, or are not promised to be survived), as "path:line: message" on `out`.
void draw_tell(const struct plan *plan, const struct scenario *scenario, FILE *out);

// Draws what the trials of the plan leave open: each gets a scenario of its own (`drawn`, the
// plan's). A trial for which nothing can be drawn gets a skip_reason. 0, or -1 after saying why on
// standard error.
int draw_plan(struct plan *plan, const struct vocabulary *vocabulary);

#endif
