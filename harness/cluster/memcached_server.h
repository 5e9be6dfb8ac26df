// memcached: one server, which keeps nothing.
#ifndef LOCKPICK_CLUSTER_MEMCACHED_SERVER_H
#define LOCKPICK_CLUSTER_MEMCACHED_SERVER_H

#include "harness/cluster/server.h"

extern const struct server_kind memcached_server;

#endif
