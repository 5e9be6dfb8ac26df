// evict: fills a server's memory until it throws the lock away, and takes the pressure off again.
// In effect once the lock is gone, of several each that was there (with `how: noeviction`: once
// writes are refused).
#include "faults/server_fault.h"

#include "harness/base/error.h"

static const char *const hows[] = {
    "allkeys-lru", "volatile-lru", "volatile-ttl", "allkeys-random", "noeviction", "lru", NULL};

static enum availability available(const struct fault_step *step, const struct fault_world *world,
                                   struct error *why)
{
    enum availability there = target_available(&step->target, world, why);
    const struct node *node = there == FAULT_AVAILABLE ? node_meant(step, world) : NULL;
    if (node == NULL)
        return there;
    if (world->is_unseen) {
        error_set(why, "it cannot be seen when the lock is evicted: see 'visible' of the scheme");
        return FAULT_MEANINGLESS;
    }
    if (node_control(node)->evict == NULL)
        return cannot_be_done(node, "made to evict", why);
    return way_available(step, node, node_control(node)->policies, why);
}

// One lock after the other, of those that the server had when their turn came: strike->stage counts
// two for each, and one for that which is being evicted.
static enum strike_state fill(struct fault_strike *strike, struct error *error)
{
    if (strike_aim(strike, error) != 0)
        return STRIKE_FAILED;
    const struct fault_world *world = strike->world;
    const struct server_control *control = node_control(strike->node);
    const char *policy = strike->step->how != NULL ? strike->step->how : control->policies[0];
    while (strike->stage / 2 < world->lock_count) {
        const struct lock_identity *lock = &world->locks[strike->stage / 2];
        bool is_new = strike->stage % 2 == 0;
        if (is_new && world->lock_count > 1 && control->has_lock(strike->node, lock, error) != 1) {
            strike->stage += 2;
            continue;
        }
        int state = control->evict(strike->node, lock, policy, error);
        strike->stage += is_new;
        if (state != 0)
            return state < 0 ? STRIKE_FAILED : STRIKE_PENDING;
        strike->stage++;
        strike->done++;
    }
    if (strike->done == 0) {
        error_set(error, "%s has none of the %d locks, so that it cannot evict one",
                  strike->node->name, world->lock_count);
        return STRIKE_FAILED;
    }
    return STRIKE_IN_EFFECT;
}

static enum strike_state heal(struct fault_strike *strike, struct error *error)
{
    const struct server_control *control = node_control(strike->node);
    if (control->relieve != NULL && control->relieve(strike->node, error) != 0)
        return STRIKE_FAILED;
    return STRIKE_IN_EFFECT;
}

const struct fault evict_fault = {
    .form = {.name = "evict", .strikes = STRIKES_SERVER, .lasting = LASTS_BRIEFLY, .hows = hows},
    .summary = "fills a server's memory until it evicts the lock",
    .colour = "#e69f00",
    .available = available,
    .inject = fill,
    .prove = fill,
    .heal = heal,
};
