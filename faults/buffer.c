// buffer: packets between two groups of nodes wait until the fault is over, and then come at once
// and in order: a reply that is lost for as long as it takes, although the command was executed; a
// request that is delivered after the lease is gone.
#include "faults/fault.h"

const struct fault buffer_fault = {
    .form = {.name = "buffer",
             .strikes = STRIKES_WIRE,
             .traits = FAULT_SEVERS | FAULT_SLOWS,
             .lasting = LASTS_BOUNDED,
             .told = "what is sent {between} is held back",
             .over = "what was held back arrives"},
    .summary = "holds back what goes between nodes, and lets it go at the end of the fault",
    .effect = WIRE_BUFFER,
    .inject = wire_inject,
    .heal = wire_heal,
};
