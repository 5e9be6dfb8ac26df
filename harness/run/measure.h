// Operations that an external program does by itself, a loop of many at a time, so that what is
// measured is its lock, and not our way to it. Its times become the same events as everybody's.
#ifndef LOCKPICK_RUN_MEASURE_H
#define LOCKPICK_RUN_MEASURE_H

#include "harness/run/worker.h"

// True if that is how this worker, which has connected, works in this trial: there is nothing to do
// under the lock but to hold it, nothing of ours has to see the requests, the loop is closed, and
// the program can.
bool measure_applies(const struct worker *worker);

// Does the turn's operation, and others that it takes besides; returns how many. What fails is in
// the error of the worker's lock.
int64_t measure_operations(struct worker *worker, const struct turn *turn);

#endif
