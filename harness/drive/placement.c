#include "harness/drive/placement.h"

#include <sched.h>

int placement_processor(enum placement placement, int nth)
{
    cpu_set_t allowed;
    if (placement == PLACEMENT_FREE || sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return -1;
    int wanted = placement == PLACEMENT_TOGETHER ? 0 : nth % CPU_COUNT(&allowed);
    for (size_t processor = 0; processor < CPU_SETSIZE; processor++) {
        if (CPU_ISSET(processor, &allowed) && wanted-- == 0)
            return (int)processor;
    }
    return -1;
}
