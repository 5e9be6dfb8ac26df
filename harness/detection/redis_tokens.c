// Mistakes with the fencing tokens of a lock of Redis.
#include "harness/detection/redis_variants.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum outcome acquire_with_half(struct lock *lock, struct grant *grant)
{
    enum outcome outcome = sound_try_acquire(lock, grant);
    grant->token = (grant->token + 1) / 2;
    return outcome;
}

const struct lock_scheme token_twice_variant = {
    .name = "broken-redis-token-twice",
    .summary = "each fencing token is given to two grants, one after the other",
    .breaks = "a late write of the first of the two",
    VARIANT_OF_REDIS,
    WITH_TOKENS,
    .try_acquire = acquire_with_half,
    .release = redis_release_checked,
};

// The newest token that was given, whoever got it.
static enum outcome acquire_then_read(struct lock *lock, struct grant *grant)
{
    struct redis_answer answer;
    enum outcome outcome = sound_try_acquire(lock, grant);
    if (outcome != OUTCOME_OK || !lock->options.fenced)
        return outcome;
    enum outcome read = redis_outcome(
        lock, redis_request(redis_of(lock), &answer, "GET %s:fence", lock->options.name));
    if (read == OUTCOME_OK)
        grant->token = strtoll(answer.text, NULL, 10);
    return read == OUTCOME_BROKEN ? read : outcome;
}

const struct lock_scheme token_read_later_variant = {
    .name = "broken-redis-token-read-later",
    .summary = "the fencing token is read after the grant, as Redisson's getToken() does",
    .breaks = "a pause between the two: it reads the token of a later grant",
    VARIANT_OF_REDIS,
    WITH_TOKENS,
    .try_acquire = acquire_then_read,
    .release = redis_release_checked,
};

// How many commands the server has processed: grows all the while, and begins anew with it.
static const struct redis_script acquire_with_count = {
    "if not redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return 0 end "
    "return tonumber(string.match(redis.call('INFO', 'stats'), "
    "'total_commands_processed:(%d+)'))"};

static enum outcome acquire_counting(struct lock *lock, struct grant *grant)
{
    struct redis_answer answer;
    if (!lock->options.fenced)
        return sound_try_acquire(lock, grant);
    const char *token = redis_new_token(lock);
    grant->valid_until_ns = lease_ends_ns(lock);
    enum outcome outcome = redis_outcome(
        lock, redis_run(redis_of(lock), &answer, &lock->options, &acquire_with_count, NULL, token));
    grant->token = outcome == OUTCOME_OK ? answer.integer : 0;
    return outcome == OUTCOME_OK && answer.integer == 0 ? OUTCOME_NO : outcome;
}

const struct lock_scheme token_goes_back_variant = {
    .name = "broken-redis-token-goes-back",
    .summary = "the fencing token is a count that the server keeps in memory only",
    .breaks = "a restart of the server",
    VARIANT_OF_REDIS,
    WITH_TOKENS,
    .try_acquire = acquire_counting,
    .release = redis_release_checked,
};

static enum outcome acquire_without_token(struct lock *lock, struct grant *grant)
{
    enum outcome outcome = sound_try_acquire(lock, grant);
    grant->token = 0;
    return outcome;
}

const struct lock_scheme token_unchecked_variant = {
    .name = "broken-redis-token-unchecked",
    .summary = "the fencing token is not sent along with the write, so that no store can check it",
    .breaks = "a late write",
    VARIANT_OF_REDIS,
    WITH_TOKENS,
    .try_acquire = acquire_without_token,
    .release = redis_release_checked,
};
