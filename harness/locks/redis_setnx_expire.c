// SETNX, then the expiry in a second command: a crash between the two leaves a lock without expiry.
#include "harness/locks/redis_common.h"

// SETNX L v; if 1, PEXPIRE L lease.
static enum outcome try_acquire(struct lock *lock, struct grant *grant)
{
    struct redis_answer answer;
    enum outcome outcome = redis_setnx(lock, grant);
    if (outcome != OUTCOME_OK)
        return outcome;
    // Held from here on, whatever becomes of the expiry: without it the lock only lives longer.
    grant->valid_until_ns = lease_ends_ns(lock);
    outcome = REDIS_ASK(lock, &answer, "PEXPIRE %s %lld", lease_ms(lock));
    return outcome == OUTCOME_BROKEN ? OUTCOME_BROKEN : OUTCOME_OK;
}

const struct lock_scheme redis_setnx_expire_scheme = {
    .name = "redis-setnx-expire",
    .summary = "SETNX, then PEXPIRE; DEL to release",
    .breaks = "a crash between the two commands: nobody is ever granted again",
    .traits = LOCK_TRAITS("exclusive", "lease", "redis"),
    .rights = REDIS_KEYS "+setnx +pexpire +del",
    REDIS_SCHEME,
    .try_acquire = try_acquire,
    .release = redis_release_unchecked,
};
