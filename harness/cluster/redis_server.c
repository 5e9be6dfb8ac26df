#include "harness/cluster/redis_server.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static pid_t start(const struct node *node, struct error *error)
{
    char port[16];
    snprintf(port, sizeof port, "%d", node->port);
    // Inside a namespace, or on loopback, nobody else can reach it: no password is needed.
    const char *const arguments[] = {"redis-server",
                                     "--port",
                                     port,
                                     "--bind",
                                     node->end.address,
                                     "--protected-mode",
                                     "no",
                                     "--save",
                                     "",
                                     "--appendonly",
                                     "no",
                                     "--daemonize",
                                     "no",
                                     "--maxclients",
                                     "10000",
                                     "--dir",
                                     "data",
                                     NULL};
    return server_run(node, arguments, false, error);
}

// Asks INFO in the protocol's inline form, so that this room needs no client library, and reads
// until the server has named its process id.
static bool names_its_process(int descriptor, pid_t expected)
{
    char answer[4096] = "";
    char wanted[48];
    size_t length = 0;
    snprintf(wanted, sizeof wanted, "process_id:%d\r\n", (int)expected);
    if (write(descriptor, "INFO server\r\n", 13) != 13)
        return false;
    while (length < sizeof answer - 1) {
        ssize_t got = read(descriptor, answer + length, sizeof answer - 1 - length);
        if (got <= 0)
            return false;
        length += (size_t)got;
        answer[length] = '\0';
        if (strstr(answer, wanted) != NULL)
            return true;
        if (strstr(answer, "process_id:") != NULL && strstr(answer, "run_id:") != NULL)
            return false; // somebody else's
    }
    return false;
}

static int ready(const struct node *node, struct error *error)
{
    (void)error;
    int descriptor = server_connect(node);
    if (descriptor < 0)
        return 1;
    bool serves = names_its_process(descriptor, node->server);
    close(descriptor);
    return serves ? 0 : 1;
}

const struct server_kind redis_server = {
    .name = "redis",
    .program = "redis-server",
    .package = "redis-server",
    .port = 6379,
    .start = start,
    .ready = ready,
};
