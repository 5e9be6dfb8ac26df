#include "harness/cluster/etcd_server.h"

#include "harness/base/clock.h"
#include "harness/base/text.h"
#include "harness/cluster/conversation.h"
#include "harness/cluster/etcd_control.h"

#include <stdio.h>
#include <string.h>

// How often a leader is heard of, and how long it may be silent: half of what is usual, so that
// another one mostly leads within 0.7 s. No lease is shorter than one and a half times the latter,
// in whole seconds.
#define HEARTBEAT_MS "50"
#define ELECTION_MS "500"

// "redis-1=http://10.77.3.1:2380,..."
static void name_peers(const struct node *node, struct text *peers)
{
    const struct server_group *group = node->group;
    for (int i = 0; i < group->count; i++)
        text_format(peers, "%s%s=http://%s:%d", i > 0 ? "," : "", group->nodes[i].name,
                    group->nodes[i].end.address, group->nodes[i].extra_ports[0]);
}

static pid_t start(const struct node *node, struct error *error)
{
    struct text peers = {0};
    char clients_url[64];
    char peers_url[64];
    name_peers(node, &peers);
    snprintf(clients_url, sizeof clients_url, "http://%s:%d", node->end.address, node->port);
    snprintf(peers_url, sizeof peers_url, "http://%s:%d", node->end.address, node->extra_ports[0]);
    const char *const arguments[] = {"etcd",
                                     "--name",
                                     node->name,
                                     "--data-dir",
                                     "data",
                                     "--listen-client-urls",
                                     clients_url,
                                     "--advertise-client-urls",
                                     clients_url,
                                     "--listen-peer-urls",
                                     peers_url,
                                     "--initial-advertise-peer-urls",
                                     peers_url,
                                     "--initial-cluster",
                                     text_string(&peers),
                                     "--initial-cluster-token",
                                     node->group->nodes[0].home,
                                     "--heartbeat-interval",
                                     HEARTBEAT_MS,
                                     "--election-timeout",
                                     ELECTION_MS,
                                     "--log-level",
                                     "warn",
                                     NULL};
    pid_t id = server_run(node, arguments, false, error);
    text_free(&peers);
    return id;
}

// Whether the answer to a request has that in it.
static bool brings(const struct node *node, const char *request, const char *wanted)
{
    struct error ignored;
    struct text answer = {0};
    int64_t give_up_ns = clock_monotonic_ns() + NS_PER_S;
    converse(node, request, strlen(request), give_up_ns, &answer, &ignored);
    bool found = strstr(text_string(&answer), wanted) != NULL;
    text_free(&answer);
    return found;
}

// Healthy means that it has a leader. On a node of its own only ours can listen; on loopback a
// stranger may, but not under this name with this address of its own.
static int ready(const struct node *node, struct error *error)
{
    (void)error;
    char wanted[96];
    snprintf(wanted, sizeof wanted, "\"clientURLs\":[\"http://%s:%d\"]", node->end.address,
             node->port);
    return brings(node, "GET /health HTTP/1.0\r\n\r\n", "\"health\":\"true\"") &&
                   brings(node,
                          "POST /v3/cluster/member/list HTTP/1.0\r\nContent-Length: 2\r\n\r\n{}",
                          wanted)
               ? 0
               : 1;
}

const struct server_kind etcd_server = {
    .name = "etcd",
    // It raises short leases to whole seconds, and looks twice a second.
    .form = {.title = "etcd",
             .durability = {"etcd: log flushed at each write"},
             .late_expiry_ns = 2 * NS_PER_S},
    .program = "etcd",
    .package = "etcd-server",
    .port = 2379,
    .extra_ports = 1,
    .boot_limit_s = 60,
    .keeps_data = true,
    .start = start,
    .ready = ready,
    .control = &etcd_control,
};

const struct topology etcd_ensemble = {
    .name = "ensemble",
    .server = "etcd",
    .summary = "servers that agree on every write by majority",
    .least = 1,
    .most = 7,
    .usual = 3,
    .by_majority = true,
    .replicates = true,
};
