#ifndef LOCKPICK_CLUSTER_REDIS_SERVER_H
#define LOCKPICK_CLUSTER_REDIS_SERVER_H

#include "harness/base/text.h"
#include "harness/cluster/server.h"

// redis-server, one instance: alone, a master, a replica (by the node's role), or a member of a
// cluster (by its group's topology), with the persistence of its group's settings.
//
// With sentinels, who is whose replica is read from data/redis.conf. It is written at the first
// start; from then on sentinels keep it, as they do in real life: a server that they promoted comes
// back from a restart as a master.
extern const struct server_kind redis_server;

// redis-server --sentinel: watches the master of its group. What it has learnt is kept in
// data/sentinel.conf.
extern const struct server_kind redis_sentinel;

// Sends requests in the protocol's inline form, one a line, so that no client library is needed
// here, and appends the answers to `answers` as they come, in the protocol's own form. 0, or -1 if
// the server does not answer within a second, or is loading its data.
int redis_tell(const struct node *node, const char *requests, struct text *answers);

#endif
