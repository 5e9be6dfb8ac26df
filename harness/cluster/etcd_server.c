#include "harness/cluster/etcd_server.h"

#include "harness/base/text.h"
#include "harness/cluster/etcd_control.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

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
                                     node->group->nodes[0].folder,
                                     "--log-level",
                                     "warn",
                                     NULL};
    pid_t id = server_run(node, arguments, false, error);
    text_free(&peers);
    return id;
}

// Reads what a request brings until `wanted` is in it. True if it came.
static bool brings(const struct node *node, const char *request, const char *wanted)
{
    char answer[8192];
    size_t length = 0;
    int descriptor = server_connect(node);
    bool found = false;
    if (descriptor < 0)
        return false;
    ssize_t got = write(descriptor, request, strlen(request));
    while (!found && got > 0 && length < sizeof answer - 1) {
        got = read(descriptor, answer + length, sizeof answer - 1 - length);
        length += got > 0 ? (size_t)got : 0;
        answer[length] = '\0';
        found = strstr(answer, wanted) != NULL;
    }
    close(descriptor);
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
    .program = "etcd",
    .package = "etcd-server",
    .port = 2379,
    .extra_ports = 1,
    .boot_limit_s = 60,
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
};
