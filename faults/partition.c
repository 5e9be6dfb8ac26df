// partition: packets between two groups of nodes vanish, both ways (`A from B`) or one (`A to B`):
// nobody is told, as when a cable is pulled. With `how: reset` the sender's connection is reset
// instead, as when a machine is gone and its address answers for it.
#include "faults/fault.h"

static const char *const hows[] = {"drop", "reset", NULL};

const struct fault partition_fault = {
    .form = {.name = "partition",
             .strikes = STRIKES_WIRE,
             .traits = FAULT_SEVERS,
             .lasting = LASTS_BOUNDED,
             .drawn_also_as = LOST_REPLY,
             .hows = hows,
             .told = "{are} cut off from {b}",
             .told_one_way = "nothing gets through from {a} to {b}",
             .over = "{a} and {b} reach each other again"},
    .summary = "cuts what goes between nodes, both ways (A from B) or one (A to B); packets "
               "vanish, or reset the sender",
    .effect = WIRE_PARTITION,
    .inject = wire_inject,
    .prove = wire_inject, // of one that an agent is asked for
    .heal = wire_heal,
};
