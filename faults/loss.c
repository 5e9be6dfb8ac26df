// loss: a share of the packets between two groups of nodes vanishes at random; TCP sends them
// again.
#include "faults/wire_fault.h"

static const char *const options[] = {"share", NULL};

static enum availability available(const struct fault_step *step, const struct fault_world *world,
                                   struct error *why)
{
    return wire_available(step, world, WIRE_LOSE, why);
}

static enum strike_state inject(struct fault_strike *strike, struct error *error)
{
    return wire_inject(strike, WIRE_LOSE, error);
}

const struct fault loss_fault = {
    .form = {.name = "loss",
             .strikes = STRIKES_WIRE,
             .traits = FAULT_SLOWS,
             .lasting = LASTS_BOUNDED,
             .options = options,
             .told = "{share} of the packets {between} are lost",
             .over = "the network is as fast as before"},
    .summary = "loses a share of the packets between nodes",
    .colour = "#cc79a7",
    .available = available,
    .inject = inject,
    .heal = wire_heal,
};
