// For tests of the Redisson schemes: a real Redis, a connection past all schemes, and threads that
// acquire.
#ifndef LOCKPICK_LOCKS_TEST_REDISSON_H
#define LOCKPICK_LOCKS_TEST_REDISSON_H

#include "harness/locks/test_contract.h"

#include "harness/wire/redis.h"

#define PATIENCE_NS (10 * NS_PER_S)

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

static inline int redisson_test_start(struct fixture *fixture, const struct contract *contract)
{
    static struct actor nobody = {.phase = PHASE_NONE};
    struct error error = {0};
    if (fixture_start(fixture, contract) != 0)
        return -1;
    fixture->probe = redis_open(&fixture->server.service, NS_PER_S, &nobody, &error);
    return fixture->probe == NULL ? -1 : 0;
}

static inline int redisson_test_stop(void **state)
{
    struct fixture *fixture = *state;
    redis_close(fixture->probe);
    fixture_stop(fixture);
    return 0;
}

#endif
