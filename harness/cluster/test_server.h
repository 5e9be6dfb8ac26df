// For tests: real servers on loopback, in a folder that goes with them.
#ifndef LOCKPICK_CLUSTER_TEST_SERVER_H
#define LOCKPICK_CLUSTER_TEST_SERVER_H

#include "harness/base/test_folder.h"
#include "harness/cluster/cluster.h"
#include "harness/cluster/server.h"
#include "harness/cluster/topology.h"

#include <stdio.h>
#include <stdlib.h>

struct test_server {
    struct cluster cluster;
    struct service service;
    char folder[64];
};

// Starts servers of that kind in that topology (NULL: single), as many as is usual. `open_to_all`
// as in struct cluster_settings.
static inline int test_servers_open(struct test_server *server, const char *kind,
                                    const char *topology, bool open_to_all)
{
    struct error error = {0};
    struct group_settings group = {.name = "server", .topology = topology_find(kind, topology)};
    if (group.topology == NULL) {
        fprintf(stderr, "no topology %s of %s\n", topology, kind);
        return -1;
    }
    group.count = group.topology->usual;
    snprintf(server->folder, sizeof server->folder, "/tmp/lockpick-test-server-XXXXXX");
    if (test_folder_make(server->folder) != 0)
        return -1;
    struct cluster_settings settings = {.isolation = ISOLATION_LOOPBACK,
                                        .groups = &group,
                                        .group_count = 1,
                                        .folder = server->folder,
                                        .serial = 1,
                                        .open_to_all = open_to_all};
    if (cluster_open(&server->cluster, &settings, &error) != 0) {
        fprintf(stderr, "%s\n", error.text);
        return -1;
    }
    group_describe(&server->cluster.groups[0], &server->service);
    return 0;
}

static inline int test_servers_start(struct test_server *server, const char *kind,
                                     const char *topology)
{
    return test_servers_open(server, kind, topology, false);
}

static inline int test_server_start(struct test_server *server, const char *kind)
{
    return test_servers_start(server, kind, "single");
}

static inline void test_server_stop(struct test_server *server)
{
    cluster_close(&server->cluster);
    test_folder_remove(server->folder);
}

#endif
