// Redis servers whose memory is full, with real locks of all schemes of Redis on them.
#include "harness/base/clock.h"
#include "harness/cluster/redis_control.h"
#include "harness/cluster/redis_server.h"
#include "harness/locks/catalogue.h"
#include "harness/locks/test_locks.h"
#include "harness/testing/test.h"

#include <hiredis/hiredis.h>
#include <pthread.h>
#include <stdatomic.h>

#define PATIENCE_NS (20 * NS_PER_S)

static const struct contract contracts[] = {
    {.server = "redis"},
    {.server = "redis", .topology = "sentinel", .schemes = "redis-wait"},
    {.server = "redis", .topology = "independent"},
    {.server = "redis", .topology = "cluster", .schemes = "redisson"},
};

static struct fixture fixture;

static void start(const struct contract *contract)
{
    fixture = (struct fixture){0};
    assert_int_equal(fixture_start(&fixture, contract), 0);
}

static const struct node *node_of(int number)
{
    return &fixture.server.cluster.nodes[number - 1];
}

static void must_answer(const struct node *node, const char *requests, const char *expected)
{
    struct text text = {0};
    int result = redis_tell(node, requests, &text);
    if (result != 0 || strstr(text.bytes, expected) == NULL)
        fail_msg("%s answers\n%s\nto\n%s", node->name, text_string(&text), requests);
    text_free(&text);
}

static struct lock_identity identity_of(const struct lock_scheme *scheme)
{
    return (struct lock_identity){.name = fixture.name, .tag = fixture.tag, .scheme = scheme->name};
}

static int has_lock(const struct node *node, const struct lock_scheme *scheme)
{
    struct error error = {0};
    struct lock_identity lock = identity_of(scheme);
    int has = redis_control.has_lock(node, &lock, &error);
    if (has < 0)
        fail_msg("%s: %s", scheme->name, error.text);
    return has;
}

// Evicts to the end.
static int evict(const struct node *node, const struct lock_identity *lock, const char *policy,
                 struct error *error)
{
    int64_t give_up_ns = clock_monotonic_ns() + PATIENCE_NS;
    int state;
    while ((state = redis_control.evict(node, lock, policy, error)) == 1) {
        if (clock_monotonic_ns() > give_up_ns)
            fail_msg("%s never evicts the lock of %s", policy, lock->scheme);
    }
    return state;
}

static void relieve(const struct node *node)
{
    struct error error = {0};
    if (redis_control.relieve(node, &error) != 0)
        fail_msg("%s", error.text);
    must_answer(node, "SCAN 0 MATCH lockpick-filler:* COUNT 10000", "$1\r\n0\r\n*0\r\n");
    must_answer(node, "CONFIG GET maxmemory", "$1\r\n0\r\n");
    must_answer(node, "CONFIG GET maxmemory-policy", "noeviction");
}

static bool can_evict(const struct lock_scheme *scheme, const char *policy)
{
    bool expires = lock_scheme_has(scheme, "lease") &&
                   strcmp(scheme->name, "redis-setnx-getset") != 0; // whose key stays
    return expires || strncmp(policy, "volatile", 8) != 0;
}

static void evict_from(const struct lock_scheme *scheme, const char *policy)
{
    struct grant grant = {0};
    struct error error = {0};
    open_scheme(&fixture, scheme, false);
    struct lock_identity lock = identity_of(scheme);
    must_answer(node_of(1), "SET account 7", "+OK");
    assert_int_equal(acquire(&fixture, 0, &grant), OUTCOME_OK);
    int state = evict(node_of(1), &lock, policy, &error);
    if (state == 0 && !can_evict(scheme, policy))
        fail_msg("%s has evicted the lock of %s", policy, scheme->name);
    if (state != 0 && can_evict(scheme, policy))
        fail_msg("%s of %s: %s", policy, scheme->name, error.text);
    if (state == 0)
        assert_int_equal(has_lock(node_of(1), scheme), 0);
    else
        assert_non_null(strstr(error.text, "no time to live"));
    // Of all other keys only chance would take one.
    if (strcmp(policy, "allkeys-random") != 0)
        must_answer(node_of(1), "GET account", "$1\r\n7\r\n");
    relieve(node_of(1));
    close_scheme(&fixture);
    must_answer(node_of(1), "FLUSHALL", "+OK");
}

