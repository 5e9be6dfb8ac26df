// A service as its clients see it: one server, or several that belong together, and who we are to
// it.
#ifndef LOCKPICK_WIRE_SERVICE_H
#define LOCKPICK_WIRE_SERVICE_H

#include "harness/base/url.h"

#include <stdbool.h>

#define MAX_SERVERS 8
#define SENTINEL_MASTER "lockpick" // what sentinels that Lockpick boots call their master

// Where a server listens.
struct endpoint {
    char host[48]; // a name or an address; of IPv6, without brackets
    int port;
};

// "HOST:PORT", an IPv6 address in brackets. Returns `out`.
#define ENDPOINT_ROOM 64
char *endpoint_tell(const struct endpoint *endpoint, char out[ENDPOINT_ROOM]);

struct service {
    char kind[16];                        // "redis", "zookeeper", ...
    char topology[16];                    // "single", "sentinel", ...
    struct endpoint servers[MAX_SERVERS]; // those that hold data, in the order of their nodes
    int server_count;
    struct endpoint sentinels[MAX_SERVERS]; // topology sentinel: whom to ask for the master
    int sentinel_count;
    // "" where none is needed. Servers that Lockpick boots need none.
    char user[64];
    char password[128];
    char sentinel_password[128];
    char database[64];
    const char *protocol;           // that a proxy is to understand; NULL: what `kind` speaks
    const struct tls_settings *tls; // NULL: it is spoken to in plain
    bool external;                  // somebody else's server: touch nothing but our own keys
    struct spare_clients *spare;    // of its clients (spare.h); NULL: none is kept
    // Of servers whose clients go by a time of their own (etcd.h, zookeeper.h); else NULL.
    struct etcd_leases *leases;
    struct zk_exploration *zk_exploration;
};

#endif
