// deny: a server refuses writes: as a read-only replica, out of memory, unable to save, short of
// replicas.
#include "faults/fault.h"

static const char *const hows[] = {"readonly", "oom", "misconf", "min-replicas", "no-space", NULL};

static enum availability available(const struct fault_step *step,
                                   const struct fault_environment *environment, struct error *why)
{
    enum availability there = target_available(&step->target, environment, why);
    const struct node *node = there == FAULT_AVAILABLE ? node_meant(step, environment) : NULL;
    if (node == NULL)
        return there;
    if (node_control(node)->deny == NULL)
        return cannot_be_done(node, "made to refuse writes", why);
    return way_available(step, node, node_control(node)->refusals, why);
}

static const char *way_of(const struct fault_strike *strike)
{
    const char *usual = node_control(strike->node)->refusals[0];
    return strike->step->how != NULL ? strike->step->how : usual;
}

static enum strike_state inject(struct fault_strike *strike, struct error *error)
{
    if (strike_aim(strike, error) != 0 ||
        control_deny(strike->node, way_of(strike), true, error) != 0)
        return STRIKE_FAILED;
    return STRIKE_IN_EFFECT;
}

static enum strike_state heal(struct fault_strike *strike, struct error *error)
{
    int healed = control_deny(strike->node, way_of(strike), false, error);
    return healed == 0 ? STRIKE_IN_EFFECT : STRIKE_FAILED;
}

const struct fault deny_fault = {
    .form = {.name = "deny",
             .strikes = STRIKES_SERVER,
             .traits = FAULT_REFUSES,
             .lasting = LASTS_BOUNDED,
             .hows = hows,
             .told = "{target} refuses writes{how}",
             .over = "{target} takes writes again"},
    .summary = "makes a server refuse writes: readonly, out of memory, unable to save, ...",
    .colour = "#009e73",
    .available = available,
    .inject = inject,
    .heal = heal,
};
