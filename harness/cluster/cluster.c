#include "harness/cluster/cluster.h"

#include "harness/base/clock.h"
#include "harness/base/file.h"
#include "harness/cluster/process.h"
#include "harness/cluster/server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define PORT_ATTEMPTS 5
#define BOOT_LIMIT_NS (20 * NS_PER_S)

// A port that was free a moment ago: the kernel's choice.
static int free_port(void)
{
    int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    int port = -1;
    if (descriptor >= 0 && bind(descriptor, (struct sockaddr *)&address, length) == 0 &&
        getsockname(descriptor, (struct sockaddr *)&address, &length) == 0)
        port = ntohs(address.sin_port);
    if (descriptor >= 0)
        close(descriptor);
    return port;
}

static int lay_wires(struct cluster *cluster, int serial, struct error *error)
{
    struct network_end *ends = memory_zeroed((size_t)cluster->count, sizeof *ends);
    int result = 0;
    if (cluster->isolation == ISOLATION_NAMESPACES)
        result = network_build(ends, cluster->count, serial, error);
    for (int i = 0; result == 0 && i < cluster->count; i++) {
        struct node *node = &cluster->nodes[i];
        if (cluster->isolation == ISOLATION_LOOPBACK) {
            node->end = (struct network_end){.network_namespace = -1, .address = "127.0.0.1"};
            node->port = node->kind != NULL ? free_port() : 0;
        } else {
            node->end = ends[i];
            node->port = node->kind != NULL ? node->kind->port : 0;
        }
    }
    free(ends);
    return result;
}

static void quote_log(const struct node *node, struct error *error)
{
    char *path = path_join(node->folder, "server.log");
    struct text log = {0};
    if (file_read(path, &log, NULL) == 0 && log.length > 0) {
        size_t from = log.length > 400 ? log.length - 400 : 0;
        error_set(error, "%s on %s:%d ended while it started; the end of %s:\n%s",
                  node->kind->program, node->end.address, node->port, path, log.bytes + from);
    } else {
        error_set(error, "%s on %s:%d ended while it started, without a word in %s",
                  node->kind->program, node->end.address, node->port, path);
    }
    text_free(&log);
    free(path);
}

static int wait_until_ready(struct node *node, struct error *error)
{
    int64_t give_up_ns = clock_monotonic_ns() + BOOT_LIMIT_NS;
    for (;;) {
        int state = node->kind->ready(node, error);
        if (waitpid(node->server, NULL, WNOHANG) == node->server) {
            node->server = 0;
            quote_log(node, error);
            return -1;
        }
        if (state <= 0)
            return state;
        if (clock_monotonic_ns() > give_up_ns)
            return error_set(error, "%s on %s:%d did not answer within %d s of its start",
                             node->kind->program, node->end.address, node->port,
                             (int)(BOOT_LIMIT_NS / NS_PER_S));
        clock_sleep_until_ns(clock_monotonic_ns() + NS_PER_MS);
    }
}

static int start_server(struct node *node, struct error *error)
{
    node->server = node->kind->start(node, error);
    if (node->server > 0)
        return 0;
    node->server = 0;
    return error_wrap(error, "%s (Debian package %s)", node->name, node->kind->package);
}

// On loopback somebody else may take the port that was free a moment ago: then another one is
// tried.
static int bring_up(struct node *node, enum isolation isolation, struct error *error)
{
    int attempts = isolation == ISOLATION_LOOPBACK ? PORT_ATTEMPTS : 1;
    for (int attempt = 1;; attempt++) {
        if (wait_until_ready(node, error) == 0)
            return 0;
        if (node->server != 0 || attempt == attempts)
            return -1;
        node->port = free_port();
        if (start_server(node, error) != 0)
            return -1;
    }
}

static int start_servers(struct cluster *cluster, const char *folder, struct error *error)
{
    int result = 0;
    for (int i = 0; result == 0 && i < cluster->count; i++) {
        struct node *node = &cluster->nodes[i];
        if (node->kind == NULL)
            continue;
        node->folder = path_join(folder, node->name);
        result = folder_make(node->folder, error) != 0 ? -1 : start_server(node, error);
    }
    for (int i = 0; result == 0 && i < cluster->count; i++) {
        if (cluster->nodes[i].kind != NULL)
            result = bring_up(&cluster->nodes[i], cluster->isolation, error);
    }
    return result;
}

int cluster_open(struct cluster *cluster, enum isolation isolation,
                 const struct node_settings *settings, int count, const char *folder, int serial,
                 struct error *error)
{
    *cluster = (struct cluster){.isolation = isolation, .count = count};
    cluster->nodes = memory_zeroed((size_t)count, sizeof *cluster->nodes);
    for (int i = 0; i < count; i++) {
        struct node *node = &cluster->nodes[i];
        memcpy(node->name, settings[i].name, sizeof node->name);
        node->kind = settings[i].kind;
        node->processor = settings[i].processor;
        node->end.network_namespace = -1;
    }
    if (lay_wires(cluster, serial, error) == 0 && start_servers(cluster, folder, error) == 0)
        return 0;
    cluster_close(cluster);
    return -1;
}

int cluster_check_servers(struct cluster *cluster, struct error *error)
{
    for (int i = 0; i < cluster->count; i++) {
        struct node *node = &cluster->nodes[i];
        int status;
        if (node->server <= 0 || waitpid(node->server, &status, WNOHANG) != node->server)
            continue;
        node->server = 0;
        return error_set(error, "%s ended by %s %d, which no fault asked for; see %s/server.log",
                         node->name, WIFSIGNALED(status) ? "signal" : "exit status",
                         WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status),
                         node->folder);
    }
    return 0;
}

void cluster_close(struct cluster *cluster)
{
    for (int i = 0; i < cluster->count; i++) {
        process_kill(cluster->nodes[i].server);
        network_remove(&cluster->nodes[i].end, 1);
        free(cluster->nodes[i].folder);
    }
    free(cluster->nodes);
    *cluster = (struct cluster){0};
}

struct node *cluster_node(const struct cluster *cluster, const char *name)
{
    for (int i = 0; i < cluster->count; i++) {
        if (strcmp(cluster->nodes[i].name, name) == 0)
            return &cluster->nodes[i];
    }
    return NULL;
}
