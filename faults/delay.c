// delay: packets between two groups of nodes come later, in order.
#include "faults/fault.h"

static const char *const options[] = {"by", "jitter", NULL};

const struct fault delay_fault = {
    .form = {.name = "delay",
             .strikes = STRIKES_WIRE,
             .traits = FAULT_SLOWS,
             .lasting = LASTS_BOUNDED,
             .options = options,
             .told = "what is sent {between} is delayed by {by}",
             .over = "the network is as fast as before"},
    .summary = "delays what goes between nodes",
    .effect = WIRE_DELAY,
    .inject = wire_inject,
    .heal = wire_heal,
};
