// For tests: a connection to Redis servers that belong together, and what strikes them.
#ifndef LOCKPICK_WIRE_TEST_REDIS_H
#define LOCKPICK_WIRE_TEST_REDIS_H

#include "harness/cluster/redis_server.h"
#include "harness/cluster/test_outage.h"
#include "harness/cluster/test_server.h"
#include "harness/testing/test.h"
#include "harness/wire/redis.h"

#define REQUEST_NS (300 * NS_PER_MS)

struct fixture {
    struct test_server server;
    struct point_board board;
    struct actor actor;
    struct redis_connection *connection;
};

static inline int connect_fixture(struct fixture *fixture)
{
    struct error error = {0};
    fixture->board = (struct point_board){0};
    fixture->actor =
        (struct actor){.client = 1, .worker = 1, .phase = PHASE_NONE, .board = &fixture->board};
    fixture->connection = redis_open(&fixture->server.service, REQUEST_NS, &fixture->actor, &error);
    if (fixture->connection == NULL)
        fprintf(stderr, "%s\n", error.text);
    return fixture->connection == NULL ? -1 : 0;
}

static inline int start_fixture(struct fixture *fixture, const char *topology)
{
    *fixture = (struct fixture){0};
    if (test_servers_open(&fixture->server, "redis", topology, true) != 0)
        return -1;
    return connect_fixture(fixture);
}

static inline int stop(void **state)
{
    struct fixture *fixture = *state;
    redis_close(fixture->connection);
    test_server_stop(&fixture->server);
    return 0;
}

static inline struct node *node_of(struct fixture *fixture, const char *name)
{
    struct node *node = cluster_node(&fixture->server.cluster, name);
    assert_non_null(node);
    return node;
}

static inline bool answers(const struct node *node, const char *requests, const char *expected)
{
    struct text text = {0};
    bool found = redis_tell(node, requests, &text) == 0 && strstr(text.bytes, expected) != NULL;
    text_free(&text);
    return found;
}

// Sets the key until that is OK; before, each outcome must be one of a server that is not there.
// Returns the first outcome.
static inline enum outcome set_until_ok(struct fixture *fixture, const char *key)
{
    struct redis_answer answer;
    enum outcome first =
        redis_request(fixture->connection, &answer, "SET %s before-the-failover", key);
    int64_t give_up_ns = clock_monotonic_ns() + PATIENCE_NS;
    while (redis_request(fixture->connection, &answer, "SET %s value", key) != OUTCOME_OK) {
        assert_true(clock_monotonic_ns() < give_up_ns);
        assert_int_not_equal(redis_error(fixture->connection)[0], '\0');
        clock_sleep_until_ns(clock_monotonic_ns() + 5 * NS_PER_MS);
    }
    return first;
}

#endif
