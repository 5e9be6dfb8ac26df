// etcd: one server, or an ensemble.
#ifndef LOCKPICK_CLUSTER_ETCD_SERVER_H
#define LOCKPICK_CLUSTER_ETCD_SERVER_H

#include "harness/cluster/server.h"
#include "harness/cluster/topology.h"

extern const struct server_kind etcd_server;
extern const struct topology etcd_ensemble;

#endif
