// What can be done to a server that runs, by those who own it: asking which role it has, taking
// its data, making it refuse, ending its connections. Faults and causes are made of these. One
// file per kind of server (redis_control.c, ...), one `const struct server_control` in it, named by
// its `struct server_kind`.
//
// All of it is done from the harness's side, on a connection of its own that no cut between nodes
// touches, and takes a second at most: a server that does not answer by then gives -1.
#ifndef LOCKPICK_CLUSTER_CONTROL_H
#define LOCKPICK_CLUSTER_CONTROL_H

#include "harness/cluster/cluster.h"

// The lock of a trial, as a server may know it.
struct lock_identity {
    const char *name;   // "lockpick:{t17x2k}:lock"
    const char *tag;    // "t17x2k"
    const char *scheme; // "redis-set-px-lua"
};

// What a server forgets while it is down.
enum loss {
    LOSS_NONE,
    LOSS_UNSYNCED, // what it had not yet been forced to write to its disk: a power cut
    LOSS_ALL,      // all data, but not which group it belongs to
};

// One end of a client's connections: the address it comes from, and, where several clients share
// one address, its ports.
struct client_end {
    const char *address;
    const int *ports; // NULL: any
    int port_count;
};

enum eviction {
    EVICTION_FAILED = -1, // with `error` set
    EVICTION_DONE,
    EVICTION_GOES_ON,  // call again
    EVICTION_TOO_LATE, // the lock is not there, or went without being evicted; with `error` set
};

// Any member may be NULL: this kind of server cannot have it done.
struct server_control {
    // Whether this very server leads its group now, that is, decides who gets the lock: a master,
    // a primary, a leader; one that serves alone or as an equal always does. 1, 0, or -1 with
    // `error` set if it does not answer.
    int (*leads)(const struct node *node, struct error *error);

    // Of groups that share the locks out among several leaders: whether this one decides about this
    // lock. 1, 0, or -1 with `error` set. NULL: whoever leads decides about all.
    int (*owns)(const struct node *node, const struct lock_identity *lock, struct error *error);

    // Makes this server lead, for groups that do not elect by themselves. Proven when it returns.
    // 0, or -1 with `error` set.
    int (*promote)(const struct node *node, struct error *error);

    // Whether this very server (not its group) has the lock as held by anybody. 1, 0, or -1 with
    // `error` set.
    int (*has_lock)(const struct node *node, const struct lock_identity *lock, struct error *error);

    // Removes all data, as an operator's mistake does. 0, or -1 with `error` set.
    int (*flush)(const struct node *node, struct error *error);

    // Fills its memory until it evicts the lock; `policy` is one of `policies` (NULL: the first).
    // Does a bounded piece of the work, and returns an enum eviction. `relieve` takes the pressure
    // away again.
    const char *const *policies; // NULL-terminated; the usual one first
    int (*evict)(const struct node *node, const struct lock_identity *lock, const char *policy,
                 struct error *error);
    int (*relieve)(const struct node *node, struct error *error);

    // Makes it refuse writes in one of the ways of `refusals`, or serve again (`refuses` false).
    // Proven by a write of its own when it returns. 0, or -1 with `error` set.
    const char *const *refusals; // NULL-terminated; the usual one first
    int (*deny)(const struct node *node, const char *refusal, bool refuses, struct error *error);

    // Ends what the client has open at this server; `link` is one of `links` (NULL: the first):
    // "connection" (all of them), "session", "pubsub". How many were ended, or -1 with `error`
    // set. Proven gone when it returns.
    const char *const *links; // NULL-terminated; the usual one first
    int (*disconnect)(const struct node *node, const struct client_end *client, const char *link,
                      struct error *error);

    // While the server is down: forgets. NULL: LOSS_ALL empties node->data, LOSS_UNSYNCED cannot
    // be had. 0, or -1 with `error` set.
    int (*forget)(const struct node *node, enum loss loss, struct error *error);
};

#endif
