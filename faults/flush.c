// flush: all data of a server is removed, as by an operator's FLUSHALL or a test suite's clean-up.
#include "faults/fault.h"

static enum availability available(const struct fault_step *step,
                                   const struct fault_environment *environment, struct error *why)
{
    enum availability there = target_available(&step->target, environment, why);
    const struct node *node = there == FAULT_AVAILABLE ? node_meant(step, environment) : NULL;
    if (node == NULL || node_control(node)->flush != NULL)
        return there;
    return cannot_be_done(node, "flushed", why);
}

static enum strike_state inject(struct fault_strike *strike, struct error *error)
{
    if (strike_aim(strike, error) != 0 ||
        control_do(strike->node, node_control(strike->node)->flush, NULL, error) != 0)
        return STRIKE_FAILED;
    return STRIKE_IN_EFFECT;
}

const struct fault flush_fault = {
    .form = {.name = "flush",
             .strikes = STRIKES_SERVER,
             .traits = FAULT_EMPTIES,
             .lasting = LASTS_NEVER,
             .told = "{target} loses all its data",
             .lost = " lost all its data, {who}'s lock with it",
             .mitigation = "a lock server that nobody may empty; a client can do nothing about it"},
    .summary = "removes all data of a server, as an operator's mistake does",
    .colour = "#d55e00",
    .available = available,
    .inject = inject,
};
