// delay: packets between two groups of nodes come later, in order.
#include "faults/wire_fault.h"

static const char *const options[] = {"by", "jitter", NULL};

static enum availability available(const struct fault_step *step, const struct fault_world *world,
                                   struct error *why)
{
    return wire_available(step, world, WIRE_DELAY, why);
}

static enum strike_state inject(struct fault_strike *strike, struct error *error)
{
    return wire_inject(strike, WIRE_DELAY, error);
}

const struct fault delay_fault = {
    .form = {.name = "delay",
             .strikes = STRIKES_WIRE,
             .traits = FAULT_SLOWS,
             .lasting = LASTS_BOUNDED,
             .options = options,
             .told = "what is sent {between} is delayed by {by}",
             .over = "the network is as fast as before"},
    .summary = "delays what goes between nodes",
    .colour = "#f0e442",
    .available = available,
    .inject = inject,
    .heal = wire_heal,
};
