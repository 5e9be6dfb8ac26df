// How Redisson acquires, waits and unlocks, whatever the kind of lock.
#include "harness/locks/redisson_common.h"

#include <stdio.h>
#include <string.h>

#define REQUEST_ID_DIGITS 32 // 16 random bytes

// --- acquire -------------------------------------------------------------------------------------

enum outcome redisson_attempt(struct lock *lock, const struct redis_script *script,
                              const char *const *keys, const char *const *arguments,
                              int64_t *ttl_ms)
{
    struct redis_answer answer;
    enum outcome outcome =
        redis_outcome(lock, redis_eval(redis_of(lock), &answer, script, keys, arguments));
    if (outcome != OUTCOME_OK || answer.kind == REDIS_NIL)
        return outcome;
    *ttl_ms = answer.integer;
    return OUTCOME_NO;
}

void redisson_queued(struct lock *lock, const struct grant *grant, enum outcome outcome,
                     int64_t kept_ns)
{
    struct redisson_lock *state = redisson_of(lock);
    bool was_in_doubt = grant->attempts > 1 && state->place_in_doubt;
    state->place_in_doubt = outcome == OUTCOME_UNKNOWN;
    if (was_in_doubt ? outcome != OUTCOME_UNKNOWN : grant->attempts == 1 && outcome == OUTCOME_NO)
        lock_queued(lock, kept_ns);
}

// No answer: the lock may be ours. If it is, give it back, and it was certainly not held.
static enum outcome recover(struct lock *lock)
{
    const struct redisson_kind *kind = redisson_of(lock)->kind;
    bool given_back = kind->is_owner_checked && kind->unlock(lock) == REDISSON_FREED;
    return given_back ? OUTCOME_NO : OUTCOME_UNKNOWN;
}

// With replicas Redisson waits after each grant until one of them has it. If none has in time, it
// gives the lock back and tries again.
static enum outcome await_replica(struct lock *lock)
{
    int64_t limit_ms = lock->options.request_ns / NS_PER_MS / 3; // as 1 s of its 3 s
    struct redis_answer answer;
    if (strcmp(lock->service->topology, "single") == 0)
        return OUTCOME_OK;
    enum outcome outcome = redis_outcome(
        lock, redis_request(redis_of(lock), &answer, "WAIT 1 %lld", (long long)limit_ms));
    if (outcome == OUTCOME_BROKEN || (outcome == OUTCOME_OK && answer.integer > 0))
        return outcome;
    bool given_back = redisson_of(lock)->kind->unlock(lock) == REDISSON_FREED;
    redis_doubt_master(redis_of(lock)); // Redisson asks its sentinels once a second
    return given_back ? OUTCOME_NO : OUTCOME_UNKNOWN;
}

// One attempt. An answer that says nothing of how long to wait leaves the pause between two
// attempts.
static enum outcome attempt(struct lock *lock, struct grant *grant, bool will_wait, int64_t *ttl_ms)
{
    const struct redisson_kind *kind = redisson_of(lock)->kind;
    grant->attempts++;
    *ttl_ms = lock->options.retry_ns / NS_PER_MS + 1;
    if (kind->is_renewed)
        grant->valid_until_ns = lease_ends_ns(lock);
    enum outcome outcome = kind->attempt(lock, grant, will_wait, ttl_ms);
    if (outcome == OUTCOME_UNKNOWN)
        return recover(lock);
    return outcome == OUTCOME_OK ? await_replica(lock) : outcome;
}

static int64_t next_attempt_ns(const struct lock *lock, int64_t ttl_ms, int64_t give_up_ns)
{
    if (ttl_ms < 0)
        return give_up_ns;
    int64_t now_ns = clock_now_ns(&lock->actor->clock);
    int64_t most_ms = (TIME_NEVER - now_ns) / NS_PER_MS;
    return time_earlier(give_up_ns, now_ns + time_earlier(ttl_ms, most_ms) * NS_PER_MS);
}

