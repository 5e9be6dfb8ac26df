// A topology: how servers of one kind belong together. One file per kind of server, named after
// it; one line per topology in topology.c.
#ifndef LOCKPICK_CLUSTER_TOPOLOGY_H
#define LOCKPICK_CLUSTER_TOPOLOGY_H

#include "harness/cluster/cluster.h"
#include "harness/wire/service.h"

#define MAX_GROUP_NODES 12

struct topology {
    const char *name;    // "sentinel"
    const char *server;  // kind of server, "redis"
    const char *summary; // in one line
    int least, most;     // how many servers that hold data it can have
    int usual;
    bool by_majority; // it serves as long as more than half of them do
    bool replicates;  // what it acknowledged outlives the death of its leader
    bool promoted; // it elects no leader: who follows is told to lead, and nobody tells the old one
                   // to follow when it comes back
    // If a server that is silent for so long is replaced by a copy that may lag behind: locks that
    // it had are lost with it. 0: none is, or nothing is lost.
    int64_t deposes_after_ns;
    bool lags; // a write is answered before the servers know of it that may lead next
    // Optional: fills in `nodes` (zeroed), which has room for
    // MAX_GROUP_NODES. Returns how many. NULL: `count` nodes of the kind, all of role "member".
    int (*plan)(const struct group_settings *settings, struct node_settings *nodes);
    // Optional: once each server is ready, makes one of them, and waits until the whole serves.
    // 0, or -1 with `error` set.
    int (*form)(struct server_group *group, struct error *error);
};

// Every topology, those of a kind next to each other, the usual one first; NULL-terminated.
extern const struct topology *const topology_catalogue[];

// The topology of that name for that kind of server; with `name` NULL the usual one. NULL if there
// is none.
const struct topology *topology_find(const char *server, const char *name);

// Plans the nodes of a group. Returns how many.
int topology_plan(const struct group_settings *settings, struct node_settings *nodes);

// How clients see the group.
void group_describe(const struct server_group *group, struct service *service);

#endif
