// A kind of server: how it is started, and how one knows that it is ready.
#ifndef LOCKPICK_CLUSTER_SERVER_H
#define LOCKPICK_CLUSTER_SERVER_H

#include "harness/cluster/cluster.h"

#include <stddef.h>

struct server_kind {
    const char *name;    // "redis"
    const char *program; // what must be in PATH
    const char *package; // the Debian package that brings it
    int port;            // where it listens inside a namespace
    // Starts the server on the node. Returns its process id, or -1 with `error` set.
    pid_t (*start)(const struct node *node, struct error *error);
    // Asks once whether this very process serves, not some other that has taken its port. 0 if it
    // does, 1 if not yet, -1 if it never will.
    int (*ready)(const struct node *node, struct error *error);
};

// Every kind; NULL-terminated.
extern const struct server_kind *const server_catalogue[];

// The kind with this name, or NULL.
const struct server_kind *server_kind_find(const char *name);

// The version that the program reports, for the result's environment: "redis-server 7.0.15".
// Returns `out`; the program's name alone if it says nothing.
const char *server_version(const struct server_kind *kind, char *out, size_t room);

#endif
