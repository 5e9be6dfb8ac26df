#include "harness/cluster/topology.h"

#include "harness/cluster/etcd_server.h"
#include "harness/cluster/mysql_topology.h"
#include "harness/cluster/redis_topology.h"
#include "harness/cluster/server.h"
#include "harness/cluster/zookeeper_server.h"

#include <stdio.h>
#include <string.h>

// One server, of any kind.
#define SINGLE(kind)                                                                               \
    {                                                                                              \
        .name = "single", .server = kind, .summary = "one server", .least = 1, .most = 1,          \
        .usual = 1                                                                                 \
    }

static const struct topology redis_single = SINGLE("redis");
static const struct topology redis_independent = {
    .name = "independent",
    .server = "redis",
    .summary = "servers that know nothing of each other",
    .least = 1,
    .most = MAX_SERVERS,
    .usual = 5,
    .by_majority = true,
};

static const struct topology zookeeper_single = SINGLE("zookeeper");
static const struct topology etcd_single = SINGLE("etcd");
static const struct topology memcached_single = SINGLE("memcached");
static const struct topology mysql_single = SINGLE("mysql");
static const struct topology postgres_single = SINGLE("postgres");

const struct topology *const topology_catalogue[] = {
    &redis_single,
    &redis_independent,
    &redis_sentinel_topology,
    &redis_cluster_topology,
    &zookeeper_single,
    &zookeeper_ensemble,
    &etcd_single,
    &etcd_ensemble,
    &memcached_single,
    &mysql_single,
    &mysql_replica_topology,
    &mysql_semi_sync_topology,
    &mysql_galera_topology,
    &postgres_single,
    NULL,
};

const struct topology *topology_find(const char *server, const char *name)
{
    for (size_t i = 0; topology_catalogue[i] != NULL; i++) {
        const struct topology *topology = topology_catalogue[i];
        if (strcmp(topology->server, server) == 0 &&
            (name == NULL || strcmp(topology->name, name) == 0))
            return topology;
    }
    return NULL;
}

static int plan_members(const struct group_settings *settings, struct node_settings *nodes)
{
    for (int i = 0; i < settings->count; i++) {
        nodes[i].kind = server_kind_find(settings->topology->server);
        nodes[i].role = "member";
        nodes[i].number = i + 1;
        snprintf(nodes[i].name, sizeof nodes[i].name, "%s-%d", settings->name, i + 1);
    }
    return settings->count;
}

int topology_plan(const struct group_settings *settings, struct node_settings *nodes)
{
    return settings->topology->plan != NULL ? settings->topology->plan(settings, nodes)
                                            : plan_members(settings, nodes);
}

void group_describe(const struct server_group *group, struct service *service)
{
    const struct topology *topology = group->settings.topology;
    *service = (struct service){0};
    snprintf(service->kind, sizeof service->kind, "%s", topology->server);
    snprintf(service->topology, sizeof service->topology, "%s", topology->name);
    for (int i = 0; i < group->count; i++) {
        const struct node *node = &group->nodes[i];
        bool is_sentinel = strcmp(node->role, "sentinel") == 0;
        struct endpoint *endpoint = is_sentinel ? &service->sentinels[service->sentinel_count++]
                                                : &service->servers[service->server_count++];
        snprintf(endpoint->host, sizeof endpoint->host, "%s", node->end.address);
        endpoint->port = node->port;
    }
}
