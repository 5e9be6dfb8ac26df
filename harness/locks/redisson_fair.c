// Redisson's fair lock: an RLock with a queue. Who has to wait stands in a list, and until when its
// place is kept, by the clients' clocks, in a sorted set. Each waiter has a channel of its own, and
// an unlock wakes the first one only.
//
// Known flaws that are kept: while the lock is free and its first waiter does not come, those
// behind it ask again and again without a pause; and who unlocks what has run out, and nobody has
// taken since, is not told so.
#include "harness/locks/redisson_common.h"

#include <stdio.h>
#include <string.h>

#define CHANNEL "redisson_lock__channel"
#define QUEUE "redisson_lock_queue"
#define TIMEOUTS "redisson_lock_timeout"
#define FAIR_WAIT_MS 300000 // Redisson's fairLockWaitTimeout

// KEYS lock, queue, timeouts, and for those that wake somebody the channels' prefix.
// First waiters whose time is over lose their place.
#define REMOVE_STALE                                                                               \
    "while true do "                                                                               \
    "  local first = redis.call('LINDEX', KEYS[2], 0) "                                            \
    "  if first == false then break end "                                                          \
    "  local timeout = redis.call('ZSCORE', KEYS[3], first) "                                      \
    "  if timeout == false or tonumber(timeout) > now then break end "                             \
    "  redis.call('ZREM', KEYS[3], first) "                                                        \
    "  redis.call('LPOP', KEYS[2]) "                                                               \
    "end "

// If it is free and our turn, take it, and let the others wait the less; if it is ours, enter once
// more. ARGV lease, holder.
#define TAKE_OR_REENTER                                                                            \
    "if redis.call('EXISTS', KEYS[1]) == 0 and (redis.call('EXISTS', KEYS[2]) == 0 "               \
    "    or redis.call('LINDEX', KEYS[2], 0) == ARGV[2]) then "                                    \
    "  redis.call('LPOP', KEYS[2]) "                                                               \
    "  redis.call('ZREM', KEYS[3], ARGV[2]) "                                                      \
    "  for _, waiter in ipairs(redis.call('ZRANGE', KEYS[3], 0, -1)) do "                          \
    "    redis.call('ZINCRBY', KEYS[3], -wait, waiter) "                                           \
    "  end "                                                                                       \
    "  redis.call('HSET', KEYS[1], ARGV[2], 1) "                                                   \
    "  redis.call('PEXPIRE', KEYS[1], ARGV[1]) "                                                   \
    "  return nil "                                                                                \
    "end "                                                                                         \
    "if redis.call('HEXISTS', KEYS[1], ARGV[2]) == 1 then "                                        \
    "  redis.call('HINCRBY', KEYS[1], ARGV[2], 1) "                                                \
    "  redis.call('PEXPIRE', KEYS[1], ARGV[1]) "                                                   \
    "  return nil "                                                                                \
    "end "

#define WAKE_FIRST                                                                                 \
    "local first = redis.call('LINDEX', KEYS[2], 0) "                                              \
    "if first ~= false then redis.call(publish, KEYS[4] .. ':' .. first, ARGV[1]) end "

// ARGV lease, holder, now, wait: nil held, 1 busy. It never queues up.
static const struct redis_script try_script = {
    "local now, wait = tonumber(ARGV[3]), tonumber(ARGV[4]) " REMOVE_STALE TAKE_OR_REENTER
    "return 1"};

// ARGV lease, holder, wait, now: nil held, else busy for so many milliseconds, and now we are in
// the queue. A place is kept until the one before it is lost, and then for as long as we wait.
static const struct redis_script queue_script = {
    "local wait, now = tonumber(ARGV[3]), tonumber(ARGV[4]) " REMOVE_STALE TAKE_OR_REENTER
    "if redis.call('ZSCORE', KEYS[3], ARGV[2]) ~= false then "
    "  return math.max(0, redis.call('PTTL', KEYS[1])) "
    "end "
    "local ttl = redis.call('PTTL', KEYS[1]) "
    "local last = redis.call('LINDEX', KEYS[2], -1) "
    "local until_last = last ~= false and redis.call('ZSCORE', KEYS[3], last) "
    "if until_last and last ~= ARGV[2] then ttl = tonumber(until_last) - now end "
    "if redis.call('ZADD', KEYS[3], ttl + wait + now, ARGV[2]) == 1 then "
    "  redis.call('RPUSH', KEYS[2], ARGV[2]) "
    "end "
    "return ttl"};

// KEYS queue, timeouts; ARGV holder, wait: leaves the queue, and those behind wait the less.
static const struct redis_script give_up_script = {
    "local behind = false "
    "for _, waiter in ipairs(redis.call('LRANGE', KEYS[1], 0, -1)) do "
    "  if behind then redis.call('ZINCRBY', KEYS[2], -tonumber(ARGV[2]), waiter) end "
    "  if waiter == ARGV[1] then behind = true end "
    "end "
    "redis.call('ZREM', KEYS[2], ARGV[1]) "
    "redis.call('LREM', KEYS[1], 0, ARGV[1])"};

// KEYS besides: latch. ARGV message, lease, holder, now, PUBLISH, latch's lease. 1 freed, or
// nobody's; 0 still held; nil another's.
static const struct redis_script unlock_script = {
    "local stored = redis.call('GET', KEYS[5]) "
    "if stored ~= false then return tonumber(stored) end "
    "local now, publish = tonumber(ARGV[4]), ARGV[5] " REMOVE_STALE
    "if redis.call('EXISTS', KEYS[1]) == 1 then "
    "  if redis.call('HEXISTS', KEYS[1], ARGV[3]) == 0 then return nil end "
    "  if redis.call('HINCRBY', KEYS[1], ARGV[3], -1) > 0 then "
    "    redis.call('PEXPIRE', KEYS[1], ARGV[2]) "
    "    redis.call('SET', KEYS[5], 0, 'PX', ARGV[6]) "
    "    return 0 "
    "  end "
    "  redis.call('DEL', KEYS[1]) "
    "end "
    "redis.call('SET', KEYS[5], 1, 'PX', ARGV[6]) " WAKE_FIRST "return 1"};

