#include "faults/wire_fault.h"

#include <stdio.h>
#include <string.h>

enum availability wire_available(const struct fault_step *step, const struct fault_world *world,
                                 enum wire_effect effect, struct error *why)
{
    for (int side = 0; side < 2; side++) {
        for (size_t i = 0; i < step->side_counts[side]; i++) {
            enum availability available = target_available(&step->sides[side][i], world, why);
            if (available != FAULT_AVAILABLE)
                return available;
        }
    }
    if (world->wires == NULL) {
        error_set(why, "the network cannot be touched: %s", world->why_no_wires);
        return FAULT_MISSING;
    }
    return wires_means(world->wires, effect, why) != NULL ? FAULT_AVAILABLE : FAULT_MISSING;
}

// Notes who the leader is, if it is on that side: the only server there that holds data.
static void note_leader(struct fault_strike *strike, int side, const char *const *addresses,
                        int count)
{
    const struct server_group *group = strike->world->lock_group;
    const struct fault_step *step = strike->step;
    bool is_named = false;
    for (size_t i = 0; i < step->side_counts[side]; i++)
        is_named |= strcmp(step->sides[side][i].server, "leader") == 0;
    for (int i = 0; is_named && group != NULL && i < group->count; i++) {
        const struct node *node = &group->nodes[i];
        for (int j = 0; j < count && node->server > 0; j++) {
            if (strcmp(node->end.address, addresses[j]) == 0)
                snprintf(strike->role, sizeof strike->role, "%s", node->name);
        }
    }
}

enum strike_state wire_inject(struct fault_strike *strike, enum wire_effect effect,
                              struct error *error)
{
    const char *from[MAX_ADDRESSES];
    const char *to[MAX_ADDRESSES];
    const struct fault_step *step = strike->step;
    struct wire_fault fault = {.effect = effect,
                               .from = from,
                               .to = to,
                               .both_ways = !step->one_way,
                               .percent = (int)step->share,
                               .delay_ns = step->by_ns,
                               .jitter_ns = step->jitter_ns,
                               .seed = strike->world->seed + (uint64_t)step->number};
    fault.from_count = target_addresses(step, 0, strike->world, from, error);
    if (fault.from_count < 0)
        return STRIKE_FAILED;
    fault.to_count = target_addresses(step, 1, strike->world, to, error);
    if (fault.to_count < 0)
        return STRIKE_FAILED;
    note_leader(strike, 0, from, fault.from_count);
    note_leader(strike, 1, to, fault.to_count);
    strike->wire = wires_strike(strike->world->wires, &fault, error);
    return strike->wire > 0 ? STRIKE_IN_EFFECT : STRIKE_FAILED;
}

enum strike_state wire_heal(struct fault_strike *strike, struct error *error)
{
    strike->met = wires_packets(strike->world->wires, strike->wire, error);
    return wires_heal(strike->world->wires, strike->wire, error) == 0 ? STRIKE_IN_EFFECT
                                                                      : STRIKE_FAILED;
}
