#include "harness/check/faults.h"

#include "harness/base/text.h"

#include <string.h>

// --- which side of a wire

static bool side_says(const struct fault_instance *instance, int side, const char *name)
{
    FOR_EACH_ON_SIDE (target, instance, side) {
        if (target->client == 0 && strcmp(target->server, name) == 0)
            return true;
    }
    return false;
}

static bool is_named(const struct fault_instance *instance, int side, int client)
{
    FOR_EACH_ON_SIDE (target, instance, side) {
        if (target->client == client)
            return true;
    }
    return side_says(instance, side, "clients");
}

bool wire_has_client(const struct fault_instance *instance, int side, int client)
{
    return is_named(instance, side, client) ||
           (side_says(instance, side, "others") && !is_named(instance, 1 - side, client));
}

bool wire_names_client(const struct fault_instance *instance, int client)
{
    return wire_has_client(instance, 0, client) || wire_has_client(instance, 1, client);
}

bool wire_names_all_clients(const struct trial_model *model, const struct fault_instance *instance)
{
    for (int64_t client = 1; client <= model->trial->scenario->clients.processes; client++) {
        if (!wire_names_client(instance, (int)client))
            return false;
    }
    return true;
}

// --- which servers -------------------------------------------------------------------------------

// How many servers of the lock the side names.
static int count_servers(const struct fault_instance *instance, int side)
{
    int count = 0;
    FOR_EACH_ON_SIDE (target, instance, side) {
        if (target->client == 0 && !target_is_store(target) &&
            strcmp(target->server, "clients") != 0 && strcmp(target->server, "others") != 0)
            count++;
    }
    return count;
}

bool wire_parts_servers(const struct fault_instance *instance)
{
    for (int side = 0; side < 2; side++) {
        if (count_servers(instance, side) == 0 && !side_says(instance, side, "others"))
            return false;
    }
    return true;
}

bool strikes_only_store(const struct trial_model *model, const struct fault_instance *instance)
{
    return instance->side_counts[0] == 0 && target_is_store(&instance->target) &&
           !trial_shares_service(model->trial);
}

// True if nobody does without the servers on that side.
static bool has_deciding_servers(const struct trial_model *model,
                                 const struct fault_instance *instance, int side)
{
    if (side_says(instance, side, "servers") ||
        (side_says(instance, side, "leader") && side_says(instance, side, "followers")))
        return true;
    bool is_single = trial_has_one_server(model->trial);
    // One of several that is left alone with a client decides nothing by itself.
    if (side_says(instance, side, "others"))
        return count_servers(instance, 1 - side) <= (is_single ? 0 : 1);
    if (is_single)
        return count_servers(instance, side) > 0;
    // Until a failover the first one leads.
    return model->trial->topology->led &&
           (side_says(instance, side, "leader") || side_says(instance, side, "server-1"));
}

bool wire_severs(const struct fault_instance *instance, int client, const char *server)
{
    for (int side = 0; side < 2 && fault_can(instance, FAULT_SEVERS); side++) {
        if (wire_has_client(instance, side, client) &&
            (side_says(instance, 1 - side, server) || side_says(instance, 1 - side, "servers")))
            return true;
    }
    return false;
}

bool wire_cuts_off(const struct trial_model *model, const struct fault_instance *instance,
                   int client)
{
    if (instance->side_counts[0] == 0 || !fault_can(instance, FAULT_SEVERS))
        return false;
    for (int side = 0; side < 2; side++) {
        if (wire_has_client(instance, side, client) &&
            has_deciding_servers(model, instance, 1 - side))
            return true;
    }
    return false;
}

// --- who cannot go on

bool fault_stops(const struct fault_instance *instance, int client, int worker)
{
    return fault_can(instance, FAULT_STOPS) && instance->target.client == client &&
           (instance->target.worker == 0 || instance->target.worker == worker);
}

bool fault_holds_up(const struct trial_model *model, const struct fault_instance *instance,
                    int client, int worker)
{
    return wire_cuts_off(model, instance, client) || fault_stops(instance, client, worker);
}

bool fault_lost_answer(const struct trial_model *model, const struct fault_record *record,
                       int client, int64_t asked_ns, int64_t until_ns)
{
    const struct fault_instance *instance = record->instance;
    int64_t over_ns = instance->bound_ns < 0 ? record->in_effect_ns : record->healed_ns;
    if (record->asked_ns > until_ns || !took_effect(record) || over_ns < asked_ns ||
        strikes_only_store(model, instance))
        return false;
    if (instance->side_counts[0] > 0)
        return fault_can(instance, FAULT_SEVERS | FAULT_SLOWS) &&
               wire_names_client(instance, client);
    if (instance->target.client == 0)
        return fault_can(instance, FAULT_STOPS | FAULT_KILLS | FAULT_DISCONNECTS | FAULT_REFUSES);
    return fault_can(instance, FAULT_DISCONNECTS) && instance->target.client == client;
}

const struct fault_record *fault_that_held_at_point(const struct trial_model *model,
                                                    const struct hold *hold)
{
    FOR_EACH_FAULT (record, model) {
        const struct event *reached = record->reached;
        if (reached != NULL && record->in_effect_ns != TIME_NEVER &&
            reached->client == hold->client && reached->worker == hold->worker &&
            reached->at_ns >= hold->granted_ns && reached->at_ns < hold->valid_until_ns &&
            record->in_effect_ns > hold->valid_until_ns)
            return record;
    }
    return NULL;
}
