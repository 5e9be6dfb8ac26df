// For tests of ZooKeeper servers: sessions of clients, past all that is tested.
#ifndef LOCKPICK_CLUSTER_TEST_ZOOKEEPER_H
#define LOCKPICK_CLUSTER_TEST_ZOOKEEPER_H

#include "harness/base/scope.h"
#include "harness/cluster/test_control.h"

#include <inttypes.h>
#include <stdatomic.h>

#define THREADED // the library that has threads of its own
#include <zookeeper/zookeeper.h>

#define SESSION_MS 4000 // the longest that our servers grant
#define FOLDER "/lockpick/t1"

static const struct lock_identity zookeeper_test_lock = {
    .name = "lockpick:{t1}:lock", .tag = "t1", .scheme = "zk-sequential"};

// --- clients -------------------------------------------------------------------------------------

// A session with servers; zero-initialise, and close with zookeeper_client_close.
struct zookeeper_client {
    zhandle_t *handle;
    atomic_int state;       // as the library has it
    atomic_int connections; // how often it was connected
};

static inline void zookeeper_client_hear(zhandle_t *handle, int type, int state, const char *path,
                                         void *context)
{
    struct zookeeper_client *client = context;
    (void)handle;
    (void)path;
    if (type != ZOO_SESSION_EVENT)
        return;
    atomic_store(&client->state, state);
    if (state == ZOO_CONNECTED_STATE)
        atomic_fetch_add(&client->connections, 1);
}

// Begins with the server `number`, and goes to the next ones when that one ends its connection.
static inline void zookeeper_client_open(struct zookeeper_client *client,
                                         struct test_server *server, int number)
{
    AUTO_TEXT struct text servers = {0};
    struct error error = {.text = "no connection"};
    for (int i = 0; i < server->cluster.count; i++) {
        const struct node *node = &server->cluster.nodes[(number - 1 + i) % server->cluster.count];
        text_format(&servers, "%s%s:%d", i > 0 ? "," : "", node->end.address, node->port);
    }
    zoo_set_debug_level((ZooLogLevel)0);
    zoo_deterministic_conn_order(1);
    client->handle = zookeeper_init(servers.bytes, zookeeper_client_hear, SESSION_MS, NULL, client,
                                    ZOO_NO_LOG_CLIENTENV);
    assert_non_null(client->handle);
    MUST_COME_TO_BE(ZOO_CONNECTED_STATE, atomic_load(&client->state));
}

static inline void zookeeper_client_close(struct zookeeper_client *client)
{
    zookeeper_close(client->handle);
}

// Makes a node that goes with the session, or a folder, which may be there.
static inline void zookeeper_make(struct zookeeper_client *client, const char *path, bool goes)
{
    int mode = goes ? ZOO_EPHEMERAL : ZOO_PERSISTENT;
    int result = zoo_create(client->handle, path, "", 0, &ZOO_OPEN_ACL_UNSAFE, mode, NULL, 0);
    if (result != ZOK && (result != ZNODEEXISTS || goes))
        fail_msg("%s is not made: %s", path, zerror(result));
}

static inline void make_lock_folder(struct zookeeper_client *client)
{
    zookeeper_make(client, "/lockpick", false);
    zookeeper_make(client, FOLDER, false);
}

// Asked over and over while there is no connection.
static inline bool is_there(struct zookeeper_client *client, const char *path)
{
    int result = ZCONNECTIONLOSS;
    int64_t give_up_ns = clock_monotonic_ns() + PATIENCE_NS;
    while (result != ZOK && result != ZNONODE) {
        result = zoo_exists(client->handle, path, 0, NULL);
        if (clock_monotonic_ns() > give_up_ns)
            fail_msg("nobody says whether %s is there: %s", path, zerror(result));
    }
    return result == ZOK;
}

// Where the client's connection to that server comes from; 0 if there is none.
static inline int port_of(struct zookeeper_client *client, const struct node *node)
{
    AUTO_TEXT struct text answer = {0};
    char session[32];
    int port = 0;
    snprintf(session, sizeof session, ",sid=0x%" PRIx64 ",",
             (uint64_t)zoo_client_id(client->handle)->client_id);
    server_ask(node, "cons", &answer, NULL);
    char *found = strstr(text_string(&answer), session);
    if (found != NULL) {
        *found = '\0';
        char *line = strrchr(answer.bytes, '/');
        assert_non_null(line);
        assert_int_equal(sscanf(line, "/%*[^:]:%d[", &port), 1);
    }
    return port;
}

#endif
