// Rate limiters on one Redis: no more than so many permits in any window, which is as long as the
// lease. All but the last count in one script, by the server's own time.
//
// The window and GET-then-INCR are "Pattern: Rate limiter" of Redis's documentation of INCR. The
// log is the sorted set that many articles call the sliding window log. The bucket is that of
// Stripe's "Scaling your API with rate limiters" and of Spring Cloud Gateway's
// request_rate_limiter.lua, which is filled with as many tokens a window as it holds: who waits for
// a full bucket, empties it, and goes on as it is filled gets nearly twice as many in one window.
// To keep to the limit N, one that holds C may be filled with no more than N + 1 - C a window.
#include "harness/locks/redis_common.h"

#include <stdio.h>
#include <stdlib.h>

// All: KEYS limit; ARGV permits, window in ms, token. 1: let through.
#define NOW                                                                                        \
    "local time = redis.call('TIME') "                                                             \
    "local now = time[1] * 1000000 + time[2] "

static const struct redis_script count_log = {
    NOW "redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[2] * 1000) "
        "if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[1]) then return 0 end "
        "redis.call('ZADD', KEYS[1], now, ARGV[3]) "
        "redis.call('PEXPIRE', KEYS[1], ARGV[2]) "
        "return 1"};

// A bucket that has gone was full: it takes at most a window to fill it.
#define TAKE_FROM_BUCKET(holds, filled_with)                                                       \
    NOW "local holds = " holds " "                                                                 \
        "local bucket = redis.call('HMGET', KEYS[1], 'tokens', 'at') "                             \
        "local tokens = holds "                                                                    \
        "if bucket[1] then "                                                                       \
        "  local a_window = (now - bucket[2]) / (ARGV[2] * 1000) "                                 \
        "  tokens = math.min(holds, bucket[1] + a_window * (" filled_with ")) "                    \
        "end "                                                                                     \
        "if tokens < 1 then return 0 end "                                                         \
        "redis.call('HSET', KEYS[1], 'tokens', tokens - 1, 'at', now) "                            \
        "redis.call('PEXPIRE', KEYS[1], ARGV[2]) "                                                 \
        "return 1"

static const struct redis_script take_from_half = {
    TAKE_FROM_BUCKET("math.ceil(ARGV[1] / 2)", "ARGV[1] + 1 - holds")};

static const struct redis_script take_from_full = {TAKE_FROM_BUCKET("tonumber(ARGV[1])", "holds")};

static const struct redis_script count_window = {
    "local count = redis.call('INCR', KEYS[1]) "
    "if count == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end "
    "if count > tonumber(ARGV[1]) then return 0 end "
    "return 1"};

static enum outcome try_script(struct lock *lock, struct grant *grant)
{
    const struct redis_script *const *scripts = lock->scheme->kind;
    struct redis_answer answer;
    char permits[24], window[24];
    const char *const keys[] = {lock->options.name, NULL};
    const char *const arguments[] = {permits, window, lock_new_token(lock, TOKEN_DIGITS), NULL};
    snprintf(permits, sizeof permits, "%lld", (long long)lock->options.permits);
    snprintf(window, sizeof window, "%lld", lease_ms(lock));
    grant->valid_until_ns = lease_ends_ns(lock);
    enum outcome outcome =
        lock_noted(lock, redis_eval(lock->connection, &answer, scripts[0], keys, arguments));
    return outcome == OUTCOME_OK && answer.integer == 0 ? OUTCOME_NO : outcome;
}

// GET L; as long as that is below the limit INCR L, and whoever was the first, PEXPIRE L window.
static enum outcome try_get_incr(struct lock *lock, struct grant *grant)
{
    struct redis_answer answer;
    enum outcome outcome = redis_read(lock, &answer);
    if (outcome != OUTCOME_OK)
        return outcome;
    if (answer.kind != REDIS_NIL && strtoll(answer.text, NULL, 10) >= lock->options.permits)
        return OUTCOME_NO;
    grant->valid_until_ns = lease_ends_ns(lock);
    outcome = REDIS_ASK(lock, &answer, "INCR %s");
    if (outcome != OUTCOME_OK)
        return outcome;
    // Let through from here on, whatever becomes of the expiry.
    if (answer.integer == 1)
        outcome = REDIS_ASK(lock, &answer, "PEXPIRE %s %lld", lease_ms(lock));
    return outcome == OUTCOME_BROKEN ? OUTCOME_BROKEN : OUTCOME_OK;
}

#define LIMITER(rights_, try_)                                                                     \
    REDIS_SCHEME, .traits = LOCK_TRAITS("exclusive", "limiter", "lease", "redis"),                 \
                  .rights = REDIS_KEYS rights_, .try_acquire = try_
#define SCRIPT(script, rights)                                                                     \
    LIMITER(REDIS_SCRIPTS rights, try_script), .kind = (const struct redis_script *const[])        \
    {                                                                                              \
        &script, NULL                                                                              \
    }

const struct lock_scheme redis_limit_log_scheme = {
    .name = "redis-limit-log",
    .summary =
        "a rate limiter: a sorted set of the times of all that were let through, by a script",
    .breaks = "a restart or a failover that loses the log",
    SCRIPT(count_log, "+time +zremrangebyscore +zcard +zadd +pexpire"),
};

const struct lock_scheme redis_limit_bucket_scheme = {
    .name = "redis-limit-bucket",
    .summary =
        "a rate limiter: a token bucket of half the permits, filled with the other half in a "
        "window, by a script",
    .breaks = "a restart or a failover that loses the bucket, which is full then",
    SCRIPT(take_from_half, "+time +hmget +hset +pexpire"),
};

const struct lock_scheme redis_limit_full_bucket_scheme = {
    .name = "redis-limit-full-bucket",
    .summary = "a rate limiter: a token bucket of all permits, filled once a window, by a script",
    .breaks =
        "who empties a full bucket, and goes on as it is filled: nearly twice as many are let "
        "through in one window",
    SCRIPT(take_from_full, "+time +hmget +hset +pexpire"),
};

const struct lock_scheme redis_limit_window_scheme = {
    .name = "redis-limit-window",
    .summary =
        "a rate limiter: INCR of a counter that expires a window after its first, by a script",
    .breaks = "the edge of two windows: as many at the end of one as at the beginning of the next",
    SCRIPT(count_window, "+incr +pexpire"),
};

const struct lock_scheme redis_limit_get_incr_scheme = {
    .name = "redis-limit-get-incr",
    .summary = "a rate limiter: GET, and below the limit INCR; whoever was the first, PEXPIRE",
    .breaks = "two that GET before either has come to INCR; the edge of two windows; a crash "
              "before PEXPIRE: nobody is ever let through again",
    LIMITER("+get +incr +pexpire", try_get_incr),
};
