#include "harness/run/leavings.h"

#include "harness/base/text.h"

#include <stdlib.h>

// A release that was not answered may yet arrive, and the end of a connection be noticed.
#define GRACE_NS (200 * NS_PER_MS)
// How much longer than it was asked to a server may keep a lease: see harness/check/stuck.c.
#define LEASE_EXCESS_NS (3 * NS_PER_S)
#define MOST_NS (5 * NS_PER_S)
#define LOOK_EVERY_NS (10 * NS_PER_MS)
// A lock that was asked for so soon was not waited for. Of many, the last are asked for much later,
// when a lease or session may have ended meanwhile.
#define AT_ONCE_NS (5 * NS_PER_MS)

// By when whatever frees the lock by itself must have done so.
static int64_t patience_ns(const struct lock_scheme *scheme, int64_t lease_ns)
{
    bool ends_by_itself = lock_scheme_has(scheme, "lease") || lock_scheme_has(scheme, "session");
    return ends_by_itself ? lease_ns + LEASE_EXCESS_NS : GRACE_NS;
}

struct look {
    const struct fault_world *world;
    const struct stage_key *keys;
    int64_t began_ns, enough_ns;
    struct history_writer *writer;
};

// False if it is to be asked for again.
static bool settle(const struct look *look, int lock)
{
    struct error ignored;
    bool is_at_once = clock_monotonic_ns() - look->began_ns <= AT_ONCE_NS;
    int held = world_lock_is_held(look->world, &look->world->locks[lock], &ignored);
    int64_t waited_ns = is_at_once ? 0 : clock_monotonic_ns() - look->began_ns;
    if (held == 1 && waited_ns < look->enough_ns)
        return waited_ns >= MOST_NS;
    if (held >= 0)
        history_append(look->writer,
                       (struct event){.kind = EVENT_LOCK_FINAL,
                                      .lock_final = {.held = held,
                                                     .waited_ns = waited_ns,
                                                     .key = look->keys[lock].number}});
    return true;
}

void leavings_record(const struct fault_world *world, const struct stage_key *keys,
                     const struct lock_scheme *scheme, int64_t lease_ns,
                     struct history_writer *writer)
{
    struct look look = {.world = world,
                        .keys = keys,
                        .began_ns = clock_monotonic_ns(),
                        .enough_ns = patience_ns(scheme, lease_ns),
                        .writer = writer};
    bool *is_settled = memory_zeroed((size_t)world->lock_count, sizeof *is_settled);
    for (int left = world->lock_count; left > 0;) {
        for (int i = 0; i < world->lock_count; i++) {
            if (!is_settled[i] && settle(&look, i)) {
                is_settled[i] = true;
                left--;
            }
        }
        if (left > 0)
            clock_sleep_until_ns(clock_monotonic_ns() + LOOK_EVERY_NS);
    }
    free(is_settled);
}
