// For tests of the schemes on Redis: a connection past all schemes.
#ifndef LOCKPICK_LOCKS_TEST_REDIS_H
#define LOCKPICK_LOCKS_TEST_REDIS_H

#include "harness/cluster/session.h"
#include "harness/locks/test_contract.h"
#include "harness/wire/redis.h"

// A command about the lock's key, `format` has its place.
static inline struct redis_answer ask_of(struct fixture *fixture, const char *format,
                                         const char *key)
{
    struct redis_answer answer;
    assert_int_equal(redis_request(fixture->probe, &answer, format, key), OUTCOME_OK);
    return answer;
}

static inline struct redis_answer ask(struct fixture *fixture, const char *format)
{
    return ask_of(fixture, format, fixture->name);
}

// Nothing but its worker gives back what a queue without leases has given out. That of a lease is
// the key of the only job's lock.
static inline bool is_kept_for_good(const struct lock_scheme *scheme)
{
    return lock_scheme_has(scheme, "job-queue") && !lock_scheme_has(scheme, "lease");
}

static inline struct redis_answer ask_lease(struct fixture *fixture,
                                            const struct lock_scheme *scheme, const char *format)
{
    char key[80];
    snprintf(key, sizeof key, lock_scheme_has(scheme, "job-queue") ? "%s:active:1" : "%s",
             fixture->name);
    return ask_of(fixture, format, key);
}

// A semaphore's permits have no owner: all that can be done is to make one.
static inline bool evict(struct fixture *fixture, const struct lock_scheme *scheme)
{
    if (is_kept_for_good(scheme))
        return false;
    ask_lease(fixture, scheme, lock_scheme_has(scheme, "permits") ? "INCR %s" : "DEL %s");
    return true;
}

// The value of redis-setnx-getset is the time of its end, by a clock that is ours too.
static inline int64_t lease_left_ms(struct fixture *fixture, const struct lock_scheme *scheme)
{
    if (is_kept_for_good(scheme))
        return -1;
    return IS("redis-setnx-getset") ? strtoll(ask(fixture, "GET %s").text, NULL, 10) -
                                          clock_monotonic_ns() / NS_PER_MS - 1
                                    : ask_lease(fixture, scheme, "PTTL %s").integer;
}

#define REDIS_CONTRACT                                                                             \
    .server = "redis", .probe = &redis_connector, .evict = evict, .lease_left_ms = lease_left_ms

// As start_contract, but that a server stands still for a while, or the whole machine, is no reason
// to promote a replica.
static inline int start_calmly(void **state, const struct contract *contract)
{
    static const char be_calm[] = "SENTINEL SET " SENTINEL_MASTER " down-after-milliseconds 60000"
                                  "\r\nCONFIG SET cluster-node-timeout 60000";
    if (start_contract(state, contract) != 0)
        return -1;
    const struct fixture *fixture = *state;
    for (int i = 0; i < fixture->server.cluster.count; i++) {
        struct text answers = {0};
        server_ask(&fixture->server.cluster.nodes[i], be_calm, &answers, NULL); // one of the two
        bool is_calm = strstr(text_string(&answers), "+OK") != NULL;
        text_free(&answers);
        if (!is_calm)
            return -1;
    }
    return 0;
}

static inline void signal_replicas(const struct fixture *fixture, int number)
{
    for (int i = 0; i < fixture->server.cluster.count; i++) {
        const struct node *node = &fixture->server.cluster.nodes[i];
        if (strcmp(node->role, "replica") == 0)
            signal_server(node, number);
    }
}

#endif
