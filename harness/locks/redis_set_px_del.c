// SET NX PX with a constant value: set and expire are one, but anybody's DEL removes the lock.
#include "harness/locks/redis_common.h"

// SET L 1 NX PX lease: OK held, nil busy.
static enum outcome try_acquire(struct lock *lock, struct grant *grant)
{
    struct redis_answer answer;
    grant->valid_until_ns = lease_ends_ns(lock);
    enum outcome outcome = REDIS_ASK(lock, &answer, "SET %s 1 NX PX %lld", lease_ms(lock));
    return outcome == OUTCOME_OK && answer.kind == REDIS_NIL ? OUTCOME_NO : outcome;
}

const struct lock_scheme redis_set_px_del_scheme = {
    .name = "redis-set-px-del",
    .summary = "SET NX PX with a constant value; DEL to release",
    .breaks = "a hold longer than the lease: its release deletes another's lock",
    .traits = LOCK_TRAITS("exclusive", "lease", "redis"),
    .rights = REDIS_KEYS "+set +del",
    REDIS_SCHEME,
    .try_acquire = try_acquire,
    .release = redis_release_unchecked,
};
