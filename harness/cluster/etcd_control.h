// What can be done to an etcd server: see control.h. It syncs what it answers, so nothing is
// unsynced. A member that comes back empty cannot join its old cluster under its old name: etcd
// refuses to start it.
#ifndef LOCKPICK_CLUSTER_ETCD_CONTROL_H
#define LOCKPICK_CLUSTER_ETCD_CONTROL_H

#include "harness/cluster/control.h"

extern const struct server_control etcd_control;

#endif
