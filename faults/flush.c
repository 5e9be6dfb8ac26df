// flush: all data of a server is removed, as by an operator's FLUSHALL or a test suite's clean-up.
#include "faults/fault.h"

static enum availability available(const struct fault_prospect *prospect, struct error *why)
{
    return node_control(prospect->node)->flush != NULL
               ? FAULT_AVAILABLE
               : error_set(why, "%s cannot be flushed", prospect->node->kind->name);
}

static enum strike_state inject(struct fault_strike *strike, struct error *error)
{
    const struct server_control *control = node_control(strike->node);
    return control_do(strike->node, control->flush, NULL, error) != 0 ? STRIKE_FAILED
                                                                      : STRIKE_IN_EFFECT;
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