// ARGV message, now, PUBLISH.
static const struct redis_script force_script = {
    "local now, publish = tonumber(ARGV[2]), ARGV[3] " REMOVE_STALE
    "if redis.call('DEL', KEYS[1]) == 0 then return 0 end " WAKE_FIRST "return 1"};

// What all of them need.
struct words {
    char queue[REDISSON_NAME], timeouts[REDISSON_NAME], channel[REDISSON_NAME];
    char now[REDISSON_NUMBER], wait[REDISSON_NUMBER];
};

// For how long a waiter keeps its place, counted from when the one before it is to be gone.
static int64_t wait_ms(const struct lock *lock)
{
    int64_t wait_ms = lock->options.wait_ns / NS_PER_MS;
    return wait_ms > 0 ? wait_ms : FAIR_WAIT_MS;
}

static void spell(const struct lock *lock, struct words *words)
{
    const char *name = lock->options.name;
    redisson_prefixed(words->queue, QUEUE, name);
    redisson_prefixed(words->timeouts, TIMEOUTS, name);
    redisson_prefixed(words->channel, CHANNEL, name);
    redisson_number(words->now, redisson_wall_ms(lock));
    redisson_number(words->wait, wait_ms(lock));
}

static enum outcome attempt(struct lock *lock, struct grant *grant, bool will_wait, int64_t *ttl_ms)
{
    const struct redisson_lock *state = redisson_of(lock);
    struct words words;
    spell(lock, &words);
    const char *const keys[] = {lock->options.name, words.queue, words.timeouts, NULL};
    const char *const to_try[] = {state->lease, state->holder, words.now, words.wait, NULL};
    const char *const to_queue[] = {state->lease, state->holder, words.wait, words.now, NULL};
    enum outcome outcome = redisson_attempt(lock, will_wait ? &queue_script : &try_script, keys,
                                            will_wait ? to_queue : to_try, ttl_ms);
    if (will_wait)
        redisson_queued(lock, grant, outcome, wait_ms(lock) * NS_PER_MS);
    return outcome;
}

static enum outcome give_up(struct lock *lock)
{
    struct redis_answer answer;
    struct words words;
    spell(lock, &words);
    const char *const keys[] = {words.queue, words.timeouts, NULL};
    const char *const arguments[] = {redisson_of(lock)->holder, words.wait, NULL};
    return redis_outcome(lock,
                         redis_eval(redis_of(lock), &answer, &give_up_script, keys, arguments));
}

static enum redisson_answer unlock(struct lock *lock)
{
    const struct redisson_lock *state = redisson_of(lock);
    struct words words;
    spell(lock, &words);
    const char *const keys[] = {lock->options.name,       words.queue,
                                words.timeouts,           words.channel,
                                redisson_new_latch(lock), NULL};
    const char *const arguments[] = {
        REDISSON_WAKES_ONE, state->lease,       state->holder, words.now,
        REDISSON_PUBLISH,   state->latch_lease, NULL};
    return redisson_unlock(lock, &unlock_script, keys, arguments);
}

static enum release_answer force_release(struct lock *lock)
{
    struct words words;
    spell(lock, &words);
    const char *const keys[] = {lock->options.name, words.queue, words.timeouts, words.channel,
                                NULL};
    const char *const arguments[] = {REDISSON_WAKES_ONE, words.now, REDISSON_PUBLISH, NULL};
    return redisson_force(lock, &force_script, keys, arguments);
}

static const struct redis_script *const scripts[] = {&try_script, &queue_script, &give_up_script,
                                                     &unlock_script, NULL};

static const struct redisson_kind kind = {
    .channel = CHANNEL,
    .scripts = scripts,
    .permits = redisson_lock_permits,
    .is_renewed = true,
    .attempt = attempt,
    .unlock = unlock,
    .is_owner_checked = true,
    .give_up = give_up,
};

static int open_client(struct lock_client *client, struct error *error)
{
    return redisson_client_open(client, &kind, error);
}

static int open_lock(struct lock *lock, struct error *error)
{
    if (redisson_lock_open(lock, &kind, error) != 0)
        return -1;
    struct redisson_lock *state = redisson_of(lock);
    size_t length = strlen(state->channel);
    snprintf(state->channel + length, REDISSON_NAME - length, ":%s", state->holder);
    return 0;
}

static const char *const traits[] = {"exclusive", "lease",   "owner-checked", "reentrant",
                                     "fair",      "renewed", "redis",         NULL};

const struct lock_scheme redisson_fair_scheme = {
    .name = "redisson-fair",
    .summary = "Redisson's fair lock: an RLock with a queue, timed by the clients' clocks",
    .breaks = "a pause longer than the lease; a failover; clients' clocks that differ spoil the "
              "order; a waiter that dies keeps all behind it waiting",
    .falls_to = (const char *const[]){"kill", NULL},
    .traits = traits,
    .server = "redis",
    .topologies = redis_topologies,
    .clean_up = redisson_clean_up,
    .open_client = open_client,
    .close_client = redisson_client_close,
    .open = open_lock,
    .close = redisson_lock_close,
    .acquire = redisson_acquire,
    .release = redisson_release,
    .reenter = redisson_reenter,
    .leave = redisson_leave,
    .force_release = force_release,
};
