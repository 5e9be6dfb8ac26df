// A semaphore: as many as there are permits work at once, nobody writes.
#include "harness/workloads/workload.h"

static const struct key_rule own[] = {{"permits", "only permits has more than one"}, {NULL, NULL}};

const struct workload permits_workload = {
    .name = "permits",
    .summary = "a semaphore: no more than its permits may be held at once",
    .needs = "permits",
    .form = {.own = own},
};