// Subscribed, tries again: a message that came before the subscription is not waited for. A message
// that is lost costs the rest of the holder's lease.
static enum outcome wait_and_attempt(struct lock *lock, struct grant *grant, int64_t give_up_ns)
{
    struct redis_subscription *subscription =
        redis_subscribe(redisson_client_of(lock)->subscriber, lock->actor,
                        redisson_of(lock)->channel, give_up_ns, lock->stop);
    if (subscription == NULL)
        return OUTCOME_NO;
    enum outcome outcome = OUTCOME_NO;
    while (outcome == OUTCOME_NO && !lock_must_give_up(lock, give_up_ns)) {
        int64_t ttl_ms;
        outcome = attempt(lock, grant, true, &ttl_ms);
        if (outcome == OUTCOME_NO)
            redis_subscription_wait(subscription, lock->actor,
                                    next_attempt_ns(lock, ttl_ms, give_up_ns), lock->stop);
    }
    redis_unsubscribe(subscription, lock->actor);
    return outcome;
}

enum outcome redisson_acquire(struct lock *lock, struct grant *grant, int64_t give_up_ns)
{
    const struct redisson_kind *kind = redisson_of(lock)->kind;
    bool will_wait = !lock_must_give_up(lock, give_up_ns);
    int64_t ttl_ms;
    enum outcome outcome = attempt(lock, grant, will_wait, &ttl_ms);
    if (outcome == OUTCOME_NO && will_wait)
        outcome = wait_and_attempt(lock, grant, give_up_ns);
    // A place in the queue that stays for want of an answer is no hold: it runs out.
    if (outcome != OUTCOME_OK && will_wait && kind->give_up != NULL &&
        kind->give_up(lock) == OUTCOME_BROKEN)
        return OUTCOME_BROKEN;
    if (outcome == OUTCOME_OK && kind->is_renewed)
        watchdog_add(redisson_client_of(lock)->watchdog, lock, redisson_of(lock),
                     grant->valid_until_ns);
    return outcome;
}

// The script cannot tell a first entry from a further one, and so neither can we: a hold that was
// lost meanwhile is taken anew. Without an answer nothing is given back, for that might be the hold
// itself: the count may then be one too high. Only an answer that says how long another's lease
// still lasts tells that it is not the holder; a server that refuses says nothing of that.
enum outcome redisson_reenter(struct lock *lock, struct grant *grant)
{
    const int64_t unsaid = INT64_MIN;
    int64_t ttl_ms = unsaid;
    int64_t valid_until_ns = lease_ends_ns(lock);
    enum outcome outcome = redisson_of(lock)->kind->attempt(lock, grant, false, &ttl_ms);
    if (outcome == OUTCOME_NO && ttl_ms == unsaid)
        return OUTCOME_UNKNOWN;
    if (outcome == OUTCOME_OK && valid_until_ns > grant->valid_until_ns)
        grant->valid_until_ns = valid_until_ns;
    return outcome;
}

// --- unlock --------------------------------------------------------------------------------------

const char *redisson_new_latch(struct lock *lock)
{
    struct redisson_lock *state = redisson_of(lock);
    char request_id[REQUEST_ID_DIGITS + 1];
    random_hex(lock->random, request_id, REQUEST_ID_DIGITS);
    redisson_prefixed(state->latch, "redisson_unlock_latch", lock->options.name);
    size_t length = strlen(state->latch);
    snprintf(state->latch + length, sizeof state->latch - length, ":%s", request_id);
    return state->latch;
}

enum redisson_answer redisson_unlock(struct lock *lock, const struct redis_script *script,
                                     const char *const *keys, const char *const *arguments)
{
    struct redis_answer answer;
    enum outcome outcome = redis_eval(redis_of(lock), &answer, script, keys, arguments);
    bool asks_again = outcome == OUTCOME_UNKNOWN;
    if (asks_again)
        outcome = redis_eval(redis_of(lock), &answer, script, keys, arguments);
    if (redis_outcome(lock, outcome) != OUTCOME_OK)
        return REDISSON_NO_ANSWER;
    redisson_sweeper_delete(redisson_client_of(lock)->sweeper, redisson_of(lock)->latch);
    if (answer.kind == REDIS_NIL) // the first one may have freed it, and its latch be gone by now
        return asks_again ? REDISSON_NO_ANSWER : REDISSON_NOT_HELD;
    return answer.integer == 1 ? REDISSON_FREED : REDISSON_STILL_HELD;
}

