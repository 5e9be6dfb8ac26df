#include "harness/cluster/control_pause.h"

#include "harness/base/clock.h"

#define PAUSE_NS (3 * NS_PER_MS)

bool control_pause(int64_t give_up_ns, const char *what, struct error *error)
{
    int64_t now_ns = clock_monotonic_ns();
    if (now_ns >= give_up_ns) {
        error_set(error, "after a second it is not yet so that %s", what);
        return false;
    }
    clock_sleep_until_ns(now_ns + PAUSE_NS);
    return true;
}
