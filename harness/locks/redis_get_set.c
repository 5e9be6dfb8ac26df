// Check, then set: two clients may both see that nobody holds the lock.
#include "harness/locks/redis_common.h"

// GET L; if there is nothing, SET L.
static enum outcome try_acquire(struct lock *lock, struct grant *grant)
{
    struct redis_answer answer;
    enum outcome outcome = redis_read_outcome(
        lock, redis_request(redis_of(lock), &answer, "GET %s", lock->options.name));
    if (outcome != OUTCOME_OK)
        return outcome;
    if (answer.kind != REDIS_NIL)
        return OUTCOME_NO;
    grant->valid_until_ns = TIME_NEVER;
    return redis_outcome(lock,
                         redis_request(redis_of(lock), &answer, "SET %s 1", lock->options.name));
}

static const char *const traits[] = {"redis", NULL};

const struct lock_scheme redis_get_set_scheme = {
    .name = "redis-get-set",
    .summary = "GET, and if there is nothing SET; DEL to release",
    .breaks = "plain contention: two clients see nothing, both set",
    .traits = traits,
    .server = "redis",
    .topologies = redis_topologies,
    .open = redis_lock_open,
    .close = redis_lock_close,
    .try_acquire = try_acquire,
    .release = redis_release_unchecked,
};
