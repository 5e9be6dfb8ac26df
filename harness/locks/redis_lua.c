// SETNX and PEXPIRE in one script, which makes them one step; released by a script that compares
// and deletes. The same promise as SET NX PX.
#include "harness/locks/redis_common.h"

#include <stdio.h>

static const struct redis_script acquire_script = {
    "if redis.call('SETNX', KEYS[1], ARGV[1]) == 1 then "
    "redis.call('PEXPIRE', KEYS[1], ARGV[2]) return 1 "
    "else return 0 end"};

static int open_lock(struct lock *lock, struct error *error)
{
    if (redis_lock_open_checked(lock, error) != 0)
        return -1;
    return redis_script_load(redis_of(lock), &acquire_script, error);
}

// The script: 1 held, 0 busy.
static enum outcome try_acquire(struct lock *lock, struct grant *grant)
{
    char lease[24];
    snprintf(lease, sizeof lease, "%lld", lease_ms(lock));
    const char *const keys[] = {lock->options.name, NULL};
    const char *const arguments[] = {redis_new_token(lock), lease, NULL};
    struct redis_answer answer;
    grant->valid_until_ns = lease_ends_ns(lock);
    enum outcome outcome = redis_eval(redis_of(lock), &answer, &acquire_script, keys, arguments);
    // No answer: the lock may be ours. If it is, give it back, and it was certainly not held.
    if (outcome == OUTCOME_UNKNOWN)
        return redis_release_checked(lock) == RELEASE_RELEASED ? OUTCOME_NO : OUTCOME_UNKNOWN;
    if (outcome == OUTCOME_OK && answer.integer == 0)
        return OUTCOME_NO;
    return redis_outcome(lock, outcome);
}

const struct lock_scheme redis_lua_scheme = {
    .name = "redis-lua",
    .summary = "SETNX and PEXPIRE in one script; another compares and deletes to release",
    .breaks = "a hold longer than the lease; failover, restart, eviction",
    .traits = (const char *const[]){"redis", "exclusive", "lease", "owner-checked", NULL},
    .server = "redis",
    .topologies = redis_topologies,
    .open = open_lock,
    .close = redis_lock_close,
    .try_acquire = try_acquire,
    .release = redis_release_checked,
};
