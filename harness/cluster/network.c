#include "harness/cluster/network.h"

#include "harness/base/clock.h"
#include "harness/base/scope.h"
#include "harness/cluster/process.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define PROBE_SERIAL 0
#define WAITING_CONNECTIONS 512
#define WIRE_LIMIT_NS (20 * NS_PER_S)
#define NAMES_LIMIT_NS (60 * NS_PER_S) // the kernel takes down one network after the other
#define ROUTER_ADDRESS "10.77.255.254"
// Networks are 10.77.0.* to 10.254.249.*: none has the router's address in it.
#define FIRST_PART 77
#define THIRD_PARTS 250
_Static_assert(NETWORK_SERIALS == (255 - FIRST_PART) * THIRD_PARTS, "as many as there is room for");

int network_configure(const char *commands, int network_namespace, struct error *error)
{
    const char *const arguments[] = {"ip", "-batch", "-", NULL};
    AUTO_TEXT struct text output = {0};
    int status = process_run(arguments, commands, network_namespace, PROCESS_LIMIT, &output, error);
    return status <= 0
               ? status
               : error_set(error,
                           "ip -batch failed: %s(is iproute2 complete, does the kernel have veth?)",
                           text_string(&output));
}

int network_make(int (*inside)(void *context, struct error *error), void *context,
                 struct error *error)
{
    static const char here[] = "/proc/thread-self/ns/net";
    int ours = open(here, O_RDONLY | O_CLOEXEC);
    int made = ours >= 0 && unshare(CLONE_NEWNET) == 0 ? open(here, O_RDONLY | O_CLOEXEC) : -1;
    if (made < 0)
        error_set(error, "cannot make a network namespace: %s", strerror(errno));
    bool is_well = made < 0 || inside == NULL || inside(context, error) == 0;
    if (ours >= 0 && setns(ours, CLONE_NEWNET) != 0)
        is_well = error_set(error, "cannot return from a new network namespace: %s",
                            strerror(errno)) == 0;
    if (!is_well) {
        close(made);
        made = -1;
    }
    close(ours);
    return made;
}

int network_listen(int network_namespace, int port, struct error *error)
{
    const struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    int ours = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
    int descriptor = ours >= 0 && setns(network_namespace, CLONE_NEWNET) == 0
                         ? socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)
                         : -1;
    bool listens = descriptor >= 0 &&
                   bind(descriptor, (const struct sockaddr *)&address, sizeof address) == 0 &&
                   listen(descriptor, WAITING_CONNECTIONS) == 0;
    if (!listens)
        error_set(error, "cannot listen on port %d of a node: %s", port, strerror(errno));
    if (ours >= 0 && setns(ours, CLONE_NEWNET) != 0)
        listens = error_set(error, "cannot return from a node's network: %s", strerror(errno)) == 0;
    if (!listens && descriptor >= 0)
        close(descriptor);
    close(ours);
    return listens ? descriptor : -1;
}

// The kernel takes down the wires of a removed network in the background: one of the same serial
// may have to wait for their names.
static int await_names(int count, int serial, struct error *error)
{
    int64_t give_up_ns = clock_monotonic_ns() + NAMES_LIMIT_NS;
    for (int i = 0; i < count; i++) {
        char name[IF_NAMESIZE];
        snprintf(name, sizeof name, "w%dn%d", serial, i + 1);
        while (if_nametoindex(name) != 0) {
            if (clock_monotonic_ns() > give_up_ns)
                return error_set(error,
                                 "the wire %s of an earlier network is still there after %d s",
                                 name, (int)(NAMES_LIMIT_NS / NS_PER_S));
            clock_sleep_until_ns(clock_monotonic_ns() + NS_PER_MS);
        }
    }
    return 0;
}

// The router's side: all wires in one batch.
static int wire_router(struct network_end *ends, int count, int serial, struct error *error)
{
    // Our id as /proc has it, which may be mounted for another PID namespace.
    char self[32] = "";
    if (readlink("/proc/self", self, sizeof self - 1) <= 0)
        return error_set(error, "cannot read /proc/self: %s", strerror(errno));
    AUTO_TEXT struct text batch = {0};
    for (int i = 0; i < count; i++) {
        text_format(&batch,
                    "link add w%dn%d type veth peer name eth0 netns /proc/%s/fd/%d\n"
                    "link set w%dn%d up\n"
                    "route add %s/32 dev w%dn%d\n",
                    serial, i + 1, self, ends[i].network_namespace, serial, i + 1, ends[i].address,
                    serial, i + 1);
    }
    return network_configure(text_string(&batch), -1, error);
}

