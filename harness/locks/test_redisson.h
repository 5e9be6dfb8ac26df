// For tests of the Redisson schemes: a real Redis, a connection past all schemes, and threads that
// acquire.
#ifndef LOCKPICK_LOCKS_TEST_REDISSON_H
#define LOCKPICK_LOCKS_TEST_REDISSON_H

#include "harness/locks/redisson_common.h"
#include "harness/locks/test_contract.h"
#include "harness/wire/redis.h"

#define PATIENCE_NS (10 * NS_PER_S)
#define LONG_NS (20 * NS_PER_S) // a wait that only a wake-up can end in time

static inline struct redis_answer probe(struct fixture *fixture, const char *command,
                                        const char *argument)
{
    char format[64];
    struct redis_answer answer;
    snprintf(format, sizeof format, "%s %%s", command);
    assert_int_equal(redis_request(fixture->probe, &answer, format, argument), OUTCOME_OK);
    return answer;
}

// A semaphore's permits have no owner: all that can be done is to make one.
static inline bool redisson_test_evict(struct fixture *fixture, const struct lock_scheme *scheme)
{
    if (lock_scheme_has(scheme, "permits"))
        probe(fixture, "INCR", fixture->name);
    else
        probe(fixture, "DEL", fixture->name);
    return true;
}

static inline int64_t redisson_test_lease_left_ms(struct fixture *fixture,
                                                  const struct lock_scheme *scheme)
{
    (void)scheme;
    return probe(fixture, "PTTL", fixture->name).integer;
}

static inline void *redisson_test_probe(const struct service *service, struct error *error)
{
    static struct actor nobody = {.phase = PHASE_NONE};
    return redis_open(service, NS_PER_S, &nobody, error);
}

static inline void redisson_test_end(void *probe)
{
    redis_close(probe);
}

#define REDISSON_CONTRACT                                                                          \
    .server = "redis", .schemes = "redisson*", .open_probe = redisson_test_probe,                  \
    .close_probe = redisson_test_end

// What a script that looks at the key says: text or number.
static inline struct redis_answer look(struct fixture *fixture, const char *script, const char *key)
{
    const struct redis_script whole = {script};
    const char *const keys[] = {key, NULL};
    const char *const nothing[] = {NULL};
    struct redis_answer answer;
    assert_int_equal(redis_eval(fixture->probe, &answer, &whole, keys, nothing), OUTCOME_OK);
    return answer;
}

// Waits until the command answers that number for the key.
static inline void await(struct fixture *fixture, const char *command, const char *key,
                         int64_t number)
{
    int64_t until_ns = clock_monotonic_ns() + PATIENCE_NS;
    while (probe(fixture, command, key).integer != number) {
        if (clock_monotonic_ns() >= until_ns)
            fail_msg("%s %s is not %lld", command, key, (long long)number);
        clock_sleep_until_ns(clock_monotonic_ns() + NS_PER_MS);
    }
}

// Waits until so many workers of the lock's client wait to be woken.
static inline void await_waiters(const struct lock *lock, size_t count)
{
    int64_t until_ns = clock_monotonic_ns() + PATIENCE_NS;
    while (redis_subscriber_waiters(redisson_client_of(lock)->subscriber,
                                    redisson_of(lock)->words[WORD_OWN_CHANNEL]) != count) {
        assert_true(clock_monotonic_ns() < until_ns);
        clock_sleep_until_ns(clock_monotonic_ns() + NS_PER_MS);
    }
}

// "prefix:<the lock's name>"
static inline const char *key_of(struct fixture *fixture, const char *prefix)
{
    static char key[128];
    snprintf(key, sizeof key, "%s:%s", prefix, fixture->name);
    return key;
}

// Opens a scheme for the next lock, with this lease.
static inline void open_with_lease(struct fixture *fixture, const struct lock_scheme *scheme,
                                   int64_t lease_ns)
{
    struct lock_options options = next_lock(fixture, true);
    options.lease_ns = lease_ns;
    open_scheme_with(fixture, scheme, &options);
}

// --- threads that wait ---------------------------------------------------------------------------

struct waiter {
    struct lock *lock;
    struct grant grant;
    enum outcome outcome;
    _Atomic int *granted; // how many were granted before; NULL: keep what is granted
    int turn;
    pthread_t thread;
};

static inline void *wait_for_lock(void *context)
{
    struct waiter *waiter = context;
    waiter->outcome = lock_acquire(waiter->lock, &waiter->grant);
    if (waiter->granted == NULL || waiter->outcome != OUTCOME_OK)
        return NULL;
    waiter->turn = atomic_fetch_add(waiter->granted, 1);
    lock_release(waiter->lock);
    return NULL;
}

static inline void begin_to_wait(struct waiter *waiter, struct lock *lock, int64_t wait_ns)
{
    waiter->lock = lock;
    lock->options.wait_ns = wait_ns;
    assert_int_equal(pthread_create(&waiter->thread, NULL, wait_for_lock, waiter), 0);
}

static inline enum outcome end_of(struct waiter *waiter)
{
    pthread_join(waiter->thread, NULL);
    return waiter->outcome;
}

// The same until its second attempt, with a subscription, was refused, and the waiter stands still.
static inline void begin_to_wait_and_stop(struct fixture *fixture, struct waiter *waiter,
                                          int64_t wait_ns)
{
    struct point_trap *trap = &fixture->board.traps[1];
    trap->client = 2;
    trap->worker = 1;
    trap->match_count = 1;
    trap->matches[0] =
        (struct point_match){.side = POINT_AFTER, .what = "EVAL", .phase = PHASE_ACQUIRE};
    trap->nth = 2;
    point_arm(&fixture->board, trap);
    begin_to_wait(waiter, &fixture->locks[1], wait_ns);
    int64_t until_ns = clock_monotonic_ns() + PATIENCE_NS;
    while (atomic_load(&trap->state) != POINT_REACHED) {
        assert_true(clock_monotonic_ns() < until_ns);
        clock_sleep_until_ns(clock_monotonic_ns() + 50 * NS_PER_US);
    }
}

static inline void go_on(struct fixture *fixture)
{
    point_let_go(&fixture->board, &fixture->board.traps[1]);
}

// A further worker of a client.
struct neighbour {
    struct actor actor;
    struct random random;
    struct lock lock;
};

static inline void open_neighbour(struct fixture *fixture, struct neighbour *neighbour, int client)
{
    struct error error;
    neighbour->actor = (struct actor){.client = client + 1, .worker = 2, .phase = PHASE_NONE};
    random_start(&neighbour->random, 7, 99);
    neighbour->lock = (struct lock){.scheme = fixture->locks[client].scheme,
                                    .options = fixture->locks[client].options,
                                    .actor = &neighbour->actor,
                                    .random = &neighbour->random,
                                    .service = fixture->locks[client].service,
                                    .client = &fixture->clients[client],
                                    .stop = &fixture->stop};
    assert_int_equal(lock_open(&neighbour->lock, &error), 0);
}

#endif
