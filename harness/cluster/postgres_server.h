// PostgreSQL.
#ifndef LOCKPICK_CLUSTER_POSTGRES_SERVER_H
#define LOCKPICK_CLUSTER_POSTGRES_SERVER_H

#include "harness/cluster/server.h"

extern const struct server_kind postgres_server;

#endif
