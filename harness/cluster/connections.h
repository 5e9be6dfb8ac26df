// Connections of a server that nobody but the kernel can be asked about: it lists them, and ends
// them (`ss --kill`, SOCK_DESTROY of sock_diag(7)), so that the server and the client both see them
// reset. For kinds of server whose requests are command lines.
#ifndef LOCKPICK_CLUSTER_CONNECTIONS_H
#define LOCKPICK_CLUSTER_CONNECTIONS_H

#include "harness/cluster/server.h"

// Of struct server_kind: a request is a command line, which runs in the server's network.
int connections_ask(struct session *session, const char *request);

// Of struct server_control: what CONNECTIONS_CONTROL sets.
extern const char *const connections_links[];
bool connections_read(const struct session *session, const char *line,
                      struct server_client *client);
int connections_end(struct session *session, const struct server_client *client);
#define CONNECTIONS_CONTROL                                                                        \
    .links = connections_links, .list = "ss -Htn state established", .read = connections_read,     \
    .end = connections_end

#endif
