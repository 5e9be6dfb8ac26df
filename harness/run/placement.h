// Where processes run: a one-client result differs by a factor of eight with it.
#ifndef LOCKPICK_RUN_PLACEMENT_H
#define LOCKPICK_RUN_PLACEMENT_H

#include "harness/scenario/scenario.h"

// How the placement chooses: a function that gives the processor for the nth node (from 0) of a
// trial, or NULL for "wherever the kernel likes".
// spread: one after the other over the processors we may use; together: all on the first.
int (*placement_of(enum placement placement))(int nth);

#endif
