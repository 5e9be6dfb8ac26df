#include "harness/cluster/exploration.h"

#include "harness/base/clock.h"

void explored_set_clocks(const struct explored_servers *servers, int64_t now_ns)
{
    for (int i = 0; i < servers->group->count; i++) {
        struct clock_shift *clock = servers->group->nodes[i].clock;
        if (clock != NULL)
            clock_freeze(clock, servers->zero_unix_ns, now_ns);
    }
}
