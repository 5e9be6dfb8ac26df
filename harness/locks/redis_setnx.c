// SETNX without expiry: exclusive, but a crashed holder holds for ever.
#include "harness/locks/redis_common.h"

// SETNX L v: 1 held, 0 busy.
static enum outcome try_acquire(struct lock *lock, struct grant *grant)
{
    struct redis_answer answer;
    grant->valid_until_ns = TIME_NEVER;
    enum outcome outcome = redis_outcome(
        lock, redis_request(redis_of(lock), &answer, "SETNX %s 1", lock->options.name));
    if (outcome != OUTCOME_OK)
        return outcome;
    return answer.integer == 1 ? OUTCOME_OK : OUTCOME_NO;
}

static const char *const traits[] = {"exclusive", "redis", NULL};

const struct lock_scheme redis_setnx_scheme = {
    .name = "redis-setnx",
    .summary = "SETNX without expiry; DEL to release",
    .breaks = "a crash of the holder: nobody is ever granted again",
    .traits = traits,
    .server = "redis",
    .topologies = redis_topologies,
    .open = redis_lock_open,
    .close = redis_lock_close,
    .try_acquire = try_acquire,
    .release = redis_release_unchecked,
};
