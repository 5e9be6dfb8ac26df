// The network namespace in which all addresses lead to a relay.
#ifndef LOCKPICK_WIRE_RELAY_NETWORK_H
#define LOCKPICK_WIRE_RELAY_NETWORK_H

#include "harness/base/error.h"
#include "harness/wire/service.h"

#define MOST_LISTENERS (2 * MAX_SERVERS)

struct relay_network {
    int descriptor;                // the namespace
    int listeners[MOST_LISTENERS]; // sockets in it, one for each port of a server
    int count;
};

// 0, or -1 with `error` set and nothing left behind. Whoever is in it has the address that the
// calling thread has in its own.
int relay_network_open(struct relay_network *network, const struct service *service,
                       struct error *error);
void relay_network_close(struct relay_network *network);

#endif
