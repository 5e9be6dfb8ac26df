// SET NX PX with a token, released by a script that compares and deletes in one step: the right way
// to lock with one Redis. With `fenced: true` each grant carries a fencing token.
#include "harness/locks/redis_common.h"

#include <stdio.h>

static const struct redis_script acquire_fenced = {
    "if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then "
    "return redis.call('INCR', KEYS[2]) "
    "else return 0 end"};

static int open_lock(struct lock *lock, struct error *error)
{
    if (redis_lock_open_checked(lock, error) != 0)
        return -1;
    return lock->options.fenced ? redis_script_load(redis_of(lock), &acquire_fenced, error) : 0;
}

// As redis_set_if_absent, and a counter raised in the same step: its value is the fencing token.
static enum outcome set_if_absent_and_count(struct lock *lock, const char *token, int64_t *fence)
{
    char counter[64];
    char lease[24];
    snprintf(counter, sizeof counter, "%s:fence", lock->options.name);
    snprintf(lease, sizeof lease, "%lld", lease_ms(lock));
    const char *const keys[] = {lock->options.name, counter, NULL};
    const char *const arguments[] = {token, lease, NULL};
    struct redis_answer answer;
    enum outcome outcome = redis_eval(redis_of(lock), &answer, &acquire_fenced, keys, arguments);
    if (outcome == OUTCOME_OK && answer.integer == 0)
        return OUTCOME_NO;
    *fence = outcome == OUTCOME_OK ? answer.integer : 0;
    return outcome;
}

static enum outcome try_acquire(struct lock *lock, struct grant *grant)
{
    const char *token = redis_new_token(lock);
    grant->valid_until_ns = lease_ends_ns(lock);
    enum outcome outcome = lock->options.fenced
                               ? set_if_absent_and_count(lock, token, &grant->token)
                               : redis_set_if_absent(lock, token);
    // No answer: the lock may be ours. If it is, give it back, and it was certainly not held.
    if (outcome == OUTCOME_UNKNOWN)
        return redis_release_checked(lock) == RELEASE_RELEASED ? OUTCOME_NO : OUTCOME_UNKNOWN;
    return redis_outcome(lock, outcome);
}

static const char *const traits[] = {"exclusive", "lease", "owner-checked",
                                     "fenced",    "redis", NULL};

const struct lock_scheme redis_set_px_lua_scheme = {
    .name = "redis-set-px-lua",
    .summary = "SET NX PX with a token; a script compares and deletes to release",
    .breaks = "a hold longer than the lease, unless the store checks its fencing token",
    .traits = traits,
    .server = "redis",
    .topologies = redis_topologies,
    .open = open_lock,
    .close = redis_lock_close,
    .try_acquire = try_acquire,
    .release = redis_release_checked,
};
