// MariaDB: one server, a primary with a replica, or a Galera cluster.
#ifndef LOCKPICK_CLUSTER_MYSQL_SERVER_H
#define LOCKPICK_CLUSTER_MYSQL_SERVER_H

#include "harness/cluster/server.h"

extern const struct server_kind mysql_server;

#endif
