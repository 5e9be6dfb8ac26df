// For tests of what can be done to Redis servers: groups of real ones on loopback, asked past all
// that is tested.
#ifndef LOCKPICK_CLUSTER_TEST_REDIS_CONTROL_H
#define LOCKPICK_CLUSTER_TEST_REDIS_CONTROL_H

#include "harness/base/clock.h"
#include "harness/cluster/outage.h"
#include "harness/cluster/redis_control.h"
#include "harness/cluster/redis_server.h"
#include "harness/cluster/test_server.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define PATIENCE_NS (30 * NS_PER_S) // long, even on a busy machine

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

// Fails the test with the error if `result` is not what it must be.
#define MUST_BE(expected, result)                                                                  \
    do {                                                                                           \
        error = (struct error){0};                                                                 \
        int was = (result);                                                                        \
        if (was != (expected))                                                                     \
            fail_msg("%s is %d: %s", #result, was, error.text);                                    \
    } while (0)

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
    int64_t give_up_ns = clock_monotonic_ns() + PATIENCE_NS;
    while (redis_control.leads(node, &error) != expected) {
        if (clock_monotonic_ns() > give_up_ns)
            fail_msg("leads(%s) never is %d: %s", node->name, expected, error.text);
        clock_sleep_until_ns(clock_monotonic_ns() + 5 * NS_PER_MS);
    }
}

static inline void kill_redis(struct node *node)
{
    struct error error = {0};
    MUST_BE(0, outage_kill(node, &error));
}

static inline void restart_redis(struct node *node, enum loss loss)
{
    struct error error = {0};
    int64_t give_up_ns = clock_monotonic_ns() + PATIENCE_NS;
    int state;
    MUST_BE(0, outage_restart(node, loss, &error));
    while ((state = outage_is_over(node, &error)) == 1 && clock_monotonic_ns() < give_up_ns)
        clock_sleep_until_ns(clock_monotonic_ns() + NS_PER_MS);
    if (state != 0)
        fail_msg("%d: %s", state, error.text);
}

#endif
