// ZooKeeper: one server, or an ensemble.
#ifndef LOCKPICK_CLUSTER_ZOOKEEPER_SERVER_H
#define LOCKPICK_CLUSTER_ZOOKEEPER_SERVER_H

#include "harness/cluster/server.h"
#include "harness/cluster/topology.h"

extern const struct server_kind zookeeper_server;
extern const struct topology zookeeper_ensemble;

// Sends a four-letter word and reads the whole answer, as a string; "" if there is none within a
// second.
void zookeeper_ask(const struct node *node, const char *word, char *answer, size_t room);

#endif
