// Mistakes in the release of a lock of Redis.
#include "harness/detection/redis_variants.h"

#include <stdio.h>

// --- the owner -----------------------------------------------------------------------------------

const struct lock_scheme release_unchecked_variant = {
    .name = "broken-redis-release-unchecked",
    .summary = "a release deletes the key, whoever's it is",
    .breaks = "a hold longer than the lease",
    VARIANT_OF_REDIS,
    WITH_TOKENS,
    .try_acquire = sound_try_acquire,
    .release = redis_release_unchecked,
};

static enum release_answer release_in_two_steps(struct lock *lock)
{
    return redis_set_px_get_del_scheme.release(lock);
}

const struct lock_scheme release_in_two_steps_variant = {
    .name = "broken-redis-release-in-two-steps",
    .summary = "a release compares the owner in one command and deletes in the next",
    .breaks = "a pause between the two",
    VARIANT_OF_REDIS,
    WITH_TOKENS,
    .try_acquire = sound_try_acquire,
    .release = release_in_two_steps,
};

// --- retries -------------------------------------------------------------------------------------

#define RELEASE_TRIES 5

static enum release_answer release_until_answered(struct lock *lock)
{
    enum release_answer answer = RELEASE_UNKNOWN;
    for (int tries = 0; answer == RELEASE_UNKNOWN && tries < RELEASE_TRIES; tries++)
        answer = redis_release_unchecked(lock);
    return answer;
}

static enum release_answer release_asked_twice(struct lock *lock)
{
    enum release_answer answer = redis_release_checked(lock);
    return answer == RELEASE_UNKNOWN ? release_until_answered(lock) : answer;
}

const struct lock_scheme release_asked_twice_variant = {
    .name = "broken-redis-release-asked-twice",
    .summary = "a release that was not answered is done again by a plain DEL",
    .breaks = "a lost answer: the first one was executed, and the second one hits the next holder",
    VARIANT_OF_REDIS,
    WITH_TOKENS,
    .try_acquire = sound_try_acquire,
    .release = release_asked_twice,
};

// --- identity ------------------------------------------------------------------------------------

// One token for all workers of the client, and for all of their attempts.
static enum outcome acquire_as_client(struct lock *lock, struct grant *grant)
{
    struct redis_answer answer;
    grant->valid_until_ns = lease_ends_ns(lock);
    snprintf(redis_lock_of(lock)->token, sizeof redis_lock_of(lock)->token, "client-%d",
             lock->client->number);
    enum outcome outcome = REDIS_ASK(lock, &answer, "SET %s %s NX PX %lld",
                                     redis_lock_of(lock)->token, lease_ms(lock));
    return outcome == OUTCOME_OK && answer.kind == REDIS_NIL ? OUTCOME_NO : outcome;
}

const struct lock_scheme identity_of_client_variant = {
    .name = "broken-redis-identity-of-client",
    .summary = "all workers of a client have one token, at all times",
    .breaks = "a late release of one worker removes the lock of the next",
    VARIANT_OF_REDIS,
    WITHOUT_TOKENS,
    .try_acquire = acquire_as_client,
    .release = redis_release_checked,
};
