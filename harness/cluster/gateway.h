// A gateway: the way from a sandbox's network to servers that run already, on the host's. Each such
// server has a node in the sandbox, as if it had been booted there, at whose address a proxy of
// bytes listens (proxy_between), which connects to the server from the host's network. So what goes
// between clients and those servers passes the router, where faults on wires strike.
//
// What differs from a direct connection: the client's connect() succeeds at once, and is reset if
// the server cannot be reached; and packets are cut, delayed or counted between the client and the
// proxy, so that the server's kernel sees a connection that is idle, and not one that is cut.
//
// Commands that the scenario's user has for those servers are run by the gateway, too, as they may
// need the host's network.
//
//   first process, on the host's network
//   ├─ gateway          a process for each group of servers, or command, that is asked for, below
//   it └─ init, conductor  the sandbox, which asks for them by a socket
#ifndef LOCKPICK_CLUSTER_GATEWAY_H
#define LOCKPICK_CLUSTER_GATEWAY_H

#include "harness/base/error.h"
#include "harness/cluster/cluster.h"
#include "harness/cluster/process.h"
#include "harness/wire/service.h"

// Zeroed: there is none.
struct gateway {
    pid_t process;
    int socket;
};

// Starts it, in the network of the caller, with whom it dies. To be called before the sandbox is
// entered, which inherits the socket. 0, or -1 with `error` set.
int gateway_start(struct gateway *gateway, struct error *error);

// Ends it, with all that goes through it.
void gateway_stop(struct gateway *gateway);

// True if external servers are reached by it.
bool sandbox_has_gateway(const struct sandbox *sandbox);

// Servers that run already, as nodes of the sandbox. Zeroed: closed.
struct external_group {
    struct server_group group; // of nodes without a process, of a kind of their own
    struct node nodes[MAX_SERVERS];
    int leash;              // a socket: its end ends their proxies
    struct service outside; // as the host's network has it
    // By TLS without a name: as before, with the name that the first server has in its URL.
    struct tls_settings tls;
};

// In the sandbox: makes the nodes of the service's servers, and changes their addresses in the
// service to those of the nodes, which has parts of `external` from then on. `serial` as for
// network_build. 0, or -1 with `error` set: none of the servers can be reached, or what a network
// needs is missing.
int external_group_open(struct external_group *external, const struct gateway *gateway, int serial,
                        struct service *service, struct error *error);
void external_group_close(struct external_group *external);

// 0 while what is between lives, and where nothing is; -1 with `error` set once it has ended, or
// lacks what a further connection needs.
int external_group_check(const struct external_group *external, struct error *error);

// In the sandbox: runs a program on the host's network, in a group of its own, with the arguments,
// the environment and the log of the settings. Returns a child of the caller's, which ends as the
// program does; one that cannot be started is told in the log, and ends with 127. When the child is
// killed, the program's group is, too. -1 with `error` set.
pid_t gateway_command(const struct gateway *gateway, const struct process_settings *settings,
                      struct error *error);

#endif
