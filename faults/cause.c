#include "faults/cause.h"

#include "harness/base/text.h"

#include <stdlib.h>

void doings_start(struct doings *doings, int clients)
{
    doings->count = clients;
    doings->granted_ns = memory_zeroed((size_t)clients, sizeof *doings->granted_ns);
}

void doings_free(struct doings *doings)
{
    free(doings->granted_ns);
    doings->granted_ns = NULL;
}

void doings_see(struct doings *doings, const struct event *event)
{
    if (event->kind == EVENT_ACQUIRE_RETURN && event->outcome == OUTCOME_OK && event->client >= 1 &&
        event->client <= doings->count)
        doings->granted_ns[event->client - 1] = event->at_ns;
}

void cause_see(struct wait_for *wait, const struct event *event)
{
    static const enum event_kind kinds[] = {
        [CAUSE_NONE] = EVENT_NONE,
        [CAUSE_HOLDS] = EVENT_ACQUIRE_RETURN,
        [CAUSE_READS] = EVENT_READ_RETURN,
        [CAUSE_WRITES] = EVENT_WRITE_RETURN,
        [CAUSE_RELEASES] = EVENT_RELEASE_RETURN,
        [CAUSE_DIES] = EVENT_PROCESS_DEATH,
        [CAUSE_TRIES] = EVENT_ACQUIRE_INVOKE,
        [CAUSE_RENEWS] = EVENT_RENEW_RETURN,
        [CAUSE_LOSES] = EVENT_LOST,
    };
    const struct cause *cause = wait->cause;
    if (cause->kind == CAUSE_NONE || cause->kind >= CAUSE_LEASE_GONE ||
        event->kind != kinds[cause->kind] || event->outcome != OUTCOME_OK)
        return;
    bool is_theirs = event->client == cause->target.client &&
                     (cause->target.worker == 0 || event->worker == cause->target.worker);
    if (is_theirs && event->at_ns > wait->seen_ns)
        wait->seen_ns = event->at_ns;
}

bool cause_is_asked(const struct cause *cause)
{
    return cause->kind == CAUSE_LEASE_GONE || cause->kind == CAUSE_LEADS ||
           cause->kind == CAUSE_SERVES;
}

// The client was granted the lock, and the servers have it no more, or somebody else was granted it
// since: it is the others that may take it at once.
static bool lease_is_gone(int client, int64_t since_ns, const struct doings *doings,
                          const struct fault_world *world)
{
    struct error ignored;
    int64_t granted_ns = doings->granted_ns[client - 1];
    if (granted_ns == 0)
        return false;
    for (int i = 0; i < doings->count; i++) {
        int64_t other_ns = doings->granted_ns[i];
        if (i != client - 1 && other_ns > granted_ns && other_ns > since_ns)
            return true;
    }
    return world_lock_is_held(world, &world->lock, &ignored) == 0;
}

bool cause_has_come(const struct wait_for *wait, int64_t since_ns, const struct doings *doings,
                    const struct fault_world *world)
{
    const struct cause *cause = wait->cause;
    switch (cause->kind) {
    case CAUSE_NONE:
    case CAUSE_OVER:
        return false;
    case CAUSE_LEASE_GONE:
        return lease_is_gone(cause->target.client, since_ns, doings, world);
    case CAUSE_LEADS:
    case CAUSE_SERVES:
        return world_server_is(world, &cause->target, cause->kind);
    default:
        return wait->seen_ns > since_ns;
    }
}
