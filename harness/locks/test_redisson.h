// For tests of the Redisson schemes: what is on their server, and threads that wait to be woken.
#ifndef LOCKPICK_LOCKS_TEST_REDISSON_H
#define LOCKPICK_LOCKS_TEST_REDISSON_H

#include "harness/locks/redisson_common.h"
#include "harness/locks/test_redis.h"

#define LONG_NS (20 * NS_PER_S) // a wait that only a wake-up can end in time

#define REDISSON_CONTRACT REDIS_CONTRACT, .schemes = "redisson*"

// What a command answers for any key.
static inline int64_t probe(struct fixture *fixture, const char *command, const char *key)
{
    struct redis_answer answer;
    char format[64];
    snprintf(format, sizeof format, "%s %%s", command);
    assert_int_equal(redis_request(fixture->probe, &answer, format, key), OUTCOME_OK);
    return answer.integer;
}

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

// Waits until so many workers of the lock's client wait to be woken.
static inline void await_waiters(const struct lock *lock, size_t count)
{
    AWAIT(redis_subscriber_waiters(redisson_client_of(lock)->subscriber,
                                   redisson_of(lock)->words[WORD_OWN_CHANNEL]) == count);
}

// "prefix:<the lock's name>"
static inline const char *key_of(struct fixture *fixture, const char *prefix)
{
    static char key[128];
    snprintf(key, sizeof key, "%s:%s", prefix, fixture->name);
    return key;
}

// The key of a reader's nth hold, who reads alone.
static inline const char *hold_of_reader(struct fixture *fixture, int nth)
{
    static char key[320];
    struct redis_answer holder =
        look(fixture, "return redis.call('HKEYS', KEYS[1])[2]", fixture->name);
    snprintf(key, sizeof key, "%s:%s:rwlock_timeout:%d", fixture->name, holder.text, nth);
    return key;
}

// An acquire of worker 2, until its second attempt, with a subscription, was refused, and it stands
// still.
static inline void begin_to_wait_and_stop(struct fixture *fixture, struct act *act, int64_t wait_ns)
{
    const struct point_match attempt = {
        .side = POINT_AFTER, .what = "EVAL", .phase = PHASE_ACQUIRE};
    const struct point_trap *trap = set_trap(fixture, 1, 2, 1, attempt, 2);
    begin_to_wait(act, &fixture->locks[1], wait_ns);
    await_reached(trap);
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
    neighbour->lock = (struct lock){.client = &fixture->clients[client],
                                    .actor = &neighbour->actor,
                                    .random = &neighbour->random};
    assert_int_equal(lock_open(&neighbour->lock, &error), 0);
}

#endif
