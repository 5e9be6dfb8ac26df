// Mistakes in the acquire of a lock of Redis.
#include "harness/detection/redis_variants.h"

// --- outcomes ------------------------------------------------------------------------------------

static enum outcome acquire_hopefully(struct lock *lock, struct grant *grant)
{
    enum outcome outcome = redis_set_token(lock, grant);
    return outcome == OUTCOME_UNKNOWN ? OUTCOME_OK : outcome; // the mistake
}

const struct lock_scheme unknown_is_ok_variant = {
    .name = "broken-redis-unknown-is-ok",
    .summary = "an acquire that was not answered counts as granted",
    .breaks = "a lost request",
    VARIANT_OF_REDIS,
    WITHOUT_TOKENS,
    .try_acquire = acquire_hopefully,
    .release = redis_release_checked,
};

static enum outcome acquire_sometimes(struct lock *lock, struct grant *grant)
{
    enum outcome outcome = sound_try_acquire(lock, grant);
    bool errs = outcome == OUTCOME_NO && random_below(lock->random, 1000) == 0;
    return errs ? OUTCOME_OK : outcome;
}

const struct lock_scheme one_in_a_thousand_variant = {
    .name = "broken-redis-one-in-a-thousand",
    .summary = "one of a thousand attempts that are refused counts as granted",
    .breaks = "plain contention, if one looks often enough",
    VARIANT_OF_REDIS,
    WITH_TOKENS,
    .try_acquire = acquire_sometimes,
    .release = redis_release_checked,
};

// --- the lease -----------------------------------------------------------------------------------

static enum outcome acquire_then_expire(struct lock *lock, struct grant *grant)
{
    struct redis_answer answer;
    enum outcome outcome = redis_acquire_by(lock, grant, "SET %s %s NX", 0);
    if (outcome != OUTCOME_OK)
        return outcome;
    grant->valid_until_ns = lease_ends_ns(lock);
    return REDIS_ASK(lock, &answer, "PEXPIRE %s %lld", lease_ms(lock));
}

const struct lock_scheme lease_set_later_variant = {
    .name = "broken-redis-lease-set-later",
    .summary = "the lease is set by a second command",
    .breaks = "a crash between the two",
    VARIANT_OF_REDIS,
    WITHOUT_TOKENS,
    .try_acquire = acquire_then_expire,
    .release = redis_release_checked,
};

static enum outcome acquire_without_end(struct lock *lock, struct grant *grant)
{
    return grant->attempts > 1
               ? redis_acquire_by(lock, grant, "SET %s %s NX", 0)
               : redis_acquire_by(lock, grant, "SET %s %s NX PX %lld", lease_ms(lock));
}

const struct lock_scheme no_expiry_on_retry_variant = {
    .name = "broken-redis-no-expiry-on-retry",
    .summary = "only the first attempt of an acquire sets an expiry",
    .breaks = "the crash of a holder that had to wait",
    VARIANT_OF_REDIS,
    WITHOUT_TOKENS,
    .try_acquire = acquire_without_end,
    .release = redis_release_checked,
};

static enum outcome acquire_and_renew(struct lock *lock, struct grant *grant)
{
    struct redis_answer answer;
    enum outcome outcome = sound_try_acquire(lock, grant);
    if (outcome == OUTCOME_NO)
        redis_request(redis_of(lock), &answer, "PEXPIRE %s %lld", lock->options.name,
                      lease_ms(lock));
    return outcome;
}

const struct lock_scheme loser_renews_variant = {
    .name = "broken-redis-loser-renews",
    .summary = "whoever finds the lock taken sets its expiry anew",
    .breaks = "the crash of a holder: those that wait keep its lock alive",
    VARIANT_OF_REDIS,
    WITH_TOKENS,
    .try_acquire = acquire_and_renew,
    .release = redis_release_checked,
};

// --- clocks --------------------------------------------------------------------------------------

static enum outcome acquire_until(struct lock *lock, struct grant *grant)
{
    int64_t client_ms = clock_wall_ns(&lock->actor->clock) / NS_PER_MS;
    return redis_acquire_by(lock, grant, "SET %s %s NX PXAT %lld", client_ms + lease_ms(lock));
}

const struct lock_scheme clock_of_client_variant = {
    .name = "broken-redis-clock-of-client",
    .summary = "the end of the lease is a time of the client's clock",
    .breaks = "a client whose clock is behind the server's",
    VARIANT_OF_REDIS,
    WITHOUT_TOKENS,
    .try_acquire = acquire_until,
    .release = redis_release_checked,
};

static enum outcome acquire_counting_late(struct lock *lock, struct grant *grant)
{
    enum outcome outcome = sound_try_acquire(lock, grant);
    grant->valid_until_ns = lease_ends_ns(lock);
    return outcome;
}

const struct lock_scheme validity_after_reply_variant = {
    .name = "broken-redis-validity-after-reply",
    .summary = "the lease is counted from the answer, not from before the request",
    .breaks = "an answer that comes late",
    VARIANT_OF_REDIS,
    WITH_TOKENS,
    .try_acquire = acquire_counting_late,
    .release = redis_release_checked,
};
