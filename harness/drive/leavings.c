#include "harness/drive/leavings.h"

// A release that was not answered may yet arrive, and the end of a connection be noticed.
#define GRACE_NS (200 * NS_PER_MS)
// How much longer than it was asked to a server may keep a lease: see harness/check/stuck.c.
#define LEASE_EXCESS_NS (3 * NS_PER_S)
#define MOST_NS (5 * NS_PER_S)
#define LOOK_EVERY_NS (10 * NS_PER_MS)

// By when whatever frees the lock by itself must have done so.
static int64_t patience_ns(const struct lock_scheme *scheme, int64_t lease_ns)
{
    bool ends_by_itself = lock_scheme_has(scheme, "lease") || lock_scheme_has(scheme, "session");
    return ends_by_itself ? lease_ns + LEASE_EXCESS_NS : GRACE_NS;
}

void leavings_record(const struct fault_world *world, const struct lock_scheme *scheme,
                     int64_t lease_ns, struct history_writer *writer)
{
    struct error ignored;
    int64_t asked_ns = clock_monotonic_ns();
    int64_t enough_ns = patience_ns(scheme, lease_ns);
    int64_t waited_ns = 0;
    int held = world_lock_is_held(world, &ignored);
    while (held == 1 && waited_ns < enough_ns && waited_ns < MOST_NS) {
        clock_sleep_until_ns(clock_monotonic_ns() + LOOK_EVERY_NS);
        held = world_lock_is_held(world, &ignored);
        waited_ns = clock_monotonic_ns() - asked_ns;
    }
    if (held == 0 || (held == 1 && waited_ns >= enough_ns))
        history_append(writer, (struct event){.kind = EVENT_LOCK_FINAL, .args = {held, waited_ns}});
}
