// SETNX, then the expiry in a second command: a crash between the two leaves a lock without expiry.
#include "harness/locks/redis_common.h"

// SETNX L v; if 1, PEXPIRE L lease.
static enum outcome try_acquire(struct lock *lock, struct grant *grant)
{
    struct redis_answer answer;
    enum outcome outcome = redis_outcome(
        lock, redis_request(redis_of(lock), &answer, "SETNX %s 1", lock->options.name));
    if (outcome != OUTCOME_OK)
        return outcome;
    if (answer.integer != 1)
        return OUTCOME_NO;
    // Held from here on, whatever becomes of the expiry: without it the lock only lives longer.
    grant->valid_until_ns = lease_ends_ns(lock);
    outcome = redis_request(redis_of(lock), &answer, "PEXPIRE %s %lld", lock->options.name,
                            lease_ms(lock));
    return redis_outcome(lock, outcome) == OUTCOME_BROKEN ? OUTCOME_BROKEN : OUTCOME_OK;
}

static const char *const traits[] = {"exclusive", "lease", "redis", NULL};

const struct lock_scheme redis_setnx_expire_scheme = {
    .name = "redis-setnx-expire",
    .summary = "SETNX, then PEXPIRE; DEL to release",
    .breaks = "a crash between the two commands: nobody is ever granted again",
    .traits = traits,
    .server = "redis",
    .topologies = redis_topologies,
    .open = redis_lock_open,
    .close = redis_lock_close,
    .try_acquire = try_acquire,
    .release = redis_release_unchecked,
};
