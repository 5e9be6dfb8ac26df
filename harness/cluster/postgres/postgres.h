// Between postgres.c and postgres_exploration.c only.
#ifndef LOCKPICK_CLUSTER_POSTGRES_POSTGRES_H
#define LOCKPICK_CLUSTER_POSTGRES_POSTGRES_H

#include "harness/cluster/server.h"

// By which the harness's sessions are told from those of clients.
#define POSTGRES_OWN_NAME "lockpick"

extern const struct server_exploration postgres_exploration;

#endif
