// What faults have in common when they strike a server or a wire.
#include "faults/fault.h"

#include "harness/base/scope.h"
#include "harness/cluster/remote.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum strike_state strike_came_too_late(struct error *error)
{
    errno = ESRCH;
    return error_set(error, "the client had ended already");
}

// --- servers -------------------------------------------------------------------------------------

enum availability way_available(const struct fault_prospect *prospect, const char *const *ways,
                                const char *done, struct error *why)
{
    const struct fault_instance *instance = prospect->instance;
    const char *server = prospect->node->kind->name;
    AUTO_TEXT struct text known = {0};
    if (ways == NULL)
        return error_set(why, "%s cannot be %s", server, done);
    if (instance->how == NULL || text_is_one_of(instance->how, ways))
        return FAULT_AVAILABLE;
    text_join(&known, ways, NULL);
    return error_set(why, "%s has no way '%s' for %s (it has: %s)", server, instance->how,
                     instance->verb, text_string(&known));
}

enum strike_state fault_inject(struct fault_strike *strike, struct error *error)
{
    const struct fault *fault = fault_find(strike->instance->verb);
    const struct target *target = &strike->instance->target;
    if (strike->client == NULL && (fault->form.strikes & STRIKES_SERVER) != 0) {
        strike->node = target_server(target, strike->environment, error);
        if (strike->node == NULL)
            return STRIKE_FAILED;
        if (target_is_role(target))
            snprintf(strike->role, sizeof strike->role, "%s", strike->node->name);
    }
    return fault->inject(strike, error);
}

enum strike_state strike_crash(struct fault_strike *strike, struct error *error)
{
    return server_kill(strike->node, error);
}

enum loss strike_loss(const struct fault_instance *instance)
{
    static const char *const losses[] = {
        [LOSS_NONE] = "keeps", [LOSS_UNSYNCED] = "loses-unsynced", [LOSS_ALL] = "loses-all", NULL};
    int loss = text_index(instance->how, losses);
    return loss < 0 ? LOSS_NONE : (enum loss)loss;
}

enum strike_state strike_bring_back(struct fault_strike *strike, struct error *error)
{
    if (strike->progress == 0 &&
        server_restart(strike->node, strike_loss(strike->instance), error) != 0)
        return STRIKE_FAILED;
    strike->progress = 1;
    return server_is_back(strike->node, error);
}

bool takes_server_down(const struct fault_instance *instance)
{
    return instance->target.client == 0 && fault_can(instance, FAULT_KILLS);
}

// --- wires ---------------------------------------------------------------------------------------

enum wire_effect fault_wire_effect(const struct fault_instance *instance)
{
    return instance->how != NULL && strcmp(instance->how, "reset") == 0
               ? WIRE_RESET
               : fault_find(instance->verb)->effect;
}

static enum availability wire_available(const struct fault_instance *instance,
                                        const struct fault_environment *environment,
                                        struct error *why)
{
    enum availability available = FAULT_AVAILABLE;
    if (wire_is_elsewhere(instance, environment))
        return wire_elsewhere_available(instance, environment, why);
    for (int side = 0; side < 2; side++) {
        for (size_t i = 0; available == FAULT_AVAILABLE && i < instance->side_counts[side]; i++)
            available = wire_end_available(&instance->sides[side][i], environment, why);
    }
    if (available != FAULT_AVAILABLE)
        return available;
    if (wire_is_out_of_reach(instance, environment))
        error_set(why, "what goes between servers that are not ours does not pass Lockpick: strike "
                       "what goes between them and clients (servers from clients)");
    else if (environment->wires == NULL)
        error_set(why, "the network cannot be touched: %s", environment->why_no_wires);
    else if (wires_means(environment->wires, fault_wire_effect(instance), why) != NULL)
        return FAULT_AVAILABLE;
    return FAULT_MISSING;
}

