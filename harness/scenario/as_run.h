// A scenario written down as it is run (scenario_as_run).
#ifndef LOCKPICK_SCENARIO_AS_RUN_H
#define LOCKPICK_SCENARIO_AS_RUN_H

#include "harness/scenario/tree.h"

// Keeps in the scenario what its tree says, for scenario_as_run.
void settle(const struct node *root, struct scenario *scenario);

#endif
