#include "harness/workloads/workload.h"

#include <string.h>

const struct workload *const workload_catalogue[] = {
    &increment_workload, &oversell_workload, &draw_workload,  &nested_workload,
    &readers_workload,   &permits_workload,  &cycle_workload, NULL,
};

const struct workload *workload_find(const char *name)
{
    for (size_t i = 0; workload_catalogue[i] != NULL; i++) {
        if (strcmp(workload_catalogue[i]->name, name) == 0)
            return workload_catalogue[i];
    }
    return NULL;
}

int64_t workload_workers(const struct scenario *scenario)
{
    return scenario->clients.processes * scenario->clients.threads;
}
