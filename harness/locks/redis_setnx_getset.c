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

// GETSET L mine: held if what was there was still over.
static enum outcome replace_expired(struct lock *lock, long long now, long long mine)
{
    struct redis_answer answer;
    enum outcome outcome = redis_outcome(
        lock, redis_request(redis_of(lock), &answer, "GETSET %s %lld", lock->options.name, mine));
    if (outcome != OUTCOME_OK || answer.kind == REDIS_NIL)
        return outcome;
    return strtoll(answer.text, NULL, 10) < now ? OUTCOME_OK : OUTCOME_NO;
}

// SETNX L mine; if 0, GET L. A lock that is released in between is tried again from the start, by
// the caller.
static enum outcome try_acquire(struct lock *lock, struct grant *grant)
{
    struct redis_lock *state = redis_lock_of(lock);
    struct redis_answer answer;
    long long now = now_ms(lock);
    grant->valid_until_ns = lease_ends_ns(lock);
    state->expiry_ms = now + lease_ms(lock) + 1;
    enum outcome outcome =
        redis_outcome(lock, redis_request(redis_of(lock), &answer, "SETNX %s %lld",
                                          lock->options.name, (long long)state->expiry_ms));
    if (outcome != OUTCOME_OK || answer.integer == 1)
        return outcome;
    outcome = redis_read_outcome(
        lock, redis_request(redis_of(lock), &answer, "GET %s", lock->options.name));
    if (outcome != OUTCOME_OK)
        return outcome;
    if (answer.kind == REDIS_NIL || strtoll(answer.text, NULL, 10) >= now)
        return OUTCOME_NO;
    return replace_expired(lock, now, (long long)state->expiry_ms);
}

// Only if its own time is not over: then DEL, whoever's it is.
static enum release_answer release(struct lock *lock)
{
    // Nothing is sent: by this client's clock the lock is anybody's. The server was not asked.
    if (now_ms(lock) >= redis_lock_of(lock)->expiry_ms)
        return RELEASE_UNKNOWN;
    return redis_release_unchecked(lock);
}

const struct lock_scheme redis_setnx_getset_scheme = {
    .name = "redis-setnx-getset",
    .summary = "SETNX with the time of its end as value; GETSET takes over one that is over",
    .breaks = "clients' clocks; a loser writes over the winner's expiry; anybody's DEL unlocks",
    .traits = (const char *const[]){"redis", "exclusive", "lease", NULL},
    .server = "redis",
    .topologies = redis_topologies,
    .open = redis_lock_open,
    .close = redis_lock_close,
    .try_acquire = try_acquire,
    .release = release,
};
