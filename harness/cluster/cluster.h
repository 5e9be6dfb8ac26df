// A cluster: nodes (servers or clients), and the wires between them.
#ifndef LOCKPICK_CLUSTER_CLUSTER_H
#define LOCKPICK_CLUSTER_CLUSTER_H

#include "harness/base/clock_shift.h"
#include "harness/base/error.h"
#include "harness/base/server_form.h"
#include "harness/cluster/network.h"
#include "harness/cluster/process.h"
#include "harness/cluster/sandbox.h"
#include "harness/cluster/short_path.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct custom_server;
struct history_writer;
struct server_kind;
struct topology;
struct disk_state;
struct remote;

// Servers that are to belong together.
struct group_settings {
    char name[16];                   // "redis" makes nodes redis-1, redis-2, ...
    const struct topology *topology; // of one kind of server
    int count;                       // of servers that hold data
    enum persistence persistence;    // redis only
    const char *binary; // that its servers are started with; NULL: their kinds' programs
    const struct custom_server *custom; // of a scenario's own server; NULL: the kind is known
    // The hosts that its servers are on, one after the other, and how agents are launched there;
    // NULL-terminated. NULL: this machine.
    const char *const *hosts, *const *launch;
    bool is_explored;     // what goes on in them by itself is to be as little as can be
    bool shiftable_clock; // each server gets clocks that can be set, if its kind can
    bool hindered_disk;   // the same of a disk that can be full or slow (disk.h)
};

#define MAX_EXTRA_PORTS 3
// In a node's home; gone when the cluster is closed.
#define NODE_CLOCK_FILE "clock"
#define NODE_PRELOAD "lockpick-clock.so"
#define NODE_DISK_FILE "disk"
#define NODE_MEMORY_FILE "memory"
// The id of the user who alone may connect to a server that is started with the preload
// (gate_preload.c).
#define GATE_VARIABLE "LOCKPICK_GATE"
#define NODE_KEPT_DATA "kept" // a folder

// What the pieces of an eviction note for those that come next.
struct pressure {
    char lock[100];       // which one is being evicted; "": none
    uint64_t evictions;   // of the server, while the lock was there
    uint64_t lock_number; // memcached: of the lock's item, when it was last seen
    uint64_t fillers;     // ... so many were stored so far
    int filler_bytes;     // ... in the value of each
};

// A host: a namespace with an address, or ports on loopback.
struct node {
    char name[40];                    // "redis-1", "sentinel-2", "client-1"
    const struct server_kind *kind;   // NULL for a client's
    const struct server_group *group; // NULL for a client's
    const char *role;                 // "master", "replica", "sentinel", "member"; a constant
    int number;                       // the 1 of redis-1
    bool deferred;                    // not started with the others, but by its topology's `form`
    struct network_end end;
    int port;                         // of its server; 0 if none
    int extra_ports[MAX_EXTRA_PORTS]; // as many as its kind asks for: for its peers, and the like
    int processor;                    // what runs here is pinned to it, or -1
    pid_t server; // its process, 0 if none runs; of one on another host, its agent's launch
    struct remote *remote; // of a server on another host (remote.h); NULL: it is here
    int64_t died_ns;       // when server_kill last ended it, by CLOCK_REALTIME; 0: never
    int64_t ready_ns;      // when it first served, by CLOCK_REALTIME
    bool may_end;          // a fault brings it to end by itself, which is no failure
    bool is_starting;      // again, by server_restart: whether it will serve is not known yet
    bool has_ended;        // by itself, in one of those cases; until it is started again
    const char *program;  // what it is started with instead of its kind's: the group's `binary`, or
                          // a fault's; NULL: that of its kind
    char *folder;         // where its log and settings are found later; NULL for a client's
    char *home;           // its working folder, by a path that every server takes: `folder`,
                          // or another that is removed when the cluster is closed; of one on
                          // another host, a folder there
    char *environment[6]; // variables for the library that is loaded into its server; NULL behind
    bool gated;           // on loopback: other users of the machine are kept out (gate_preload.c)
    off_t log_seen;       // of its server.log, by cluster_check_servers
    char *data;           // in `home`; removed when the cluster is closed
    const _Atomic uint32_t *interrupted; // as in cluster_settings
    struct disk_state *disk;   // how its disk goes wrong; NULL: nothing comes between (disk.h)
    bool rolls_back;           // its data are replaced when it starts (disk_keep)
    struct pressure *pressure; // on its server's memory
    struct clock_shift *clock; // what its server reads time by, restarted or not; NULL: the
                               // machine's own clocks
};

// Servers that belong together, as they were made: all of one service, those that watch it
// included.
struct server_group {
    struct group_settings settings;
    struct node *nodes; // some of the cluster's, next to each other
    int count;
};

struct cluster {
    enum isolation isolation;
    bool open_to_all;
    struct node *nodes;
    int count;
    struct server_group *groups;
    int group_count;
    int *port_holders; // descriptors that keep ports on loopback ours
    int port_holder_count;
    struct short_path short_path; // to the folder that its nodes' folders are in
};

struct cluster_settings {
    enum isolation isolation;
    const struct group_settings *groups;
    int group_count;
    int clients;     // nodes client-1, client-2, ... besides
    int processors;  // nodes are pinned to so many of those that are allowed, in turn; 0: to none
    int first_index; // of the first node, in that turn
    const char *folder;                  // each server gets a folder of its own inside
    int serial;                          // tells one cluster of a run from the next
    const _Atomic uint32_t *interrupted; // not 0 any more: the servers need not come up; or NULL
    bool open_to_all; // for tests: no gate on loopback, which refuses what comes late
};

// Makes the nodes, starts their servers, waits until each is ready and each group serves as a
// whole. 0, or -1 with `error` set and nothing left behind. Close with cluster_close.
int cluster_open(struct cluster *cluster, const struct cluster_settings *settings,
                 struct error *error);

// Starts the server of a node, and waits until it is ready. 0, or -1 with `error` set.
int cluster_start_node(struct node *node, struct error *error);

// For a topology's `form`: the same of each node that was deferred, one after the other.
int group_start_deferred(struct server_group *group, struct error *error);

// While a server or its topology comes up: sleeps for a moment before it is looked at again. False,
// with `error` set, if the run was interrupted meanwhile.
bool node_pause(const struct node *node, struct error *error);

// For programs that prepare a server.
struct process_limit node_limit(const struct node *node);

// 0 while every server that was started lives, with all the processes that it is made of; -1 with
// `error` set once one has ended that may not.
int cluster_check_servers(struct cluster *cluster, struct error *error);

// Records from now on the stalls of servers on other hosts, as cluster_check_servers finds them;
// with NULL, no more.
void cluster_watch(struct cluster *cluster, struct history_writer *writer);

// What the server's log tells until now, a fault asked for.
void cluster_excuse_log(struct node *node);

// Ends every server, removes the nodes and the servers' data; logs stay.
void cluster_close(struct cluster *cluster);

// Removes what the servers of a cluster of that folder have left that were killed together with who
// had opened it.
void cluster_sweep(const char *folder);

// The node with this name, or NULL.
struct node *cluster_node(const struct cluster *cluster, const char *name);

// The nth node (from 1) of that role, or NULL.
struct node *group_node(const struct server_group *group, const char *role, int nth);

#endif
