// What the faults of one trial can strike.
#ifndef LOCKPICK_RUN_WORLD_H
#define LOCKPICK_RUN_WORLD_H

#include "faults/fault.h"
#include "harness/run/servers.h"
#include "harness/run/stage.h"

// Describes it: the servers of the stage's services that the pool has booted, the clients' nodes,
// the wires if a fault of the scenario needs them. All arguments must outlive the world; close with
// world_close.
void world_open(struct fault_world *world, const struct stage *stage, struct server_pool *pool,
                const struct cluster *client_nodes, struct fault_client *clients, int client_count);
void world_close(struct fault_world *world);

#endif
