// Clients that are kept for the next one who wants to connect, where many do so one after the
// other: each schedule of an exploration has clients of its own, and connections that its last ones
// have left. Of connectors that can have a client go on for another actor (client.h).
//
// Several threads may open and close at a time.
#ifndef LOCKPICK_WIRE_SPARE_H
#define LOCKPICK_WIRE_SPARE_H

#include "harness/wire/client.h"

struct spare_clients;

struct spare_clients *spare_clients_new(void);

// Closes the spare ones; all others must be closed already. NULL: nothing happens.
void spare_clients_free(struct spare_clients *spare);

// From now on none is used again that is open by now: what it knows of its servers is of the past.
void spare_clients_forget(struct spare_clients *spare);

// As connector->open and connector->close; with service->spare by a spare client, and into one.
void *connector_open(const struct connector *connector, const struct service *service,
                     int64_t request_ns, struct actor *actor, struct error *error);
void connector_close(const struct connector *connector, const struct service *service,
                     void *client);

#endif
