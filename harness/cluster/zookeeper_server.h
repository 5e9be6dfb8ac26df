// ZooKeeper: one server, or an ensemble.
#ifndef LOCKPICK_CLUSTER_ZOOKEEPER_SERVER_H
#define LOCKPICK_CLUSTER_ZOOKEEPER_SERVER_H

#include "harness/base/text.h"
#include "harness/cluster/server.h"
#include "harness/cluster/topology.h"

extern const struct server_kind zookeeper_server;
extern const struct topology zookeeper_ensemble;

// Sends a four-letter word, and adds the whole answer to `answer`, which the caller frees. 0, or -1
// with `error` set if that takes longer than a second.
int zookeeper_ask(const struct node *node, const char *word, struct text *answer,
                  struct error *error);

#endif
