#include "harness/detection/redis_variants.h"

enum outcome sound_try_acquire(struct lock *lock, struct grant *grant)
{
    return redis_set_px_lua_scheme.try_acquire(lock, grant);
}
