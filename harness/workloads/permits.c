// A semaphore: as many as there are permits work at once, nobody writes.
#include "harness/workloads/workload.h"

const struct key_rule permits_keys[] = {{"permits", "only permits and limit have more than one"},
                                        {NULL, NULL}};

const struct workload permits_workload = {
    .name = "permits",
    .summary = "a semaphore: no more than its permits may be held at once",
    .form = {.own = permits_keys, .trait = "permits"},
    .has_permits = true,
};
