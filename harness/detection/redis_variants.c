#include "harness/detection/redis_variants.h"

int sound_open(struct lock *lock, struct error *error)
{
    return redis_set_px_lua_scheme.open(lock, error);
}

enum outcome sound_try_acquire(struct lock *lock, struct grant *grant)
{
    return redis_set_px_lua_scheme.try_acquire(lock, grant);
}

enum outcome acquire_by(struct lock *lock, struct grant *grant, const char *format, int64_t number)
{
    struct redis_answer answer;
    const char *token = redis_new_token(lock);
    grant->valid_until_ns = lease_ends_ns(lock);
    enum outcome outcome = redis_request(redis_of(lock), &answer, format, lock->options.name, token,
                                         (long long)number);
    if (outcome == OUTCOME_UNKNOWN)
        return redis_release_checked(lock) == RELEASE_RELEASED ? OUTCOME_NO : OUTCOME_UNKNOWN;
    if (outcome == OUTCOME_OK && answer.kind == REDIS_NIL)
        return OUTCOME_NO;
    return redis_outcome(lock, outcome);
}
