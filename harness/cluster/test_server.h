// For tests: one real server on loopback, in a folder that goes with it.
#ifndef LOCKPICK_CLUSTER_TEST_SERVER_H
#define LOCKPICK_CLUSTER_TEST_SERVER_H

#include "harness/base/test_folder.h"
#include "harness/cluster/cluster.h"
#include "harness/cluster/server.h"
#include "harness/wire/endpoint.h"

#include <stdio.h>
#include <stdlib.h>

struct test_server {
    struct cluster cluster;
    struct endpoint endpoint;
    char folder[64];
};

static inline int test_server_start(struct test_server *server, const char *kind)
{
    struct error error = {0};
    struct node_settings node = {
        .name = "server-1", .kind = server_kind_find(kind), .processor = -1};
    snprintf(server->folder, sizeof server->folder, "/tmp/lockpick-test-server-XXXXXX");
    if (test_folder_make(server->folder) != 0 ||
        cluster_open(&server->cluster, ISOLATION_LOOPBACK, &node, 1, server->folder, 1, &error) !=
            0) {
        fprintf(stderr, "%s\n", error.text);
        return -1;
    }
    snprintf(server->endpoint.host, sizeof server->endpoint.host, "%s",
             server->cluster.nodes[0].end.address);
    server->endpoint.port = server->cluster.nodes[0].port;
    return 0;
}

static inline void test_server_stop(struct test_server *server)
{
    cluster_close(&server->cluster);
    test_folder_remove(server->folder);
}

#endif
