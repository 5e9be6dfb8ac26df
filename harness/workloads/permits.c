// A semaphore: as many as there are permits work at once, nobody writes.
#include "harness/workloads/workload.h"

const struct workload permits_workload = {
    .name = "permits",
    .summary = "a semaphore: no more than its permits may be held at once",
    .needs = "permits",
    .initial = increment_initial,
    .operations = increment_operations,
};
