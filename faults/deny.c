// deny: a server refuses writes: as a read-only replica, out of memory, unable to save, short of
// replicas.
#include "faults/fault.h"

static const char *const hows[] = {"readonly", "oom", "misconf", "min-replicas", "no-space", NULL};

static enum availability available(const struct fault_prospect *prospect, struct error *why)
{
    return way_available(prospect, node_control(prospect->node)->refusals, "made to refuse writes",
                         why);
}

static enum strike_state inject(struct fault_strike *strike, struct error *error)
{
    return control_deny(strike->node, strike->instance->how, true, error);
}

static enum strike_state heal(struct fault_strike *strike, struct error *error)
{
    return control_deny(strike->node, strike->instance->how, false, error);
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
    .available = available,
    .inject = inject,
    .heal = heal,
};
