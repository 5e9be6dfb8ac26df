#include "harness/cluster/redis_server.h"

#include "harness/base/file.h"
#include "harness/cluster/process.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
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
                                     ".",
                                     NULL};
    char *log = path_join(node->folder, "server.log");
    struct process_settings settings = {.arguments = arguments,
                                        .folder = node->folder,
                                        .log_path = log,
                                        .network_namespace = -1,
                                        .processor = node->processor};
    if (node->end.network_namespace >= 0)
        settings.network_namespace = node->end.network_namespace;
    pid_t id = process_start(&settings, error);
    free(log);
    return id;
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
    int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0)
        return error_set(error, "cannot make a socket: %s", strerror(errno));
    struct timeval patience = {.tv_sec = 1};
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)node->port)};
    inet_pton(AF_INET, node->end.address, &address.sin_addr);
    bool serves = connect(descriptor, (struct sockaddr *)&address, sizeof address) == 0 &&
                  names_its_process(descriptor, node->server);
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
