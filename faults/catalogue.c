// Every fault, in the order of lists. A new fault is one new file, and a line here.
#include "faults/fault.h"

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
    FAULT(upgrade)

#define DECLARED(name) extern const struct fault name##_fault;
FAULTS(DECLARED)

#define LISTED(name) &name##_fault,
const struct fault *const fault_catalogue[] = {FAULTS(LISTED) NULL};
