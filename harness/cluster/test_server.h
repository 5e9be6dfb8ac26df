// For tests: real servers on loopback (or in namespaces, for what runs in a sandbox), in a folder
// that goes with them.
#ifndef LOCKPICK_CLUSTER_TEST_SERVER_H
#define LOCKPICK_CLUSTER_TEST_SERVER_H

#include "harness/base/clock.h"
#include "harness/base/custom_server.h"
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

// One group of servers.
struct test_group {
    const char *kind;
    const char *topology; // NULL: the usual one
    int count;            // 0: as many as is usual
    enum persistence persistence;
    const struct custom_server *custom; // of kind "custom"
    bool in_namespaces, open_to_all, shiftable_clock,
        hindered_disk; // as in struct cluster_settings
};

#define TEST_LIST(...) ((const char *const[]){__VA_ARGS__, NULL})
#define TEST_NONE ((const char *const[]){NULL})

// A server of a scenario's own: the lock service of scripts/drivers.
static const struct custom_server test_custom_server = {
    .command = TEST_LIST("/usr/bin/python3", "lock-service.py", "--listen", "{address}:{port}",
                         "--data", "{data}", "--sync"),
    .environment = TEST_NONE,
    .folder = "scripts/drivers",
    .peer = "{address}:{peer-port}",
    .ready_path = "/health",
    .ready_command = TEST_NONE,
    .ready_status = 200,
    .boot_ns = 60 * NS_PER_S,
    .leads = TEST_NONE,
    .protocol = "http"};

// 0, or -1 with `error` set and nothing left behind.
static inline int test_group_open(struct test_server *server, struct test_group wanted,
                                  struct error *error)
{
    static int serial;
    struct group_settings group = {.name = "server",
                                   .topology = topology_find(wanted.kind, wanted.topology),
                                   .persistence = wanted.persistence,
                                   .custom = wanted.custom,
                                   .shiftable_clock = wanted.shiftable_clock,
                                   .hindered_disk = wanted.hindered_disk};
    if (server_kind_find(wanted.kind)->form.is_custom && wanted.custom == NULL)
        group.custom = &test_custom_server;
    *server = (struct test_server){.folder = "/tmp/lockpick-test-server-XXXXXX"};
    if (group.topology == NULL)
        return error_set(error, "%s has no such topology", wanted.kind);
    group.count = wanted.count > 0 ? wanted.count : group.topology->form.usual;
    if (test_folder_make(server->folder) != 0)
        return error_set(error, "cannot make %s", server->folder);
    enum isolation isolation = wanted.in_namespaces ? ISOLATION_NAMESPACES : ISOLATION_LOOPBACK;
    serial++;
    struct cluster_settings settings = {.isolation = isolation,
                                        .groups = &group,
                                        .group_count = 1,
                                        .folder = server->folder,
                                        .serial = serial,
                                        .open_to_all = wanted.open_to_all};
    if (cluster_open(&server->cluster, &settings, error) != 0) {
        test_folder_remove(server->folder);
        return -1;
    }
    group_describe(&server->cluster.groups[0], &server->service);
    return 0;
}

// 0, or -1 after a message.
static inline int test_group_start(struct test_server *server, struct test_group wanted)
{
    struct error error = {0};
    int result = test_group_open(server, wanted, &error);
    if (result != 0)
        fprintf(stderr, "%s\n", error.text);
    return result;
}

static inline int test_servers_open(struct test_server *server, const char *kind,
                                    const char *topology, bool open_to_all)
{
    return test_group_start(
        server,
        (struct test_group){.kind = kind, .topology = topology, .open_to_all = open_to_all});
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

// One server of it, from 0, as if it were the only one.
static inline struct service test_service_of_one(const struct service *service, int server)
{
    struct service one = *service;
    strcpy(one.topology, "single");
    one.servers[0] = service->servers[server];
    one.server_count = 1;
    return one;
}

static inline void test_server_stop(struct test_server *server)
{
    cluster_close(&server->cluster);
    test_folder_remove(server->folder);
}

#endif
