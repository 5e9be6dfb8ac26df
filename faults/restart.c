// restart: ends a server by SIGKILL and starts it again once `until` has come (without `until` at
// once): with all that it kept on its disk, without what it had not synced, or with nothing.
#include "faults/fault.h"

#include "harness/cluster/outage.h"
#include "harness/cluster/server.h"

#include <string.h>

static const char *const hows[] = {"keeps", "loses-unsynced", "loses-all", NULL};

static enum loss loss_of(const struct fault_step *step)
{
    if (step->how == NULL || strcmp(step->how, hows[0]) == 0)
        return LOSS_NONE;
    return strcmp(step->how, hows[1]) == 0 ? LOSS_UNSYNCED : LOSS_ALL;
}

static enum availability available(const struct fault_step *step, const struct fault_world *world,
                                   struct error *why)
{
    return target_available(&step->target, world, why);
}

static enum strike_state inject(struct fault_strike *strike, struct error *error)
{
    strike->node = target_server(&strike->step->target, strike->world, error);
    if (strike->node == NULL || outage_kill(strike->node, error) != 0)
        return STRIKE_FAILED;
    return STRIKE_IN_EFFECT;
}

static enum strike_state heal(struct fault_strike *strike, struct error *error)
{
    if (strike->stage == 0 && outage_restart(strike->node, loss_of(strike->step), error) != 0)
        return STRIKE_FAILED;
    strike->stage = 1;
    int state = outage_is_over(strike->node, error);
    return state < 0 ? STRIKE_FAILED : state == 0 ? STRIKE_IN_EFFECT : STRIKE_PENDING;
}

const struct fault restart_fault = {
    .form = {.name = "restart", .strikes = STRIKES_SERVER, .lasting = LASTS_BRIEFLY, .hows = hows},
    .summary = "crashes a server and starts it again, with or without what it had stored",
    .colour = "#e69f00",
    .available = available,
    .inject = inject,
    .heal = heal,
};