TEST(each_policy_evicts_the_lock_of_each_scheme_that_it_may_take)
{
    const struct lock_scheme *scheme;
    struct error ignored;
    start(&contracts[0]);
    for (int i = 0; (scheme = fixture_scheme(&fixture, i)) != NULL; i++) {
        if (scheme->is_possible != NULL && !scheme->is_possible(&fixture.server.service, &ignored))
            continue;
        for (size_t j = 0; redis_control.policies[j] != NULL; j++) {
            if (strcmp(redis_control.policies[j], "noeviction") != 0)
                evict_from(scheme, redis_control.policies[j]);
        }
    }
    fixture_stop(&fixture);
}

TEST(each_schemes_lock_is_seen_as_long_as_it_is_held)
{
    struct error ignored;
    for (size_t c = 0; c < sizeof contracts / sizeof *contracts; c++) {
        const struct lock_scheme *scheme;
        int seen = 0;
        start(&contracts[c]);
        for (int i = 0; (scheme = fixture_scheme(&fixture, i)) != NULL; i++) {
            if (scheme->is_possible != NULL &&
                !scheme->is_possible(&fixture.server.service, &ignored))
                continue;
            struct grant grant = {0};
            int held = 0;
            int free = 0;
            open_scheme(&fixture, scheme, lock_scheme_has(scheme, "fenced"));
            assert_int_equal(acquire(&fixture, 0, &grant), OUTCOME_OK);
            for (int n = 1; n <= fixture.server.service.server_count; n++)
                held += has_lock(node_of(n), scheme);
            lock_release(&fixture.locks[0]);
            for (int n = 1; n <= fixture.server.service.server_count; n++)
                free += !has_lock(node_of(n), scheme);
            if (held == 0 || free < fixture.server.service.server_count / 2 + 1)
                fail_msg("%s: %d have it, then %d have not", scheme->name, held, free);
            close_scheme(&fixture);
            seen++;
        }
        assert_true(seen > 0);
        fixture_stop(&fixture);
    }
}

// --- while others want the lock ------------------------------------------------------------------

static _Atomic bool over;

static void *want_the_lock(void *context)
{
    const struct node *node = context;
    redisContext *client = redisConnect(node->end.address, node->port);
    while (client != NULL && client->err == 0 && !atomic_load(&over))
        freeReplyObject(redisCommand(client, "SET %s other NX PX 60000", fixture.name));
    if (client != NULL)
        redisFree(client);
    return NULL;
}

// They make it the freshest key of all, again and again.
TEST(those_who_wait_for_the_lock_do_not_keep_it_there)
{
    pthread_t thread;
    struct error error = {0};
    struct node *node;
    start(&contracts[0]);
    node = &fixture.server.cluster.nodes[0];
    snprintf(fixture.tag, sizeof fixture.tag, "t1");
    snprintf(fixture.name, sizeof fixture.name, "lockpick:{t1}:lock");
    struct lock_identity lock = {fixture.name, fixture.tag, "redis-set-px-lua"};
    atomic_store(&over, false);
    must_answer(node, "SET account 7\r\nSET lockpick:{t1}:lock mine PX 60000", "+OK");
    assert_int_equal(pthread_create(&thread, NULL, want_the_lock, node), 0);
    for (int round = 0; round < 20; round++) {
        if (evict(node, &lock, "allkeys-lru", &error) != 0)
            fail_msg("%s", error.text);
        must_answer(node, "GET account", "$1\r\n7\r\n");
        relieve(node);
        int64_t give_up_ns = clock_monotonic_ns() + PATIENCE_NS;
        while (redis_control.has_lock(node, &lock, &error) != 1)
            assert_true(clock_monotonic_ns() < give_up_ns);
        must_answer(node, "GET lockpick:{t1}:lock", "other");
    }
    atomic_store(&over, true);
    pthread_join(thread, NULL);
    fixture_stop(&fixture);
}

