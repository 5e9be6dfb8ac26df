// Every fault, in the order of lists. A new fault is one new file, and a line here.
#include "faults/fault.h"

#include <string.h>

#define FAULTS(FAULT)                                                                              \
    FAULT(pause)                                                                                   \
    FAULT(kill)                                                                                    \
    FAULT(restart)                                                                                 \
    FAULT(partition)                                                                               \
    FAULT(delay)                                                                                   \
    FAULT(loss)                                                                                    \
    FAULT(buffer)                                                                                  \
    FAULT(failover)                                                                                \
    FAULT(clock)                                                                                   \
    FAULT(evict)                                                                                   \
    FAULT(flush)                                                                                   \
    FAULT(disconnect)                                                                              \
    FAULT(deny)                                                                                    \
    FAULT(disk)                                                                                    \
    FAULT(upgrade)                                                                                 \
    FAULT(exec)

#define DECLARED(name) extern const struct fault name##_fault;
FAULTS(DECLARED)

#define LISTED(name) &name##_fault,
const struct fault *const fault_catalogue[] = {FAULTS(LISTED) NULL};

const struct fault *fault_find(const char *name)
{
    for (size_t i = 0; fault_catalogue[i] != NULL; i++) {
        if (strcmp(fault_catalogue[i]->form.name, name) == 0)
            return fault_catalogue[i];
    }
    return NULL;
}

const struct fault *fault_drawn_as(const char *word)
{
    for (size_t i = 0; fault_catalogue[i] != NULL; i++) {
        const struct fault_form *form = &fault_catalogue[i]->form;
        if (form->drawn_also_as != NULL && strcmp(form->drawn_also_as, word) == 0)
            return fault_catalogue[i];
    }
    return fault_find(word);
}
