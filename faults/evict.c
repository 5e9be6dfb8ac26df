// evict: fills a server's memory until it throws the lock away, and takes the pressure off again.
// In effect once the lock is gone, of several each that was there (with `how: noeviction`: once
// writes are refused).
#include "faults/fault.h"

#include "harness/base/error.h"

#include <string.h>

static const char *const hows[] = {
    "allkeys-lru", "volatile-lru", "volatile-ttl", "allkeys-random", "noeviction", "lru", NULL};

static enum availability available(const struct fault_prospect *prospect, struct error *why)
{
    if (prospect->environment->is_unseen)
        return error_set(why, "it cannot be seen when the lock is evicted: see 'visible' of the "
                              "scheme");
    return way_available(prospect, node_control(prospect->node)->policies, "made to evict", why);
}

// One lock after the other, of those that the server had when their turn came, and kept until it
// evicted them: strike->progress counts two for each, and one for that which is being evicted.
static enum strike_state fill(struct fault_strike *strike, struct error *error)
{
    const struct fault_environment *environment = strike->environment;
    const struct server_control *control = node_control(strike->node);
    const char *policy = strike->instance->how;
    bool needs_lock = policy == NULL || strcmp(policy, "noeviction") != 0;
    int count = needs_lock ? environment->lock_count : 1;
    while (strike->progress / 2 < count) {
        const struct lock_identity *lock = &environment->locks[strike->progress / 2];
        bool is_new = strike->progress % 2 == 0;
        int there =
            is_new && count > 1 ? control_do(strike->node, control->has_lock, lock, error) : 1;
        int state = there == 1   ? control_evict(strike->node, lock, policy, error)
                    : there == 0 ? EVICTION_TOO_LATE
                                 : EVICTION_FAILED;
        // What was evicted before the failure is gone: that much of the fault is in effect.
        if (state == EVICTION_FAILED || (state == EVICTION_TOO_LATE && count == 1))
            return strike->done > 0 ? STRIKE_IN_EFFECT : STRIKE_FAILED;
        strike->progress += is_new;
        if (state == EVICTION_GOES_ON)
            return STRIKE_PENDING;
        strike->progress++;
        strike->done += state == EVICTION_DONE;
    }
    if (strike->done > 0)
        return STRIKE_IN_EFFECT;
    return error_set(error,
                     "%s has none of the %d locks for long enough, so that it cannot evict one",
                     strike->node->name, count);
}

static enum strike_state heal(struct fault_strike *strike, struct error *error)
{
    const struct server_control *control = node_control(strike->node);
    if (control->relieve != NULL && control_do(strike->node, control->relieve, NULL, error) != 0)
        return STRIKE_FAILED;
    return STRIKE_IN_EFFECT;
}

#define FORM                                                                                       \
    .name = "evict", .strikes = STRIKES_SERVER, .hows = hows, .over = "{target} has memory again"
#define EVICTS                                                                                     \
    .traits = FAULT_EMPTIES, .lasting = LASTS_BRIEFLY,                                             \
    .told = "{target} runs out of memory and evicts the lock",                                     \
    .lost = " ran out of memory and evicted {who}'s lock",                                         \
    .mitigation = "a lock server that never evicts: Redis with maxmemory-policy "                  \
                  "noeviction, not memcached"

static const struct fault_form evicts = {FORM, EVICTS};
// It leaves nothing behind: what it does it does while it lasts.
static const struct fault_form noeviction = {
    FORM,
    .lasting = LASTS_BOUNDED,
    .told = "{target} runs out of memory and refuses writes",
};
static const struct fault_form *const ways[] = {&evicts, &evicts,     &evicts,
                                                &evicts, &noeviction, &evicts};

const struct fault evict_fault = {
    .form = {FORM, EVICTS, .ways = ways},
    .summary = "fills a server's memory until it evicts the lock",
    .available = available,
    .inject = fill,
    .prove = fill,
    .heal = heal,
};
