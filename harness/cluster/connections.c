#include "harness/cluster/connections.h"

#include "harness/cluster/process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const connections_links[] = {"connection", NULL};

int connections_ask(struct session *session, const char *request)
{
    const char *const arguments[] = {"sh", "-c", request, NULL};
    int status = process_run(arguments, "", session->node->end.network_namespace, PROCESS_LIMIT,
                             &session->answer, session->error);
    return status < 0 ? -1 : 0;
}

// "10.77.3.1:7000", or "[::ffff:10.77.3.1]:7000" of a socket for IPv6 that takes IPv4, too.
static bool read_end(const char *word, char *address, int *port)
{
    static const char mapped[] = "[::ffff:";
    if (strncmp(word, mapped, sizeof mapped - 1) == 0)
        return sscanf(word, "[::ffff:%63[^]]]:%d", address, port) == 2;
    return sscanf(word, "%63[^:]:%d", address, port) == 2;
}

// "0 0 10.77.3.1:7000 10.77.4.1:51234": a connection of its port, by its other end.
bool connections_read(const struct session *session, const char *line, struct server_client *client)
{
    int port;
    char own[80], other[80], own_address[64];
    if (sscanf(line, "%*d %*d %79s %79s", own, other) != 2 || !read_end(own, own_address, &port) ||
        !read_end(other, client->address, &client->port))
        return false;
    snprintf(client->id, sizeof client->id, "%d", client->port);
    return port == session->node->port;
}

int connections_end(struct session *session, const struct server_client *client)
{
    int result = session_ask(session, "ss -HKtn 'sport = :%d and dst = %s and dport = :%d' 2>&1",
                             session->node->port, client->address, client->port);
    return result != 0 ? -1 : END_AGAIN;
}
