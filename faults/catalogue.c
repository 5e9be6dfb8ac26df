#include "faults/fault.h"

#include <string.h>

const struct fault *const fault_catalogue[] = {
    &pause_fault,
    &kill_fault,
    NULL,
};

const struct fault *fault_find(const char *name)
{
    for (size_t i = 0; fault_catalogue[i] != NULL; i++) {
        if (strcmp(fault_catalogue[i]->name, name) == 0)
            return fault_catalogue[i];
    }
    return NULL;
}
