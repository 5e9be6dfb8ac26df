// SETNX without expiry: exclusive, but a crashed holder holds for ever.
#include "harness/locks/redis_common.h"

const struct lock_scheme redis_setnx_scheme = {
    .name = "redis-setnx",
    .summary = "SETNX without expiry; DEL to release",
    .breaks = "a crash of the holder: nobody is ever granted again",
    .traits = LOCK_TRAITS("exclusive", "redis"),
    .rights = REDIS_KEYS "+setnx +del",
    REDIS_SCHEME,
    .try_acquire = redis_setnx,
    .release = redis_release_unchecked,
};
