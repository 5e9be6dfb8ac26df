// SETNX and PEXPIRE in one script, which makes them one step; released by a script that compares
// and deletes. The same promise as SET NX PX.
#include "harness/locks/redis_common.h"

static const struct redis_script acquire_script = {
    "if redis.call('SETNX', KEYS[1], ARGV[1]) == 1 then "
    "redis.call('PEXPIRE', KEYS[1], ARGV[2]) return 1 "
    "else return 0 end"};

// The script: 1 held, 0 busy.
static enum outcome try_acquire(struct lock *lock, struct grant *grant)
{
    int64_t held;
    return redis_acquire_by_script(lock, grant, &acquire_script, NULL, &held);
}

const struct lock_scheme redis_lua_scheme = {
    .name = "redis-lua",
    .summary = "SETNX and PEXPIRE in one script; another compares and deletes to release",
    .breaks = "a hold longer than the lease; failover, restart, eviction",
    .traits = LOCK_TRAITS("redis", "exclusive", "lease", "owner-checked"),
    .rights = REDIS_CHECKED_RIGHTS "+setnx +pexpire",
    REDIS_SCHEME,
    .kind = (const struct redis_script *const[]){&redis_compare_and_delete, &acquire_script, NULL},
    .try_acquire = try_acquire,
    .recover = redis_release_checked,
    .release = redis_release_checked,
};
