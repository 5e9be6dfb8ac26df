// MariaDB servers that belong together.
#ifndef LOCKPICK_CLUSTER_MYSQL_TOPOLOGY_H
#define LOCKPICK_CLUSTER_MYSQL_TOPOLOGY_H

#include "harness/cluster/topology.h"

// One primary, and replicas that are sent what it has committed, some time later. Roles "primary"
// and "replica", as they were at first; nobody promotes a replica but who tells it so.
extern const struct topology mysql_replica_topology;

// The same, but the primary tells its client of a commit only when a replica has received it (and
// shows it to others before that: MariaDB's default, AFTER_COMMIT), or when that has taken
// MYSQL_SEMI_SYNC_TIMEOUT_MS.
extern const struct topology mysql_semi_sync_topology;

// A Galera cluster: every server takes writes, and a transaction is certified by all when it is
// committed; what it locked, only the server knew where it ran. Role "member". Half of the servers
// are not enough to work on, so that of two none may be lost.
extern const struct topology mysql_galera_topology;

#endif
