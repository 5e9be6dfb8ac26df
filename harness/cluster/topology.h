// A topology: how servers of one kind belong together. Each kind lists its own.
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
    bool redirects;       // its servers tell clients addresses of others, or where the leader is
    bool lags;            // a write is answered before the servers know of it that may lead next
    const char *roles[2]; // of the leaders, which come first, and of the others; NULL: all "member"
    int (*leaders)(int count); // how many of so many servers are; NULL: one
    bool one_by_one;           // all but the first are left to `form` to be started
    // Servers of another kind that watch the others, and whom `form` starts; NULL: none.
    const struct server_kind *watcher;
    int watchers;
    // Optional: once each server is ready, makes one of them, and waits until the whole serves.
    // 0, or -1 with `error` set.
    int (*form)(struct server_group *group, struct error *error);
};

// One server, of any kind.
#define SINGLE_SERVER(kind)                                                                        \
    {                                                                                              \
        .name = "single", .server = kind, .summary = "one server", .least = 1, .most = 1,          \
        .usual = 1                                                                                 \
    }

// Servers that agree on every write.
#define ENSEMBLE_OF_SERVERS(kind)                                                                  \
    {                                                                                              \
        .name = "ensemble", .server = kind,                                                        \
        .summary = "servers that agree on every write by majority", .least = 1, .most = 7,         \
        .usual = 3, .by_majority = true, .replicates = true                                        \
    }

// The nth of all topologies, from 0: those of a kind next to each other, the usual one first. NULL
// behind the last.
const struct topology *topology_at(size_t nth);

// The topology of that name for that kind of server; with `name` NULL the usual one. NULL if there
// is none.
const struct topology *topology_find(const char *server, const char *name);

// Plans the nodes of a group by its settings, into group->nodes, which has room for
// MAX_GROUP_NODES.
void topology_plan(struct server_group *group);

// How clients see the group.
void group_describe(const struct server_group *group, struct service *service);

bool node_is_in(const struct node *node, const char *topology);
bool node_has_role(const struct node *node, const char *role);

// For `form`: something that a node is to come to say.
struct goal {
    const char *what; // for the error, "each replica is linked to its master"
    const char *request;
    struct {
        const char *part; // of the answer; NULL: no more
        int times;        // as often as it is to be there
    } signs[4];
};

// Asks the node again and again until its goal is reached. 0, or -1 with `error` set.
int node_await(const struct node *node, const struct goal *goal, struct error *error);

// The same for each node of that role; NULL: for all.
int group_await(const struct server_group *group, const char *role, const struct goal *goal,
                struct error *error);

#endif
