// flush: all data of a server is removed, as by an operator's FLUSHALL or a test suite's clean-up.
#include "faults/fault.h"

static enum availability available(const struct fault_instance *instance,
                                   const struct fault_environment *environment,
                                   const struct node *node, struct error *why)
{
    (void)instance;
    (void)environment;
    if (node_control(node)->flush != NULL)
        return FAULT_AVAILABLE;
    error_set(why, "%s cannot be flushed", node->kind->name);
    return FAULT_MEANINGLESS;
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
    .available = available,
    .inject = inject,
};
