// Mistakes with a lock of Redis: in its acquire, its release, and its fencing tokens.
#include "harness/detection/variants.h"
#include "harness/locks/redis_common.h"

#include <stdio.h>
#include <stdlib.h>

#define WITHOUT_TOKENS LOCK_TRAITS("exclusive", "lease", "owner-checked", "redis")

// --- outcomes ------------------------------------------------------------------------------------

static enum outcome acquire_hopefully(struct lock *lock, struct grant *grant)
{
    enum outcome outcome = redis_set_token(lock, grant);
    return outcome == OUTCOME_UNKNOWN ? OUTCOME_OK : outcome; // the mistake
}

const struct lock_scheme unknown_is_ok_mistake = {
    .name = "broken-redis-unknown-is-ok",
    .summary = "an acquire that was not answered counts as granted",
    .breaks = "a lost request",
    .traits = WITHOUT_TOKENS,
    .try_acquire = acquire_hopefully,
};

static enum outcome acquire_sometimes(struct lock *lock, struct grant *grant)
{
    enum outcome outcome = redis_set_px_lua_scheme.try_acquire(lock, grant);
    bool errs = outcome == OUTCOME_NO && random_below(lock->random, 1000) == 0;
    return errs ? OUTCOME_OK : outcome;
}

const struct lock_scheme one_in_a_thousand_mistake = {
    .name = "broken-redis-one-in-a-thousand",
    .summary = "one of a thousand attempts that are refused counts as granted",
    .breaks = "plain contention, if one looks often enough",
    .try_acquire = acquire_sometimes,
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

const struct lock_scheme lease_set_later_mistake = {
    .name = "broken-redis-lease-set-later",
    .summary = "the lease is set by a second command",
    .breaks = "a crash between the two",
    .traits = WITHOUT_TOKENS,
    .try_acquire = acquire_then_expire,
};

static enum outcome acquire_without_end(struct lock *lock, struct grant *grant)
{
    return grant->attempts > 1
               ? redis_acquire_by(lock, grant, "SET %s %s NX", 0)
               : redis_acquire_by(lock, grant, "SET %s %s NX PX %lld", lease_ms(lock));
}

const struct lock_scheme no_expiry_on_retry_mistake = {
    .name = "broken-redis-no-expiry-on-retry",
    .summary = "only the first attempt of an acquire sets an expiry",
    .breaks = "the crash of a holder that had to wait",
    .traits = WITHOUT_TOKENS,
    .try_acquire = acquire_without_end,
};

static enum outcome acquire_and_renew(struct lock *lock, struct grant *grant)
{
    struct redis_answer answer;
    enum outcome outcome = redis_set_px_lua_scheme.try_acquire(lock, grant);
    if (outcome == OUTCOME_NO)
        redis_request(lock->connection, &answer, "PEXPIRE %s %lld", lock->options.name,
                      lease_ms(lock));
    return outcome;
}

const struct lock_scheme loser_renews_mistake = {
    .name = "broken-redis-loser-renews",
    .summary = "whoever finds the lock taken sets its expiry anew",
    .breaks = "the crash of a holder: those that wait keep its lock alive",
    .try_acquire = acquire_and_renew,
};

// --- clocks --------------------------------------------------------------------------------------

static enum outcome acquire_until(struct lock *lock, struct grant *grant)
{
    int64_t client_ms = clock_wall_ns(&lock->actor->clock) / NS_PER_MS;
    return redis_acquire_by(lock, grant, "SET %s %s NX PXAT %lld", client_ms + lease_ms(lock));
}

const struct lock_scheme clock_of_client_mistake = {
    .name = "broken-redis-clock-of-client",
    .summary = "the end of the lease is a time of the client's clock",
    .breaks = "a client whose clock is behind the server's",
    .traits = WITHOUT_TOKENS,
    .try_acquire = acquire_until,
};

static enum outcome acquire_counting_late(struct lock *lock, struct grant *grant)
{
    enum outcome outcome = redis_set_px_lua_scheme.try_acquire(lock, grant);
    grant->valid_until_ns = lease_ends_ns(lock);
    return outcome;
}

const struct lock_scheme validity_after_reply_mistake = {
    .name = "broken-redis-validity-after-reply",
    .summary = "the lease is counted from the answer, not from before the request",
    .breaks = "an answer that comes late",
    .try_acquire = acquire_counting_late,
};

// --- the owner -----------------------------------------------------------------------------------

const struct lock_scheme release_unchecked_mistake = {
    .name = "broken-redis-release-unchecked",
    .summary = "a release deletes the key, whoever's it is",
    .breaks = "a hold longer than the lease",
    .release = redis_release_unchecked,
};

static enum release_answer release_in_two_steps(struct lock *lock)
{
    return redis_set_px_get_del_scheme.release(lock);
}

const struct lock_scheme release_in_two_steps_mistake = {
    .name = "broken-redis-release-in-two-steps",
    .summary = "a release compares the owner in one command and deletes in the next",
    .breaks = "a pause between the two",
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

const struct lock_scheme release_asked_twice_mistake = {
    .name = "broken-redis-release-asked-twice",
    .summary = "a release that was not answered is done again by a plain DEL",
    .breaks = "a lost answer: the first one was executed, and the second one hits the next holder",
    .release = release_asked_twice,
};

// --- identity ------------------------------------------------------------------------------------

// One token for all workers of the client, and for all of their attempts.
static enum outcome acquire_as_client(struct lock *lock, struct grant *grant)
{
    struct redis_answer answer;
    grant->valid_until_ns = lease_ends_ns(lock);
    snprintf(lock->token, sizeof lock->token, "client-%d", lock->client->number);
    enum outcome outcome =
        REDIS_ASK(lock, &answer, "SET %s %s NX PX %lld", lock->token, lease_ms(lock));
    return outcome == OUTCOME_OK && answer.kind == REDIS_NIL ? OUTCOME_NO : outcome;
}

const struct lock_scheme identity_of_client_mistake = {
    .name = "broken-redis-identity-of-client",
    .summary = "all workers of a client have one token, at all times",
    .breaks = "a late release of one worker removes the lock of the next",
    .traits = WITHOUT_TOKENS,
    .try_acquire = acquire_as_client,
};

// --- fencing tokens ------------------------------------------------------------------------------

static enum outcome acquire_with_half(struct lock *lock, struct grant *grant)
{
    enum outcome outcome = redis_set_px_lua_scheme.try_acquire(lock, grant);
    grant->token = (grant->token + 1) / 2;
    return outcome;
}

const struct lock_scheme token_twice_mistake = {
    .name = "broken-redis-token-twice",
    .summary = "each fencing token is given to two grants, one after the other",
    .breaks = "a late write of the first of the two",
    .try_acquire = acquire_with_half,
};

// The newest token that was given, whoever got it.
static enum outcome acquire_then_read(struct lock *lock, struct grant *grant)
{
    struct redis_answer answer;
    char counter[64];
    enum outcome outcome = redis_set_px_lua_scheme.try_acquire(lock, grant);
    if (outcome != OUTCOME_OK || !lock->options.fenced)
        return outcome;
    snprintf(counter, sizeof counter, "%s:fence", lock->options.name);
    enum outcome read =
        lock_noted(lock, redis_request(lock->connection, &answer, "GET %s", counter));
    if (read == OUTCOME_OK)
        grant->token = strtoll(answer.text, NULL, 10);
    return read == OUTCOME_BROKEN ? read : outcome;
}

const struct lock_scheme token_read_later_mistake = {
    .name = "broken-redis-token-read-later",
    .summary = "the fencing token is read after the grant, as Redisson's getToken() does",
    .breaks = "a pause between the two: it reads the token of a later grant",
    .try_acquire = acquire_then_read,
};

// How many commands the server has processed: grows all the while, and begins anew with it.
static const struct redis_script acquire_with_count = {
    "if not redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return 0 end "
    "return tonumber(string.match(redis.call('INFO', 'stats'), "
    "'total_commands_processed:(%d+)'))"};

static enum outcome acquire_counting(struct lock *lock, struct grant *grant)
{
    if (!lock->options.fenced)
        return redis_set_px_lua_scheme.try_acquire(lock, grant);
    return redis_acquire_by_script(lock, grant, &acquire_with_count, NULL, &grant->token);
}

const struct lock_scheme token_goes_back_mistake = {
    .name = "broken-redis-token-goes-back",
    .summary = "the fencing token is a count that the server keeps in memory only",
    .breaks = "a restart of the server",
    .try_acquire = acquire_counting,
};

static enum outcome acquire_without_token(struct lock *lock, struct grant *grant)
{
    enum outcome outcome = redis_set_px_lua_scheme.try_acquire(lock, grant);
    grant->token = 0;
    return outcome;
}

const struct lock_scheme token_unchecked_mistake = {
    .name = "broken-redis-token-unchecked",
    .summary = "the fencing token is not sent along with the write, so that no store can check it",
    .breaks = "a late write",
    .try_acquire = acquire_without_token,
};
