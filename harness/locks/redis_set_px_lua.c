// SET NX PX with a token, released by a script that compares and deletes in one step: the right way
// to lock with one Redis. With `fenced: true` each grant carries a fencing token.
#include "harness/locks/redis_common.h"

#include <stdio.h>

// The same, and a counter raised in the same step: its value is the fencing token. 0: busy.
static const struct redis_script acquire_fenced = {
    "if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then "
    "return redis.call('INCR', KEYS[2]) "
    "else return 0 end"};

static enum outcome try_acquire(struct lock *lock, struct grant *grant)
{
    char counter[64];
    if (!lock->options.fenced)
        return redis_set_token(lock, grant);
    snprintf(counter, sizeof counter, "%s:fence", lock->options.name);
    return redis_acquire_by_script(lock, grant, &acquire_fenced, counter, &grant->token);
}

const struct lock_scheme redis_set_px_lua_scheme = {
    .name = "redis-set-px-lua",
    .summary = "SET NX PX with a token; a script compares and deletes to release",
    .breaks = "a hold longer than the lease, unless the store checks its fencing token",
    .traits = LOCK_TRAITS("exclusive", "lease", "owner-checked", "fenced", "redis"),
    .rights = REDIS_CHECKED_RIGHTS "+set +incr",
    REDIS_SCHEME,
    .kind = (const struct redis_script *const[]){&redis_compare_and_delete, &acquire_fenced, NULL},
    .try_acquire = try_acquire,
    .recover = redis_release_checked,
    .release = redis_release_checked,
};
