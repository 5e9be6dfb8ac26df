// What can be done to a ZooKeeper server: see control.h. It syncs what it answers, so nothing is
// unsynced, and it neither evicts nor refuses writes by itself.
#ifndef LOCKPICK_CLUSTER_ZOOKEEPER_CONTROL_H
#define LOCKPICK_CLUSTER_ZOOKEEPER_CONTROL_H

#include "harness/cluster/control.h"

extern const struct server_control zookeeper_control;

#endif
