// Nothing but the lock: acquire, hold, release. Nobody reads or writes, so that an external program
// may run the whole loop by itself: what a lock costs, and nothing besides.
#include "harness/workloads/workload.h"

static const struct key_rule refuses[] = {
    {"store", "a cycle reads and writes no value"},
    {"fenced", "a cycle reads and writes no value"},
    {"boundary", "a cycle reads and writes no value"},
    {NULL, NULL},
};

const struct workload cycle_workload = {
    .name = "cycle",
    .summary = "acquire, hold, release, and nothing else: to measure what a lock costs; a program "
               "that can runs the loop itself",
    .form = {.refuses = refuses},
    .only_locks = true,
};
