// Redis servers that belong together.
#ifndef LOCKPICK_CLUSTER_REDIS_TOPOLOGY_H
#define LOCKPICK_CLUSTER_REDIS_TOPOLOGY_H

#include "harness/cluster/topology.h"

// One master and its replicas, and three sentinels that promote a replica when the master is down
// for 500 ms. Roles "master", "replica" (as they were at first) and "sentinel".
extern const struct topology redis_sentinel_topology;

// Masters that share the 16384 slots of keys, and replicas, of which one takes over when its master
// is down for about a second. Up to five servers: three masters; from six on one half of them.
// Roles "master" and "replica", as they were at first.
extern const struct topology redis_cluster_topology;

#endif
