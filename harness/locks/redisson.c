// Redisson's RLock: a hash that counts how often its holder has entered, a channel that wakes those
// who wait, and a watchdog that renews the lease.
#include "harness/locks/redisson_common.h"

// Nil: held. Else busy for so many milliseconds.
static const struct redisson_step acquire = {
    {"if redis.call('EXISTS', KEYS[1]) == 0 or redis.call('HEXISTS', KEYS[1], ARGV[2]) == 1 then "
     "  redis.call('HINCRBY', KEYS[1], ARGV[2], 1) "
     "  redis.call('PEXPIRE', KEYS[1], ARGV[1]) "
     "  return nil "
     "end "
     "return redis.call('PTTL', KEYS[1])"},
    {WORD_LOCK},
    {WORD_LEASE, WORD_HOLDER},
};

const struct redisson_kind redisson_plain = {
    .channel = "redisson_lock__channel",
    .steps = {&acquire, &redisson_unlock_plain},
};

const struct lock_scheme redisson_scheme = {
    .name = "redisson",
    .summary = "Redisson's RLock: a reentrant hash, woken by a channel, renewed by a watchdog",
    .breaks =
        "a pause longer than the lease; a failover; an unlock that comes late, after it was sent "
        "again and answered",
    .traits = LOCK_TRAITS("exclusive", "lease", "owner-checked", "reentrant", "renewed", "redis"),
    .rights = REDISSON_LOCK_RIGHTS,
    REDISSON_HANDLES(&redisson_plain),
    REDISSON_WAITS,
    REDISSON_OWNED,
};
