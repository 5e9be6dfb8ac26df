// In an ensemble the leader alone ends sessions, and it does not hear of clients itself: each
// server keeps in mind which sessions it has heard of, and says so when the leader next asks, twice
// a tick (ZooKeeper's Learner.ping and LearnerHandler.run; requests that it forwards say nothing of
// it). So a server that answers a client may be asked by the leader too late: if the client had
// been silent for nearly its time-out before, its session ends although it was answered, and with
// it the lock that it was just granted. The recipe is not to blame for that, nor is the ensemble:
// that is what a session is. But the time-out that the client counts from its request is no lease
// then.
//
// While they run, clients do not let it come so far: the library pings after a third of the
// time-out. So only who stands still for that long, or a server that does, or servers that do not
// reach each other, leave a session in doubt; and no longer than until it has been answered for a
// time-out again.
//
// memcached counts by a clock that it sets once a second itself. After a standstill it may serve
// requests before it sets the clock, and what is stored by them counts from when the standstill
// began: an item that was to last for long may be gone at once. Its locks ask for a second more
// than the lease, rounding aside.
#include "harness/check/session_doubts.h"

#include "harness/base/growing.h"
#include "harness/check/wire_sides.h"

#include <stdlib.h>
#include <string.h>

#define CLOCK_TICK_NS NS_PER_S // of memcached

// Somebody stood still.
struct standstill {
    int client; // 0: a server, or the machine: it concerns every session
    int64_t from_ns;
    int64_t to_ns;
};

struct standstills {
    struct standstill *items;
    size_t count, room;
};

static void add(struct standstills *all, int64_t lease_ns, struct standstill standstill)
{
    if (standstill.to_ns - standstill.from_ns >= lease_ns / 3)
        *APPEND(all->items, all->count, all->room) = standstill;
}

// True if the fault keeps its client, or a server, from being heard of. What strikes only the wires
// of a client does not: the library connects to another server then, which asks the leader.
static bool silences(const struct digest *digest, const struct fault_step *step)
{
    if (fault_can(step, FAULT_STOPS))
        return step->target.worker == 0 && !strikes_only_store(digest, step);
    int64_t lease_ns = digest->trial->scenario->lock.lease_ns;
    bool is_delay =
        fault_can(step, FAULT_SLOWS) && !fault_can(step, FAULT_SEVERS) && step->share == 0;
    if (is_delay && step->by_ns + step->jitter_ns < lease_ns / 3)
        return false;
    return step->side_counts[0] > 0 && wire_parts_servers(step);
}

static struct standstills find_standstills(const struct digest *digest)
{
    struct standstills all = {0};
    int64_t lease_ns = digest->trial->scenario->lock.lease_ns;
    for (size_t i = 0; i < digest->fault_count; i++) {
        const struct fault_record *record = &digest->faults[i];
        if (record->in_effect_ns == TIME_NEVER || !silences(digest, record->step))
            continue;
        int64_t to_ns = time_earlier(record->healed_ns, digest->ended_ns);
        bool on_wires = record->step->side_counts[0] > 0;
        add(&all, lease_ns,
            (struct standstill){on_wires ? 0 : record->step->target.client, record->asked_ns,
                                to_ns});
    }
    for (size_t i = 0; i < digest->stall_count; i++) {
        const struct stall *stall = &digest->stalls[i];
        bool of_client = stall->of == STALLED_CLIENT || stall->of == STALLED_DRIVER;
        if (stall->of != STALLED_CONDUCTOR)
            add(&all, lease_ns,
                (struct standstill){of_client ? stall->number : 0, stall->from_ns, stall->to_ns});
    }
    return all;
}

// A hold that was granted meanwhile or soon after: its lease is proven at no time. One that was
// there already: for two thirds of the time-out from then on, for the library, which may have been
// about to ping, had last been heard of a third before.
static void doubt(struct hold *hold, const struct standstill *standstill, int64_t lease_ns)
{
    if (hold->granted_ns > standstill->to_ns + lease_ns || hold->released_ns < standstill->from_ns)
        return;
    // It was answered once more that it lives, when it would have been over long since.
    if (hold->told_until_ns > standstill->to_ns + 2 * lease_ns)
        return;
    int64_t until_ns = hold->granted_ns;
    if (hold->granted_ns < standstill->from_ns)
        until_ns = standstill->from_ns + lease_ns / 3 * 2;
    hold->proven_until_ns = time_earlier(hold->proven_until_ns, until_ns);
}

// The same of a hold that was granted before the server had set its clock again.
static void doubt_clock(struct hold *hold, const struct standstill *standstill)
{
    int64_t early_ns = standstill->to_ns - standstill->from_ns - CLOCK_TICK_NS;
    if (early_ns > 0 && hold->granted_ns >= standstill->from_ns &&
        hold->invoked_ns <= standstill->to_ns + CLOCK_TICK_NS)
        hold->proven_until_ns = time_earlier(
            hold->proven_until_ns, time_later(hold->granted_ns, hold->told_until_ns - early_ns));
}

void session_doubts_heed(struct digest *digest)
{
    const struct trial *trial = digest->trial;
    bool by_session = trial_has_trait(trial, "session") && trial_has_trait(trial, "lease") &&
                      strcmp(trial_topology(trial), "single") != 0;
    bool by_clock =
        trial->server != NULL && trial->server->sets_clock_late && trial_has_trait(trial, "lease");
    if (!by_session && !by_clock)
        return;
    struct standstills all = find_standstills(digest);
    for (size_t i = 0; i < digest->hold_count; i++) {
        struct hold *hold = &digest->holds[i];
        for (size_t j = 0; j < all.count; j++) {
            const struct standstill *standstill = &all.items[j];
            if (by_clock && standstill->client == 0)
                doubt_clock(hold, standstill);
            else if (by_session && (standstill->client == 0 || standstill->client == hold->client))
                doubt(hold, standstill, trial->scenario->lock.lease_ns);
        }
    }
    free(all.items);
}
