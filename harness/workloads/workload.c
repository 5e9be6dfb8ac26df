#include "harness/workloads/workload.h"

#include <string.h>

const struct workload *const workload_catalogue[] = {
    &increment_workload,
    &oversell_workload,
    NULL,
};

const struct workload *workload_find(const char *name)
{
    for (size_t i = 0; workload_catalogue[i] != NULL; i++) {
        if (strcmp(workload_catalogue[i]->name, name) == 0)
            return workload_catalogue[i];
    }
    return NULL;
}
