// Check, then set: two clients may both see that nobody holds the lock.
#include "harness/locks/redis_common.h"

// GET L; if there is nothing, SET L.
static enum outcome try_acquire(struct lock *lock, struct grant *grant)
{
    struct redis_answer answer;
    (void)grant;
    enum outcome outcome = redis_read(lock, &answer);
    if (outcome != OUTCOME_OK)
        return outcome;
    return answer.kind != REDIS_NIL ? OUTCOME_NO : REDIS_ASK(lock, &answer, "SET %s 1");
}

const struct lock_scheme redis_get_set_scheme = {
    .name = "redis-get-set",
    .summary = "GET, and if there is nothing SET; DEL to release",
    .breaks = "plain contention: two clients see nothing, both set",
    .traits = LOCK_TRAITS("redis"),
    .rights = REDIS_KEYS "+get +set +del",
    REDIS_SCHEME,
    .try_acquire = try_acquire,
    .release = redis_release_unchecked,
};