// Nil does not tell whether the lock is another's or nobody's.
enum release_answer redisson_release(struct lock *lock)
{
    const struct redisson_lock *state = redisson_of(lock);
    watchdog_remove(redisson_client_of(lock)->watchdog, lock);
    switch (state->kind->unlock(lock)) {
    case REDISSON_FREED:
        return RELEASE_RELEASED;
    case REDISSON_STILL_HELD:
        // Other readers have it; or a lost answer has left a count that is too high, and the lock
        // is ours until its lease is over.
        return state->is_reading ? RELEASE_RELEASED : RELEASE_UNKNOWN;
    case REDISSON_NOT_HELD:
        return RELEASE_NOT_OWNER;
    default:
        return RELEASE_UNKNOWN;
    }
}

// An inner unlock that frees the lock tells that it had been lost and taken anew: it is gone now.
enum release_answer redisson_leave(struct lock *lock)
{
    switch (redisson_of(lock)->kind->unlock(lock)) {
    case REDISSON_FREED:
        return RELEASE_GONE;
    case REDISSON_STILL_HELD:
        return RELEASE_RELEASED;
    case REDISSON_NOT_HELD:
        return RELEASE_NOT_OWNER;
    default:
        return RELEASE_UNKNOWN;
    }
}

enum release_answer redisson_force(struct lock *lock, const struct redis_script *script,
                                   const char *const *keys, const char *const *arguments)
{
    struct redis_answer answer;
    watchdog_remove(redisson_client_of(lock)->watchdog, lock);
    enum outcome outcome =
        redis_outcome(lock, redis_eval(redis_of(lock), &answer, script, keys, arguments));
    if (outcome != OUTCOME_OK)
        return RELEASE_UNKNOWN;
    return answer.integer == 1 ? RELEASE_UNCHECKED : RELEASE_GONE;
}

// --- of the kinds that are one hash and one channel ----------------------------------------------

const struct redis_script redisson_unlock_script = {
    "local stored = redis.call('GET', KEYS[3]) "
    "if stored ~= false then return tonumber(stored) end "
    "if redis.call('HEXISTS', KEYS[1], ARGV[3]) == 0 then return nil end "
    "if redis.call('HINCRBY', KEYS[1], ARGV[3], -1) > 0 then "
    "  redis.call('PEXPIRE', KEYS[1], ARGV[2]) "
    "  redis.call('SET', KEYS[3], 0, 'PX', ARGV[5]) "
    "  return 0 "
    "end "
    "redis.call('DEL', KEYS[1]) "
    "redis.call(ARGV[4], KEYS[2], ARGV[1]) "
    "redis.call('SET', KEYS[3], 1, 'PX', ARGV[5]) "
    "return 1"};

enum redisson_answer redisson_unlock_plain(struct lock *lock)
{
    const struct redisson_lock *state = redisson_of(lock);
    const char *const keys[] = {lock->options.name, state->channel, redisson_new_latch(lock), NULL};
    const char *const arguments[] = {REDISSON_WAKES_ONE, state->lease,       state->holder,
                                     REDISSON_PUBLISH,   state->latch_lease, NULL};
    return redisson_unlock(lock, &redisson_unlock_script, keys, arguments);
}

// Whoever holds it.
static const struct redis_script force_unlock = {
    "if redis.call('DEL', KEYS[1]) == 0 then return 0 end "
    "redis.call(ARGV[2], KEYS[2], ARGV[1]) "
    "return 1"};

enum release_answer redisson_force_plain(struct lock *lock)
{
    const char *const keys[] = {lock->options.name, redisson_of(lock)->channel, NULL};
    const char *const arguments[] = {REDISSON_WAKES_ONE, REDISSON_PUBLISH, NULL};
    return redisson_force(lock, &force_unlock, keys, arguments);
}
