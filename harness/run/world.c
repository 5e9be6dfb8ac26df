#include "harness/run/world.h"

#include "harness/base/text.h"

#include <stdlib.h>
#include <string.h>

static bool touches_wires(const struct scenario *scenario)
{
    for (size_t i = 0; i < scenario->fault_count; i++) {
        if (scenario->faults[i].side_counts[0] > 0)
            return true;
    }
    return false;
}

// The rules that an earlier trial left are gone with it: each trial has wires of its own.
static void open_wires(struct fault_world *world, const struct sandbox *sandbox)
{
    struct error error = {0};
    if (sandbox->isolation == ISOLATION_LOOPBACK)
        error_set(&error,
                  "nodes share the loopback network, for no namespaces could be had (%s); run as "
                  "root, or allow unprivileged user namespaces",
                  sandbox->why_loopback);
    else
        world->wires = wires_open(&error);
    if (world->wires == NULL)
        world->why_no_wires = memory_string(error.text);
}

// Where nothing sees what a foreign lock sends, see harness/wire/relay.h.
static void tell_points(struct fault_world *world, const struct foreign_settings *foreign)
{
    if (foreign == NULL)
        return;
    world->points_are_missing = foreign->plugin == NULL && foreign->server != NULL;
    if (foreign->plugin != NULL)
        world->why_no_points = "it is a plug-in, whose requests to its servers nobody sees";
    else if (foreign->server == NULL)
        world->why_no_points = "it locks with no server that Lockpick knows of";
    else if (world->client_nodes->isolation != ISOLATION_NAMESPACES && world->is_external)
        world->why_no_points = "what a program sends to servers that are somebody else's is not "
                               "seen";
    else if (world->client_nodes->isolation != ISOLATION_NAMESPACES)
        world->why_no_points = "what a program sends to its servers is seen only where network "
                               "namespaces can be made; lockpick doctor says what is missing";
}

void world_open(struct fault_world *world, const struct stage *stage, struct server_pool *pool,
                const struct cluster *client_nodes, struct fault_client *clients, int client_count)
{
    int group = 0;
    const struct service *lock = &stage->lock_service;
    const struct service *store = &stage->store_service;
    bool has_lock_group = lock->kind[0] != '\0' && !lock->external;
    bool has_store_group =
        store->kind[0] != '\0' && !store->external && !trial_shares_service(stage->trial);
    *world = (struct fault_world){
        .scenario = trial_as_run(stage->trial),
        .board = &stage->control->board,
        .clients = clients,
        .client_count = client_count,
        .client_nodes = client_nodes,
        .is_external = lock->external,
        .is_foreign = stage->scheme->foreign != NULL && stage->scheme->foreign->plugin == NULL,
        .is_unseen = stage->scheme->foreign != NULL && !stage->scheme->foreign->visible,
        .client_clocks = stage->control->client_clocks,
        .shifted_clients = MAX_SHIFTED_CLIENTS,
        .seed = stage->trial->seed,
    };
    world->locks = memory_new(stage->key_count * sizeof *world->locks);
    for (size_t i = 0; i < stage->key_count; i++)
        world->locks[world->lock_count++] = (struct lock_identity){.name = stage->keys[i].lock_name,
                                                                   .tag = stage->keys[i].tag,
                                                                   .scheme = stage->scheme->name};
    world->lock = world->locks[0];
    tell_points(world, stage->scheme->foreign);
    if (has_lock_group)
        world->lock_group = &pool->cluster.groups[group++];
    if (has_store_group)
        world->store_group = &pool->cluster.groups[group];
    if (touches_wires(world->scenario))
        open_wires(world, pool->sandbox);
}

void world_close(struct fault_world *world)
{
    wires_close(world->wires);
    free(world->why_no_wires);
    free(world->locks);
    *world = (struct fault_world){0};
}
