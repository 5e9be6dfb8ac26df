// For tests of what can be done to Redis servers: groups of real ones on loopback, asked past all
// that is tested.
#ifndef LOCKPICK_CLUSTER_TEST_REDIS_CONTROL_H
#define LOCKPICK_CLUSTER_TEST_REDIS_CONTROL_H

#include "harness/cluster/redis_control.h"
#include "harness/cluster/redis_server.h"
#include "harness/cluster/test_outage.h"
#include "harness/cluster/test_server.h"
#include "harness/testing/test.h"

static const struct lock_identity test_lock = {
    .name = "lockpick:{t1}:lock", .tag = "t1", .scheme = "redis-set-px-lua"};

static inline void start_redis(struct test_server *server, const char *topology, int count,
                               enum persistence persistence)
{
    struct error error = {0};
    struct group_settings group = {.name = "redis",
                                   .topology = topology_find("redis", topology),
                                   .count = count,
                                   .persistence = persistence};
    *server = (struct test_server){.folder = "/tmp/lockpick-redis-control-XXXXXX"};
    assert_int_equal(test_folder_make(server->folder), 0);
    struct cluster_settings settings = {.isolation = ISOLATION_LOOPBACK,
                                        .groups = &group,
                                        .group_count = 1,
                                        .folder = server->folder,
                                        .serial = 1};
    if (cluster_open(&server->cluster, &settings, &error) != 0)
        fail_msg("%s", error.text);
}

static inline struct node *redis_node(struct test_server *server, int number)
{
    return &server->cluster.nodes[number - 1];
}

// Whether the answers to these requests, one a line, hold that.
static inline bool answers(const struct node *node, const char *requests, const char *expected)
{
    struct text text = {0};
    bool found = redis_tell(node, requests, &text) == 0 && strstr(text.bytes, expected) != NULL;
    text_free(&text);
    return found;
}

static inline void must_answer(const struct node *node, const char *requests, const char *expected)
{
    struct text text = {0};
    int result = redis_tell(node, requests, &text);
    if (result != 0 || strstr(text.bytes, expected) == NULL)
        fail_msg("%s answers\n%s\nto\n%s", node->name, text_string(&text), requests);
    text_free(&text);
}

static inline void must_come_to_answer(const struct node *node, const char *requests,
                                       const char *expected)
{
    int64_t give_up_ns = clock_monotonic_ns() + PATIENCE_NS;
    while (!answers(node, requests, expected) && clock_monotonic_ns() < give_up_ns)
        clock_sleep_until_ns(clock_monotonic_ns() + 5 * NS_PER_MS);
    must_answer(node, requests, expected);
}

// Waits until `leads` says that of the node.
static inline void await_leads(const struct node *node, int expected)
{
    struct error error = {0};
    MUST_COME_TO_BE(expected, redis_control.leads(node, &error));
}

#endif
