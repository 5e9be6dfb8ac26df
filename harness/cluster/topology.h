// A topology: how servers of one kind belong together. Each kind lists its own.
#ifndef LOCKPICK_CLUSTER_TOPOLOGY_H
#define LOCKPICK_CLUSTER_TOPOLOGY_H

#include "harness/base/server_form.h"
#include "harness/cluster/cluster.h"
#include "harness/wire/service.h"

#define MAX_GROUP_NODES 12

struct topology {
    struct topology_form form;
    const char *summary; // in one line
    bool replicates;     // what it acknowledged outlives the death of its leader
    bool promoted; // it elects no leader: who follows is told to lead, and nobody tells the old one
                   // to follow when it comes back
    bool redirects;       // its servers tell clients addresses of others, or where the leader is
    bool lags;            // a write is answered before the servers know of it that may lead next
    const char *roles[2]; // of the leaders, which come first, and of the others; NULL: all "member"
    int (*leaders)(int count); // how many of so many servers are; NULL: one
    bool one_by_one;           // all but the first are left to `join` to be started
    // Servers of another kind that watch the others, and whom `join` starts; NULL: none.
    const struct server_kind *watcher;
    int watchers;
    // Optional: once each server is ready, makes one of them, and waits until the whole serves.
    // 0, or -1 with `error` set.
    int (*join)(struct server_group *group, struct error *error);
};

// One server, of any kind.
#define SINGLE_SERVER(kind)                                                                        \
    {                                                                                              \
        .form = {.name = "single", .server = kind, .least = 1, .most = 1, .usual = 1},             \
        .summary = "one server"                                                                    \
    }

// Servers that agree on every write.
#define ENSEMBLE_OF_SERVERS(kind)                                                                  \
    {                                                                                              \
        .form = {.name = "ensemble",                                                               \
                 .server = kind,                                                                   \
                 .least = 1,                                                                       \
                 .most = 7,                                                                        \
                 .usual = 3,                                                                       \
                 .by_majority = true},                                                             \
        .summary = "servers that agree on every write by majority", .replicates = true             \
    }

// Servers that know nothing of each other.
#define INDEPENDENT_SERVERS(kind)                                                                  \
    {                                                                                              \
        .form = {.name = "independent",                                                            \
                 .server = kind,                                                                   \
                 .least = 1,                                                                       \
                 .most = MAX_SERVERS,                                                              \
                 .usual = 5,                                                                       \
                 .by_majority = true,                                                              \
                 .independent = true},                                                             \
        .summary = "servers that know nothing of each other"                                       \
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

// For `join`: something that a node is to come to say.
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
