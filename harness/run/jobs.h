// Which job a worker goes for next, in the workload of jobs.
#ifndef LOCKPICK_RUN_JOBS_H
#define LOCKPICK_RUN_JOBS_H

#include "harness/run/client.h"

// Chooses worker->key: the next job in line that the worker does not know as done, for which it
// waits only if it has been refused each of those since it was given one last. False if it knows
// all as done. Of other workloads: true, and nothing is chosen.
bool jobs_choose(struct worker *worker);

#endif
