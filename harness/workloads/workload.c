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

int64_t workload_initial(const struct workload *workload, const struct scenario *scenario)
{
    return workload->initial != NULL ? workload->initial(scenario) : 0;
}

int64_t workload_operations(const struct workload *workload, const struct scenario *scenario)
{
    return workload->operations != NULL ? workload->operations(scenario)
                                        : scenario->workload.operations;
}

int64_t workload_workers(const struct scenario *scenario)
{
    return scenario->clients.processes * scenario->clients.threads;
}
