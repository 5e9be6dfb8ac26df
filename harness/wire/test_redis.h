// For tests: a connection to Redis servers that belong together, and what strikes them. Each test
// file has one set of servers at a time.
#ifndef LOCKPICK_WIRE_TEST_REDIS_H
#define LOCKPICK_WIRE_TEST_REDIS_H

#include "harness/cluster/session.h"
#include "harness/cluster/test_process_control.h"
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

static struct fixture fixture;
static struct redis_answer answer; // to the last request

// The request ends so; its message has that in it.
#define EXPECT(wanted, ...)                                                                        \
    assert_int_equal(redis_request(fixture.connection, &answer, __VA_ARGS__), wanted)
#define EXPECT_ERROR(text) assert_non_null(strstr(client_error(fixture.connection), text))

// Another connection to the service.
static inline struct redis_connection *connect_another(const struct service *service)
{
    struct error error = {0};
    struct redis_connection *connection = redis_open(service, REQUEST_NS, &fixture.actor, &error);
    if (connection == NULL)
        fail_msg("%s", error.text);
    return connection;
}

static inline int connect_fixture(void)
{
    struct error error = {0};
    fixture.board = (struct point_board){0};
    fixture.actor =
        (struct actor){.client = 1, .worker = 1, .phase = PHASE_NONE, .board = &fixture.board};
    fixture.connection = redis_open(&fixture.server.service, REQUEST_NS, &fixture.actor, &error);
    if (fixture.connection == NULL)
        fprintf(stderr, "%s\n", error.text);
    return fixture.connection == NULL ? -1 : 0;
}

static inline int start_topology(const char *topology)
{
    fixture = (struct fixture){0};
    return test_servers_open(&fixture.server, "redis", topology, true) != 0 ? -1
                                                                            : connect_fixture();
}

#define START(topology)                                                                            \
    static inline int start_##topology(void **state)                                               \
    {                                                                                              \
        (void)state;                                                                               \
        return start_topology(#topology);                                                          \
    }
START(single)
START(sentinel)
START(cluster)
START(independent)

static inline int stop(void **state)
{
    (void)state;
    redis_close(fixture.connection);
    test_server_stop(&fixture.server);
    return 0;
}

static inline struct node *node_of(const char *name)
{
    struct node *node = cluster_node(&fixture.server.cluster, name);
    assert_non_null(node);
    return node;
}

static inline bool answers(const struct node *node, const char *requests, const char *expected)
{
    AUTO_TEXT struct text text = {0};
    server_ask(node, requests, &text, NULL);
    bool found = strstr(text_string(&text), expected) != NULL;
    return found;
}

// Sets the key until that is OK; before, each outcome must be one of a server that is not there.
// Returns the first outcome.
static inline enum outcome set_until_ok(const char *key)
{
    enum outcome first =
        redis_request(fixture.connection, &answer, "SET %s before-the-failover", key);
    int64_t give_up_ns = clock_monotonic_ns() + PATIENCE_NS;
    while (redis_request(fixture.connection, &answer, "SET %s value", key) != OUTCOME_OK) {
        assert_true(clock_monotonic_ns() < give_up_ns);
        assert_int_not_equal(client_error(fixture.connection)[0], '\0');
        clock_sleep_until_ns(clock_monotonic_ns() + 5 * NS_PER_MS);
    }
    return first;
}

#endif
