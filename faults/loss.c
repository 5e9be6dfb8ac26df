// loss: a share of the packets between two groups of nodes vanishes at random; TCP sends them
// again.
#include "faults/fault.h"

static const char *const options[] = {"share", NULL};

const struct fault loss_fault = {
    .form = {.name = "loss",
             .strikes = STRIKES_WIRE,
             .traits = FAULT_SLOWS,
             .lasting = LASTS_BOUNDED,
             .options = options,
             .told = "{share} of the packets {between} are lost",
             .over = "the network is as fast as before"},
    .summary = "loses a share of the packets between nodes",
    .effect = WIRE_LOSE,
    .inject = wire_inject,
    .prove = wire_inject, // of one that an agent is asked for
    .heal = wire_heal,
};
