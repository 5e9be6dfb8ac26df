#include "harness/cluster/wires.h"

#include "harness/base/text.h"
#include "harness/cluster/wires_queue.h"
#include "harness/cluster/wires_rules.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/netlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define EFFECTS (WIRE_HOLD + 1)

// A fault in effect.
struct struck {
    int number;
    enum wire_effect effect;
    int place; // of its queue, or -1
};

struct wires {
    int socket;      // only for its port, which no other process of this namespace has
    uint32_t port;   // ... and which our chains are named after
    int last_number; // of a fault
    struct struck *struck;
    size_t count;
    struct wire_queues *queues; // NULL until they are needed
    bool tried[EFFECTS];        // and found to work
};

struct wires *wires_open(struct error *error)
{
    struct wires *wires = memory_zeroed(1, sizeof *wires);
    struct sockaddr_nl address = {.nl_family = AF_NETLINK};
    socklen_t length = sizeof address;
    int result = 0;
    wires->socket = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_NETFILTER);
    if (wires->socket < 0 ||
        bind(wires->socket, (struct sockaddr *)&address, sizeof address) != 0 ||
        getsockname(wires->socket, (struct sockaddr *)&address, &length) != 0)
        result = error_set(error, "cannot talk to the kernel's packet filter: %s", strerror(errno));
    wires->port = address.nl_pid;
    if (result == 0)
        result = wire_rules_prepare(error);
    if (result == 0)
        return wires;
    wires_close(wires);
    return NULL;
}

void wires_close(struct wires *wires)
{
    if (wires == NULL)
        return;
    while (wires->count > 0) {
        size_t left = wires->count;
        wires_heal(wires, wires->struck[left - 1].number, NULL);
        wires->count = left - 1; // nobody is there to be told of an error
    }
    wire_queues_close(wires->queues);
    free(wires->struck);
    if (wires->socket >= 0)
        close(wires->socket);
    free(wires);
}

// --- checks --------------------------------------------------------------------------------------

static int check_addresses(const char *const *addresses, int count, const char *side,
                           struct error *error)
{
    struct in_addr ignored;
    if (count <= 0)
        return error_set(error, "a fault on wires needs addresses it goes %s, and was given none",
                         side);
    for (int i = 0; i < count; i++) {
        if (inet_pton(AF_INET, addresses[i], &ignored) != 1)
            return error_set(error, "a fault on wires cannot go %s \"%s\": not an IPv4 address",
                             side, addresses[i]);
    }
    return 0;
}

static int check(const struct wire_fault *fault, struct error *error)
{
    if (check_addresses(fault->from, fault->from_count, "from", error) != 0 ||
        check_addresses(fault->to, fault->to_count, "to", error) != 0)
        return -1;
    if (fault->effect == WIRE_LOSE && (fault->percent < 1 || fault->percent > 100))
        return error_set(error, "%d %% of the packets cannot be lost: 1 to 100 can",
                         fault->percent);
    if (fault->effect == WIRE_DELAY && (fault->delay_ns < 0 || fault->jitter_ns < 0))
        return error_set(error, "packets cannot be delayed by less than nothing");
    return 0;
}

static struct struck *find(struct wires *wires, int number, struct error *error)
{
    for (size_t i = 0; i < wires->count; i++) {
        if (wires->struck[i].number == number)
            return &wires->struck[i];
    }
    error_set(error, "no fault on wires has the number %d (struck so far: %d; in effect: %zu)",
              number, wires->last_number, wires->count);
    return NULL;
}

// --- faults --------------------------------------------------------------------------------------

static const char *name_chain(const struct wires *wires, int number, char *out)
{
    snprintf(out, WIRE_CHAIN_BYTES, "lockpick-%u-%d", wires->port, number);
    return out;
}

static int take_queue(struct wires *wires, const struct wire_fault *fault,
                      struct wire_detour *detour, struct error *error)
{
    if (wires->queues == NULL)
        wires->queues = wire_queues_open((uint16_t)wires->port, error);
    return wires->queues == NULL ? -1 : wire_queue_take(wires->queues, fault, detour, error);
}

int wires_strike(struct wires *wires, const struct wire_fault *fault, struct error *error)
{
    char chain[WIRE_CHAIN_BYTES];
    struct wire_detour detour = {0};
    struct struck struck = {.number = wires->last_number + 1, .effect = fault->effect, .place = -1};
    if (check(fault, error) != 0)
        return -1;
    if (wire_effect_queues(fault->effect)) {
        struck.place = take_queue(wires, fault, &detour, error);
        if (struck.place < 0)
            return -1;
    }
    if (wire_rules_set(fault, name_chain(wires, struck.number, chain), &detour, error) != 0) {
        if (struck.place >= 0)
            wire_queue_give_back(wires->queues, struck.place);
        return -1;
    }
    wires->last_number = struck.number;
    wires->struck = memory_resized(wires->struck, (wires->count + 1) * sizeof *wires->struck);
    wires->struck[wires->count++] = struck;
    return struck.number;
}

int64_t wires_packets(struct wires *wires, int number, struct error *error)
{
    char chain[WIRE_CHAIN_BYTES];
    const struct struck *struck = find(wires, number, error);
    return struck == NULL
               ? -1
               : wire_rules_packets(struck->effect, name_chain(wires, number, chain), error);
}

int wires_heal(struct wires *wires, int number, struct error *error)
{
    char chain[WIRE_CHAIN_BYTES];
    struct struck *struck = find(wires, number, error);
    if (struck == NULL)
        return -1;
    // Before the rules are removed: else packets that meet them no more would overtake.
    if (struck->place >= 0)
        wire_queue_release(wires->queues, struck->place);
    if (wire_rules_remove(struck->effect, name_chain(wires, number, chain), error) != 0)
        return -1;
    if (struck->place >= 0)
        wire_queue_give_back(wires->queues, struck->place);
    *struck = wires->struck[--wires->count];
    return 0;
}

// No fault needs the thread: without one, a process that forks is better off.
static void end_idle_queues(struct wires *wires)
{
    for (size_t i = 0; i < wires->count; i++) {
        if (wires->struck[i].place >= 0)
            return;
    }
    wire_queues_close(wires->queues);
    wires->queues = NULL;
}

const char *wires_means(struct wires *wires, enum wire_effect effect, struct error *why)
{
    static const char *const nobody[] = {"192.0.2.1"}; // RFC 5737: for examples only
    static const char *const nobody_else[] = {"192.0.2.2"};
    struct wire_fault fault = {.effect = effect,
                               .from = nobody,
                               .from_count = 1,
                               .to = nobody_else,
                               .to_count = 1,
                               .percent = 50};
    if (!wires->tried[effect]) {
        int number = wires_strike(wires, &fault, why);
        wires->tried[effect] = number > 0 && wires_heal(wires, number, why) == 0;
        end_idle_queues(wires);
    }
    if (!wires->tried[effect])
        return NULL;
    return wire_effect_queues(effect) ? "a queue in user space" : "nftables";
}
