// Schemes that a scenario brings along: programs that lock, `{exec: {command: [...], ...}}` in its
// list of schemes.
#ifndef LOCKPICK_SCENARIO_FOREIGN_H
#define LOCKPICK_SCENARIO_FOREIGN_H

#include "harness/scenario/bind.h"

// Binds what the root's `schemes` bring along, before anything else is bound: patterns may mean
// them. Sets the scenario's `execs`, and its `vocabulary` if there are any. Writes into the tree
// where each runs, so that the scenario as run finds it from anywhere.
void foreign_bind(struct binding *binding, struct node *root, struct scenario *scenario);

void foreign_free(struct scenario *scenario);

#endif
