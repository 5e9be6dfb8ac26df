#include "harness/run/placement.h"

#include <sched.h>
#include <stddef.h>

static int spread(int nth)
{
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return -1;
    int wanted = nth % CPU_COUNT(&allowed);
    for (size_t processor = 0; processor < CPU_SETSIZE; processor++) {
        if (CPU_ISSET(processor, &allowed) && wanted-- == 0)
            return (int)processor;
    }
    return -1;
}

static int together(int nth)
{
    (void)nth;
    return spread(0);
}

int (*placement_of(enum placement placement))(int nth)
{
    if (placement == PLACEMENT_FREE)
        return NULL;
    return placement == PLACEMENT_TOGETHER ? together : spread;
}
