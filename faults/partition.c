// partition: packets between two groups of nodes vanish, both ways (`A from B`) or one (`A to B`):
// nobody is told, as when a cable is pulled. With `how: reset` the sender's connection is reset
// instead, as when a machine is gone and its address answers for it.
#include "faults/wire_fault.h"

#include <string.h>

static const char *const hows[] = {"drop", "reset", NULL};

static enum wire_effect effect_of(const struct fault_step *step)
{
    return step->how != NULL && strcmp(step->how, "reset") == 0 ? WIRE_RESET : WIRE_PARTITION;
}

static enum availability available(const struct fault_step *step, const struct fault_world *world,
                                   struct error *why)
{
    return wire_available(step, world, effect_of(step), why);
}

static enum strike_state inject(struct fault_strike *strike, struct error *error)
{
    return wire_inject(strike, effect_of(strike->step), error);
}

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
    .colour = "#cc79a7",
    .available = available,
    .inject = inject,
    .heal = wire_heal,
};
