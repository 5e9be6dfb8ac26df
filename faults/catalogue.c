#include "faults/fault.h"

#include <errno.h>
#include <string.h>

const struct fault *const fault_catalogue[] = {
    &pause_fault, &kill_fault,     &restart_fault, &cut_fault,   &delay_fault, &loss_fault,
    &hold_fault,  &failover_fault, &clock_fault,   &evict_fault, &flush_fault, &disconnect_fault,
    &deny_fault,  &disk_fault,     &upgrade_fault, NULL,
};

enum strike_state strike_came_too_late(struct error *error)
{
    errno = ESRCH;
    return error_set(error, "the client had ended already");
}

const struct fault *fault_find(const char *name)
{
    for (size_t i = 0; fault_catalogue[i] != NULL; i++) {
        if (strcmp(fault_catalogue[i]->form.name, name) == 0)
            return fault_catalogue[i];
    }
    return NULL;
}