// --- what cannot be evicted ----------------------------------------------------------------------

TEST(what_is_not_there_is_not_evicted)
{
    struct error error = {0};
    struct lock_identity lock = {"lockpick:{t1}:lock", "t1", "redis-set-px-lua"};
    start(&contracts[1]);
    must_answer(node_of(1), "SET account 7", "+OK");
    assert_int_equal(evict(node_of(1), &lock, NULL, &error), EVICTION_TOO_LATE);
    assert_non_null(strstr(error.text, "does not have the lock"));
    must_answer(node_of(1), "CONFIG GET maxmemory", "$1\r\n0\r\n");
    must_answer(node_of(1), "SET lockpick:{t1}:lock me PX 60000\r\nWAIT 2 5000", ":2");
    assert_int_equal(evict(node_of(2), &lock, NULL, &error), -1);
    assert_non_null(strstr(error.text, "is a replica"));
    assert_int_equal(evict(node_of(1), &lock, "allkeys-lfu", &error), -1);
    // Released before the memory is full.
    must_answer(node_of(1), "CONFIG SET maxmemory 1gb", "+OK");
    must_answer(node_of(1), "CONFIG RESETSTAT\r\nDEL lockpick:{t1}:lock", ":1");
    assert_int_equal(evict(node_of(1), &lock, NULL, &error), EVICTION_TOO_LATE);
    assert_non_null(strstr(error.text, "gone before the memory"));
    relieve(node_of(1));
    must_answer(node_of(1), "GET account", "$1\r\n7\r\n");
    fixture_stop(&fixture);
}

// The memory is full already, and keys go for its sake all the time.
TEST(a_second_lock_that_was_released_was_not_evicted)
{
    struct error error = {0};
    struct lock_identity lock = {"lockpick:{t1}:lock", "t1", "redis-set-px-lua"};
    struct lock_identity second = {"lockpick:{t2}:lock", "t2", "redis-set-px-lua"};
    start(&contracts[0]);
    must_answer(node_of(1), "SET lockpick:{t1}:lock me PX 60000", "+OK");
    assert_int_equal(evict(node_of(1), &lock, NULL, &error), EVICTION_DONE);
    assert_int_equal(evict(node_of(1), &second, NULL, &error), EVICTION_TOO_LATE);
    must_answer(node_of(1), "SET lockpick:{t2}:lock me PX 60000", "+OK");
    if (evict(node_of(1), &second, NULL, &error) != EVICTION_DONE)
        fail_msg("%s", error.text);
    relieve(node_of(1));
    fixture_stop(&fixture);
}

TEST(an_eviction_reaches_the_replicas)
{
    struct error error = {0};
    struct lock_identity lock = {"lockpick:{t1}:lock", "t1", "redis-set-px-lua"};
    start(&contracts[1]);
    must_answer(node_of(1), "SET lockpick:{t1}:lock me PX 60000\r\nWAIT 2 5000", ":2");
    if (evict(node_of(1), &lock, "volatile-lru", &error) != 0)
        fail_msg("%s", error.text);
    int64_t give_up_ns = clock_monotonic_ns() + PATIENCE_NS;
    while (redis_control.has_lock(node_of(3), &lock, &error) != 0)
        assert_true(clock_monotonic_ns() < give_up_ns);
    relieve(node_of(1));
    fixture_stop(&fixture);
}

TEST(without_eviction_writes_are_refused_and_the_lock_stays)
{
    struct error error = {0};
    struct lock_identity lock = {"lockpick:{t1}:lock", "t1", "redis-set-px-lua"};
    start(&contracts[0]);
    must_answer(node_of(1), "SET lockpick:{t1}:lock me PX 60000", "+OK");
    if (evict(node_of(1), &lock, "noeviction", &error) != 0)
        fail_msg("%s", error.text);
    must_answer(node_of(1), "SET other 1", "-OOM");
    assert_int_equal(redis_control.has_lock(node_of(1), &lock, &error), 1);
    relieve(node_of(1));
    must_answer(node_of(1), "SET other 1", "+OK");
    fixture_stop(&fixture);
}
