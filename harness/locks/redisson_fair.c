// Redisson's fair lock: an RLock with a queue. Who has to wait stands in a list, and until when its
// place is kept, by the clients' clocks, in a sorted set. Each waiter has a channel of its own, and
// an unlock wakes the first one only.
//
// Known flaws that are kept: while the lock is free and its first waiter does not come, those
// behind it ask again and again without a pause; and who unlocks what has run out, and nobody has
// taken since, is not told so.
#include "harness/locks/redisson_common.h"

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

// Nil held, 1 busy. It never queues up.
static const struct redisson_step try_acquire = {
    {"local now, wait = tonumber(ARGV[3]), tonumber(ARGV[4]) " REMOVE_STALE TAKE_OR_REENTER
     "return 1"},
    {WORD_LOCK, WORD_QUEUE, WORD_TIMEOUTS},
    {WORD_LEASE, WORD_HOLDER, WORD_NOW, WORD_WAIT},
};

// Nil held, else busy for so many milliseconds, and now we are in the queue. A place is kept until
// the one before it is lost, and then for as long as we wait.
static const struct redisson_step acquire = {
    {"local wait, now = tonumber(ARGV[3]), tonumber(ARGV[4]) " REMOVE_STALE TAKE_OR_REENTER
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
     "return ttl"},
    {WORD_LOCK, WORD_QUEUE, WORD_TIMEOUTS},
    {WORD_LEASE, WORD_HOLDER, WORD_WAIT, WORD_NOW},
};

// Leaves the queue, and those behind wait the less.
static const struct redisson_step give_up = {
    {"local behind = false "
     "for _, waiter in ipairs(redis.call('LRANGE', KEYS[1], 0, -1)) do "
     "  if behind then redis.call('ZINCRBY', KEYS[2], -tonumber(ARGV[2]), waiter) end "
     "  if waiter == ARGV[1] then behind = true end "
     "end "
     "redis.call('ZREM', KEYS[2], ARGV[1]) "
     "redis.call('LREM', KEYS[1], 0, ARGV[1])"},
    {WORD_QUEUE, WORD_TIMEOUTS},
    {WORD_HOLDER, WORD_WAIT},
};

// 1 freed, or nobody's; 0 still held; nil another's.
static const struct redisson_step unlock = {
    {"local stored = redis.call('GET', KEYS[5]) "
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
     "redis.call('SET', KEYS[5], 1, 'PX', ARGV[6]) " WAKE_FIRST "return 1"},
    {WORD_LOCK, WORD_QUEUE, WORD_TIMEOUTS, WORD_CHANNEL, WORD_LATCH},
    {WORD_0, WORD_LEASE, WORD_HOLDER, WORD_NOW, WORD_PUBLISH, WORD_LATCH_LEASE},
};

const struct redisson_kind redisson_fair = {
    .channel = "redisson_lock__channel",
    .steps = {&acquire, &unlock, &try_acquire, &give_up},
    .lines_up = true,
    .has_own_channels = true,
};

const struct lock_scheme redisson_fair_scheme = {
    .name = "redisson-fair",
    .summary = "Redisson's fair lock: an RLock with a queue, timed by the clients' clocks",
    .breaks = "a pause longer than the lease; a failover; clients' clocks that differ spoil the "
              "order; a waiter that dies keeps all behind it waiting",
    .falls_to = (const char *const[]){"kill", "clock", NULL},
    .traits =
        LOCK_TRAITS("exclusive", "lease", "owner-checked", "reentrant", "fair", "renewed", "redis"),
    .rights = REDISSON_LOCK_RIGHTS " ~redisson_lock_queue:lockpick:* "
                                   "~redisson_lock_timeout:lockpick:* +hset +lindex +lpop +lrange "
                                   "+lrem +rpush +zadd +zincrby +zrange +zrem +zscore",
    REDISSON_HANDLES(&redisson_fair),
    REDISSON_WAITS,
    REDISSON_OWNED,
};
