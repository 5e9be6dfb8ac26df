// The wires: one network namespace a node, each joined by a veth pair to the router, which is the
// namespace of the conductor. Nodes have /32 addresses and reach each other through the router,
// so that a partition is one rule there.
#ifndef LOCKPICK_CLUSTER_NETWORK_H
#define LOCKPICK_CLUSTER_NETWORK_H

#include "harness/base/error.h"

#define NETWORK_ADDRESS_BYTES 16

struct network_end {
    int network_namespace; // descriptor; closing it removes the namespace and its wire
    char address[NETWORK_ADDRESS_BYTES]; // "10.77.3.1"
};

// Once for a sandbox, in the router's namespace: brings loopback up, forwards between nodes, and
// proves that a namespace and a wire can be made. 0, or -1 with `error` set.
int network_prepare_router(struct error *error);

// Makes `count` ends, wired and addressed. `serial` tells networks that exist at the same time
// apart, whichever process of the sandbox made them; addresses come round again after
// NETWORK_SERIALS of them, and one that is in use is never given twice, but fails.
// 0, or -1 with `error` set and nothing left behind.
#define NETWORK_SERIALS 44500
int network_build(struct network_end *ends, int count, int serial, struct error *error);

// Makes a network namespace, and calls `inside` (NULL: nothing) in it. Its descriptor, or -1 with
// `error` set.
int network_make(int (*inside)(void *context, struct error *error), void *context,
                 struct error *error);

// Runs commands of `ip -batch` in a namespace (-1: ours). 0, or -1 with `error` set.
int network_configure(const char *commands, int network_namespace, struct error *error);

// A socket that listens on a port of every address of that namespace, and does not block; -1 with
// `error` set. The namespace lasts at least as long as it.
int network_listen(int network_namespace, int port, struct error *error);

// A port of the address that is free: the kernel's choice. The socket, which stays bound to it
// without listening, keeps the kernel from giving the port to anybody who wants any, but not a
// server from listening on it, as servers bind with SO_REUSEADDR; also when one starts again. -1 if
// there is none.
int network_hold_port(const char *address, int *descriptor);

// Removes them.
void network_remove(struct network_end *ends, int count);

#endif