static int furnish_end(const struct network_end *end, struct error *error)
{
    char batch[200];
    snprintf(batch, sizeof batch,
             "link set lo up\n"
             "addr add %s/32 dev eth0\n"
             "link set eth0 up\n"
             "route add default via " ROUTER_ADDRESS " dev eth0 onlink\n",
             end->address);
    return network_configure(batch, end->network_namespace, error);
}

// Knocks at a port where nobody listens: a refusal has travelled the wire both ways.
static bool answers(const struct network_end *end)
{
    int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(9)};
    inet_pton(AF_INET, end->address, &address.sin_addr);
    int reason = 0;
    if (connect(descriptor, (struct sockaddr *)&address, sizeof address) != 0)
        reason = errno;
    if (reason == EINPROGRESS) {
        socklen_t length = sizeof reason;
        struct pollfd ready = {.fd = descriptor, .events = POLLOUT};
        poll(&ready, 1, 20);
        if (ready.revents != 0)
            getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &reason, &length);
    }
    close(descriptor);
    return reason == ECONNREFUSED;
}

// The kernel brings a new wire into service a moment after it was told to; what is sent before that
// is lost, and TCP tries again only a second later.
static int await_wire(const struct network_end *end, struct error *error)
{
    int64_t give_up_ns = clock_monotonic_ns() + WIRE_LIMIT_NS;
    while (!answers(end)) {
        clock_sleep_until_ns(clock_monotonic_ns() + NS_PER_MS);
        if (clock_monotonic_ns() > give_up_ns)
            return error_set(error, "no packet came through the wire to %s within %d s",
                             end->address, (int)(WIRE_LIMIT_NS / NS_PER_S));
    }
    return 0;
}

int network_build(struct network_end *ends, int count, int serial, struct error *error)
{
    for (int i = 0; i < count; i++)
        ends[i].network_namespace = -1;
    int result = 0;
    int place = serial % NETWORK_SERIALS;
    for (int i = 0; result == 0 && i < count; i++) {
        snprintf(ends[i].address, sizeof ends[i].address, "10.%hhu.%hhu.%hhu",
                 (unsigned char)(FIRST_PART + place / THIRD_PARTS),
                 (unsigned char)(place % THIRD_PARTS), (unsigned char)(i + 1));
        ends[i].network_namespace = network_make(NULL, NULL, error);
        result = ends[i].network_namespace < 0 ? -1 : 0;
    }
    if (result == 0)
        result = await_names(count, serial, error);
    if (result == 0)
        result = wire_router(ends, count, serial, error);
    for (int i = 0; result == 0 && i < count; i++)
        result = furnish_end(&ends[i], error);
    for (int i = 0; result == 0 && i < count; i++)
        result = await_wire(&ends[i], error);
    if (result != 0)
        network_remove(ends, count);
    return result;
}

void network_remove(struct network_end *ends, int count)
{
    for (int i = 0; i < count; i++) {
        if (ends[i].network_namespace >= 0)
            close(ends[i].network_namespace);
        ends[i].network_namespace = -1;
    }
}

int network_prepare_router(struct error *error)
{
    static const char forward[] = "/proc/sys/net/ipv4/ip_forward";
    if (network_configure("link set lo up\naddr add " ROUTER_ADDRESS "/32 dev lo\n", -1, error) !=
        0)
        return -1;
    if (kernel_write(forward, "1") != 0)
        return error_set(error, "cannot write %s: %s", forward, strerror(errno));
    struct network_end probe[1];
    if (network_build(probe, 1, PROBE_SERIAL, error) != 0)
        return -1;
    network_remove(probe, 1);
    return 0;
}

int network_hold_port(const char *address, int *descriptor)
{
    struct sockaddr_in place = {.sin_family = AF_INET};
    socklen_t length = sizeof place;
    *descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (*descriptor < 0)
        return -1;
    if (inet_pton(AF_INET, address, &place.sin_addr) == 1 &&
        setsockopt(*descriptor, SOL_SOCKET, SO_REUSEADDR, &(int){1}, sizeof(int)) == 0 &&
        bind(*descriptor, (struct sockaddr *)&place, length) == 0 &&
        getsockname(*descriptor, (struct sockaddr *)&place, &length) == 0)
        return ntohs(place.sin_port);
    close(*descriptor);
    *descriptor = -1;
    return -1;
}
