// MariaDB: one server, a primary with a replica, or a member of a Galera cluster.
#ifndef LOCKPICK_CLUSTER_MYSQL_SERVER_H
#define LOCKPICK_CLUSTER_MYSQL_SERVER_H

#include "harness/cluster/server.h"

// mariadbd, as durable as it is by default: what is committed outlives a kill. Nobody needs a
// password. Its settings are in server.cnf and accounts.sql, in its folder; nothing else is read.
//
// A replica goes on with its replication after a restart, by itself. A member of a Galera cluster
// joins its peers again, and is brought up to date by one of them; so not all can be restarted.
extern const struct server_kind mysql_server;

// Who clients are: may do everything, but, as is usual, not write where read_only is on.
#define MYSQL_CLIENT_ACCOUNT "root"
// Who the harness is: may do everything.
#define MYSQL_OWN_ACCOUNT "lockpick"

// The names of the topologies, which decide about a server's settings; see mysql_topology.h.
#define MYSQL_REPLICA "replica"
#define MYSQL_SEMI_SYNC "semi-sync"
#define MYSQL_GALERA "galera"

// How long a primary of the topology semi-sync waits for a replica to have received a transaction,
// before it goes on without (MariaDB's default). `SET GLOBAL rpl_semi_sync_master_timeout` changes
// it.
#define MYSQL_SEMI_SYNC_TIMEOUT_MS 10000

// The library that makes a Galera cluster of servers, or NULL if it is not installed. A constant.
const char *mysql_galera_library(void);

#endif
