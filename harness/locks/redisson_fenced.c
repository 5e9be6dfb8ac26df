// Redisson's RFencedLock: an RLock, and a counter that every acquire raises, a further entry of the
// holder's too.
#include "harness/locks/redisson_common.h"

// {-1, token}: held. {ms, -1}: busy for so many milliseconds.
static const struct redisson_step acquire = {
    {"if redis.call('EXISTS', KEYS[1]) == 0 or redis.call('HEXISTS', KEYS[1], ARGV[2]) == 1 then "
     "  local token = redis.call('INCR', KEYS[2]) "
     "  redis.call('HINCRBY', KEYS[1], ARGV[2], 1) "
     "  redis.call('PEXPIRE', KEYS[1], ARGV[1]) "
     "  return {-1, token} "
     "end "
     "return {redis.call('PTTL', KEYS[1]), -1}"},
    {WORD_LOCK, WORD_COUNTER},
    {WORD_LEASE, WORD_HOLDER},
};

const struct redisson_kind redisson_fenced = {
    .channel = "redisson_lock__channel",
    .steps = {&acquire, &redisson_unlock_plain},
};

const struct lock_scheme redisson_fenced_scheme = {
    .name = "redisson-fenced",
    .summary = "Redisson's RFencedLock: an RLock whose every acquire draws a fencing token",
    .breaks = "a pause longer than the lease, unless the store checks its fencing token; a "
              "failover, which may take tokens back",
    .traits = LOCK_TRAITS("exclusive", "lease", "owner-checked", "fenced", "reentrant", "renewed",
                          "redis"),
    .rights = REDISSON_LOCK_RIGHTS " ~redisson_lock_token:lockpick:* +incr",
    REDISSON_HANDLES(&redisson_fenced),
    REDISSON_WAITS,
    REDISSON_OWNED,
};