bool node_is_remote(const struct node *node, struct error *why)
{
    bool is_remote = node != NULL && node->remote != NULL;
    if (is_remote)
        error_set(why,
                  "%s is on host %s, where its agent pauses, kills and restarts it, and can do no "
                  "more: have it booted here (leave 'hosts' of its servers out)",
                  node->name, node->remote->address.host);
    return is_remote;
}

enum availability fault_available(const struct fault_instance *instance,
                                  const struct fault_environment *environment, struct error *why)
{
    struct error ignored;
    const struct fault *fault = fault_find(instance->verb);
    struct fault_prospect prospect = {instance, environment, NULL};
    if ((fault->form.strikes & STRIKES_BY_COMMAND) != 0)
        return fault->available(&prospect, why);
    if ((fault->form.strikes & STRIKES_WIRE) != 0)
        return wire_available(instance, environment, why);
    enum availability there = target_available(&instance->target, environment, why);
    if (there != FAULT_AVAILABLE)
        return there;
    // For a role, any of its group.
    if (instance->target.client == 0)
        prospect.node = target_server(&instance->target, environment, &ignored);
    if (instance->target.client == 0 && prospect.node == NULL && environment->lock_group != NULL)
        prospect.node = &environment->lock_group->nodes[0];
    if (!fault->strikes_remote && node_is_remote(prospect.node, why))
        return FAULT_MISSING;
    return fault->available != NULL ? fault->available(&prospect, why) : FAULT_AVAILABLE;
}

// Notes who the leader is, if it is on that side: the only server there that holds data.
static void note_leader(struct fault_strike *strike, int side, const char *const *addresses,
                        int count)
{
    const struct server_group *group = strike->environment->lock_group;
    const struct fault_instance *instance = strike->instance;
    bool is_named = false;
    for (size_t i = 0; i < instance->side_counts[side]; i++)
        is_named |= strcmp(instance->sides[side][i].server, "leader") == 0;
    for (int i = 0; is_named && group != NULL && i < group->count; i++) {
        const struct node *node = &group->nodes[i];
        for (int j = 0; j < count && node->server > 0; j++) {
            if (strcmp(node->end.address, addresses[j]) == 0)
                snprintf(strike->role, sizeof strike->role, "%s", node->name);
        }
    }
}

enum strike_state wire_inject(struct fault_strike *strike, struct error *error)
{
    const char *from[MAX_ADDRESSES];
    const char *to[MAX_ADDRESSES];
    const struct fault_instance *instance = strike->instance;
    struct wire_fault fault = {.effect = fault_wire_effect(instance),
                               .from = from,
                               .to = to,
                               .both_ways = !instance->one_way,
                               .percent = (int)instance->share,
                               .delay_ns = instance->by_ns,
                               .jitter_ns = instance->jitter_ns,
                               .seed = strike->environment->seed + (uint64_t)instance->number};
    if (wire_is_elsewhere(instance, strike->environment))
        return wire_cut_elsewhere(strike, error);
    fault.from_count = target_addresses(instance, 0, strike->environment, from, error);
    if (fault.from_count < 0)
        return STRIKE_FAILED;
    fault.to_count = target_addresses(instance, 1, strike->environment, to, error);
    if (fault.to_count < 0)
        return STRIKE_FAILED;
    note_leader(strike, 0, from, fault.from_count);
    note_leader(strike, 1, to, fault.to_count);
    strike->wire = wires_strike(strike->environment->wires, &fault, error);
    return strike->wire > 0 ? STRIKE_IN_EFFECT : STRIKE_FAILED;
}

enum strike_state wire_heal(struct fault_strike *strike, struct error *error)
{
    if (wire_is_elsewhere(strike->instance, strike->environment))
        return wire_join_elsewhere(strike, error);
    strike->met = wires_packets(strike->environment->wires, strike->wire, error);
    return wires_heal(strike->environment->wires, strike->wire, error);
}
