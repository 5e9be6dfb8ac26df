#include "harness/wire/relay_network.h"

#include "harness/base/text.h"
#include "harness/cluster/process.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define WAITING_CONNECTIONS 512

// Our address as others see it; "127.0.0.1" if we have no other.
static void own_address(char *address, size_t room)
{
    struct ifaddrs *all = NULL;
    strcpy(address, "127.0.0.1");
    if (getifaddrs(&all) != 0)
        return;
    for (const struct ifaddrs *each = all; each != NULL; each = each->ifa_next) {
        if (each->ifa_addr == NULL || each->ifa_addr->sa_family != AF_INET)
            continue;
        struct sockaddr_in found;
        memcpy(&found, each->ifa_addr, sizeof found);
        if (ntohl(found.sin_addr.s_addr) >> 24 != 127)
            inet_ntop(AF_INET, &found.sin_addr, address, (socklen_t)room);
    }
    freeifaddrs(all);
}

// In the new namespace, every address becomes one of ours.
static int furnish(int descriptor, const char *address, struct error *error)
{
    const char *const arguments[] = {"ip", "-batch", "-", NULL};
    struct text commands = {0};
    struct text output = {0};
    bool is_loopback = strncmp(address, "127.", 4) == 0;
    text_add(&commands, "link set lo up\n");
    if (!is_loopback)
        text_format(&commands, "addr add %s/32 dev lo\n", address);
    text_format(&commands, "route add local 0.0.0.0/0 dev lo src %s\n", address);
    int status = process_run(arguments, commands.bytes, descriptor, PROCESS_LIMIT, &output, error);
    if (status > 0)
        error_set(error, "ip -batch failed in the network of a client's relay: %.600s",
                  text_string(&output));
    text_free(&commands);
    text_free(&output);
    return status == 0 ? 0 : -1;
}

static int listen_at(struct relay_network *network, int port, struct error *error)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    int yes = 1;
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (listener < 0)
        return error_set(error, "a relay cannot make a socket: %s", strerror(errno));
    network->listeners[network->count++] = listener;
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0 ||
        listen(listener, WAITING_CONNECTIONS) != 0)
        return error_set(error, "a relay cannot listen on port %d: %s", port, strerror(errno));
    return 0;
}

static int listen_at_all(struct relay_network *network, const struct endpoint *servers, int count,
                         bool *listened, struct error *error)
{
    int result = 0;
    for (int i = 0; result == 0 && i < count; i++) {
        if (servers[i].port <= 0 || servers[i].port > UINT16_MAX || listened[servers[i].port])
            continue;
        listened[servers[i].port] = true;
        result = listen_at(network, servers[i].port, error);
    }
    return result;
}

// Within a new namespace, which the calling thread leaves again.
static int make(struct relay_network *network, const struct service *service, struct error *error)
{
    static const char self[] = "/proc/thread-self/ns/net";
    bool *listened = memory_zeroed(UINT16_MAX + 1, sizeof *listened);
    int result = -1;
    int ours = open(self, O_RDONLY | O_CLOEXEC);
    if (ours < 0 || unshare(CLONE_NEWNET) != 0) {
        error_set(error, "cannot make a network namespace for the programs of a client: %s",
                  strerror(errno));
    } else {
        network->descriptor = open(self, O_RDONLY | O_CLOEXEC);
        if (network->descriptor < 0)
            error_set(error, "cannot open %s: %s", self, strerror(errno));
        else
            result =
                listen_at_all(network, service->servers, service->server_count, listened, error);
        if (result == 0)
            result = listen_at_all(network, service->sentinels, service->sentinel_count, listened,
                                   error);
        if (setns(ours, CLONE_NEWNET) != 0)
            result =
                error_set(error, "cannot return from a new network namespace: %s", strerror(errno));
    }
    if (ours >= 0)
        close(ours);
    free(listened);
    return result;
}

int relay_network_open(struct relay_network *network, const struct service *service,
                       struct error *error)
{
    char address[INET_ADDRSTRLEN];
    *network = (struct relay_network){.descriptor = -1};
    own_address(address, sizeof address);
    int result = make(network, service, error);
    if (result == 0)
        result = furnish(network->descriptor, address, error);
    if (result != 0)
        relay_network_close(network);
    return result;
}

void relay_network_close(struct relay_network *network)
{
    for (int i = 0; i < network->count; i++)
        close(network->listeners[i]);
    if (network->descriptor >= 0)
        close(network->descriptor);
    *network = (struct relay_network){.descriptor = -1};
}
