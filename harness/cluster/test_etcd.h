// For tests of etcd servers: clients of theirs, past all that is tested.
#ifndef LOCKPICK_CLUSTER_TEST_ETCD_H
#define LOCKPICK_CLUSTER_TEST_ETCD_H

#include "harness/cluster/test_control.h"
#include "harness/wire/etcd.h"

#define ETCD_LOCK_NAME "lockpick:{t1}:lock"
#define ETCD_TTL_S 30

static const struct lock_identity etcd_test_lock = {
    .name = ETCD_LOCK_NAME, .tag = "t1", .scheme = "etcd-lease"};

// --- clients -------------------------------------------------------------------------------------

// A client of one server and no other; zero-initialise, and close with etcd_client_close.
struct etcd_test_client {
    struct service service;
    struct actor actor;
    struct etcd_connection *connection;
};

static inline void etcd_client_open(struct etcd_test_client *client, const struct node *node)
{
    struct error error = {0};
    client->service = (struct service){.server_count = 1};
    struct endpoint *endpoint = &client->service.servers[0];
    snprintf(endpoint->host, sizeof endpoint->host, "%s", node->end.address);
    endpoint->port = node->port;
    client->actor = (struct actor){.phase = PHASE_NONE};
    client->connection = etcd_open(&client->service, 5 * NS_PER_S, &client->actor, &error);
    if (client->connection == NULL)
        fail_msg("%s", error.text);
}

static inline void etcd_client_close(struct etcd_test_client *client)
{
    etcd_close(client->connection);
}

#define MUST_SUCCEED(client, request)                                                              \
    do {                                                                                           \
        if ((request) != OUTCOME_OK)                                                               \
            fail_msg("%s: %s", #request, client_error((client)->connection));                      \
    } while (0)

static inline int64_t etcd_have_lease(struct etcd_test_client *client)
{
    int64_t lease;
    MUST_SUCCEED(client, etcd_grant(client->connection, ETCD_TTL_S, &lease));
    return lease;
}

static inline enum outcome etcd_make(struct etcd_test_client *client, const char *key,
                                     int64_t lease)
{
    struct etcd_entry own, oldest;
    return etcd_create(client->connection, key, lease, ETCD_LOCK_NAME, &own, &oldest);
}

static inline void etcd_make_lock(const struct node *node)
{
    struct etcd_test_client client;
    etcd_client_open(&client, node);
    MUST_SUCCEED(&client, etcd_make(&client, ETCD_LOCK_NAME "/1", etcd_have_lease(&client)));
    etcd_client_close(&client);
}

#endif
