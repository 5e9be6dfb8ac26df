// The lock of Redis's old SETNX page: the value is the time at which the lock ends, by the clock of
// the client that took it. Who finds it in the past replaces it by GETSET, and holds if what it
// replaced was still in the past. The clients' clocks decide; whoever loses has nevertheless
// written its own time over the winner's; and the DEL of a release removes whatever is there.
#include "harness/locks/redis_common.h"

#include <stdlib.h>

// By this client's clock, in milliseconds; that page counts in seconds.
static long long now_ms(const struct lock *lock)
{
    return clock_now_ns(&lock->actor->clock) / NS_PER_MS;
}

static bool is_past(const struct redis_answer *answer, long long now)
{
    return answer->kind != REDIS_NIL && strtoll(answer->text, NULL, 10) < now;
}

// SETNX L mine; if 0, GET L; if that is over, GETSET L mine: held if what was there was still over.
// A lock that is released in between is tried again from the start, by the caller.
static enum outcome try_acquire(struct lock *lock, struct grant *grant)
{
    struct redis_answer answer;
    long long now = now_ms(lock);
    grant->valid_until_ns = lease_ends_ns(lock);
    long long *expiry = lock->state; // when the lock ends by the client's clock
    long long mine = *expiry = now + lease_ms(lock) + 1;
    enum outcome outcome = REDIS_ASK(lock, &answer, "SETNX %s %lld", mine);
    if (outcome != OUTCOME_OK || answer.integer == 1)
        return outcome;
    outcome = redis_read(lock, &answer);
    if (outcome == OUTCOME_OK && !is_past(&answer, now))
        return OUTCOME_NO;
    if (outcome == OUTCOME_OK)
        outcome = REDIS_ASK(lock, &answer, "GETSET %s %lld", mine);
    if (outcome != OUTCOME_OK || answer.kind == REDIS_NIL)
        return outcome;
    return is_past(&answer, now) ? OUTCOME_OK : OUTCOME_NO;
}

// Only if its own time is not over: then DEL, whoever's it is.
static enum release_answer release(struct lock *lock)
{
    const long long *expiry = lock->state;
    // Nothing is sent: by this client's clock the lock is anybody's. The server was not asked.
    if (now_ms(lock) >= *expiry)
        return RELEASE_UNKNOWN;
    return redis_release_unchecked(lock);
}

// The key stays when its time is over.
static bool is_held(const char *value)
{
    return strtoll(value, NULL, 10) >= clock_monotonic_ns() / NS_PER_MS;
}

const struct lock_scheme redis_setnx_getset_scheme = {
    .name = "redis-setnx-getset",
    .summary = "SETNX with the time of its end as value; GETSET takes over one that is over",
    .breaks = "clients' clocks; a loser writes over the winner's expiry; anybody's DEL unlocks",
    .traits = LOCK_TRAITS("redis", "exclusive", "lease"),
    .rights = REDIS_KEYS "+setnx +get +getset +del",
    REDIS_SCHEME,
    .is_held = is_held,
    .lock_bytes = sizeof(long long),
    .try_acquire = try_acquire,
    .release = release,
};
