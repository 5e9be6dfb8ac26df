// A cluster: the nodes of one trial (servers and clients) and the wires between them.
#ifndef LOCKPICK_CLUSTER_CLUSTER_H
#define LOCKPICK_CLUSTER_CLUSTER_H

#include "harness/base/error.h"
#include "harness/cluster/network.h"
#include "harness/cluster/sandbox.h"

#include <sys/types.h>

struct server_kind;

// A host: a namespace with an address, or a port on loopback.
struct node {
    char name[24];                  // "redis-1", "store-1", "client-2"
    const struct server_kind *kind; // NULL: a client's
    struct network_end end;
    int port;      // of its server; 0 if none
    int processor; // what runs here is pinned to it, or -1
    pid_t server;  // its process, 0 if none runs
    char *folder;  // logs and data; NULL for a client's
};

struct cluster {
    enum isolation isolation;
    struct node *nodes;
    int count;
};

// What a node is to be.
struct node_settings {
    char name[24];
    const struct server_kind *kind; // NULL for a client's
    int processor;                  // or -1
};

// Makes the nodes and starts their servers, each in a folder of its own inside `folder`, and waits
// until each is ready. 0, or -1 with `error` set and nothing left behind. `serial` tells one
// cluster of a run from the next. Close with cluster_close.
int cluster_open(struct cluster *cluster, enum isolation isolation,
                 const struct node_settings *settings, int count, const char *folder, int serial,
                 struct error *error);

// 0 while every server that was started lives; -1 with `error` set once one has ended.
int cluster_check_servers(struct cluster *cluster, struct error *error);

// Ends every server and removes the nodes.
void cluster_close(struct cluster *cluster);

// The node with this name, or NULL.
struct node *cluster_node(const struct cluster *cluster, const char *name);

#endif
