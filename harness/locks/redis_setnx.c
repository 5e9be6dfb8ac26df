// SETNX without expiry: exclusive, but a crashed holder holds for ever.
#include "harness/locks/redis_common.h"

static enum outcome try_acquire(struct lock *lock, struct grant *grant)
{
    (void)grant;
    return redis_setnx(lock);
}

const struct lock_scheme redis_setnx_scheme = {
    .name = "redis-setnx",
    .summary = "SETNX without expiry; DEL to release",
    .breaks = "a crash of the holder: nobody is ever granted again",
    .traits = LOCK_TRAITS("exclusive", "redis"),
    REDIS_SCHEME,
    .try_acquire = try_acquire,
    .release = redis_release_unchecked,
};
