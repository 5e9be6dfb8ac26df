#ifndef LOCKPICK_CLUSTER_REDIS_SERVER_H
#define LOCKPICK_CLUSTER_REDIS_SERVER_H

#include "harness/cluster/server.h"

// redis-server, one instance, without persistence.
extern const struct server_kind redis_server;

#endif
