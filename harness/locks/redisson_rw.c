// Redisson's RReadWriteLock: one hash with a field `mode` (read or write), a field that counts the
// holds of each reader, and one of the writer. Each hold of a reader has a key besides, whose
// expiry is that of the hold; the hash lives as long as the longest.
//
// Known flaws that are kept: writers get no precedence; a writer that reads too and then stops
// writing wakes nobody; a writer's message wakes those who wait, and who was refused but does not
// wait yet misses it; who enters a write lock again adds a lease to the one that is left.
#include "harness/locks/redisson_common.h"

// ARGV lease, reader, reader as a writer. Nil: held.
static const struct redisson_step acquire_read = {
    {"local mode = redis.call('HGET', KEYS[1], 'mode') "
     "if mode == false then "
     "  redis.call('HSET', KEYS[1], 'mode', 'read') "
     "  redis.call('HSET', KEYS[1], ARGV[2], 1) "
     "  redis.call('SET', KEYS[2] .. ':1', 1) "
     "  redis.call('PEXPIRE', KEYS[2] .. ':1', ARGV[1]) "
     "  redis.call('PEXPIRE', KEYS[1], ARGV[1]) "
     "  return nil "
     "end "
     "if mode == 'read' or mode == 'write' and redis.call('HEXISTS', KEYS[1], ARGV[3]) == 1 then "
     "  local key = KEYS[2] .. ':' .. redis.call('HINCRBY', KEYS[1], ARGV[2], 1) "
     "  redis.call('SET', key, 1) "
     "  redis.call('PEXPIRE', key, ARGV[1]) "
     "  redis.call('PEXPIRE', KEYS[1], math.max(redis.call('PTTL', KEYS[1]), ARGV[1])) "
     "  return nil "
     "end "
     "return redis.call('PTTL', KEYS[1])"},
    {WORD_LOCK, WORD_READS},
    {WORD_LEASE, WORD_HOLDER, WORD_FIELD},
};

// Nil: held.
static const struct redisson_step acquire_write = {
    {"local mode = redis.call('HGET', KEYS[1], 'mode') "
     "if mode == false then "
     "  redis.call('HSET', KEYS[1], 'mode', 'write') "
     "  redis.call('HSET', KEYS[1], ARGV[2], 1) "
     "  redis.call('PEXPIRE', KEYS[1], ARGV[1]) "
     "  return nil "
     "end "
     "if mode == 'write' and redis.call('HEXISTS', KEYS[1], ARGV[2]) == 1 then "
     "  redis.call('HINCRBY', KEYS[1], ARGV[2], 1) "
     "  redis.call('PEXPIRE', KEYS[1], redis.call('PTTL', KEYS[1]) + ARGV[1]) "
     "  return nil "
     "end "
     "return redis.call('PTTL', KEYS[1])"},
    {WORD_LOCK},
    {WORD_LEASE, WORD_FIELD},
};

// 1: the last one has left. 0: others are there, and the lock lasts as long as the longest of their
// holds.
static const struct redisson_step unlock_read = {
    {"local stored = redis.call('GET', KEYS[5]) "
     "if stored ~= false then return tonumber(stored) end "
     "local mode = redis.call('HGET', KEYS[1], 'mode') "
     "if mode == false then "
     "  redis.call(ARGV[3], KEYS[2], ARGV[1]) "
     "  redis.call('SET', KEYS[5], 1, 'PX', ARGV[4]) "
     "  return nil "
     "end "
     "if redis.call('HEXISTS', KEYS[1], ARGV[2]) == 0 then return nil end "
     "local count = redis.call('HINCRBY', KEYS[1], ARGV[2], -1) "
     "if count == 0 then redis.call('HDEL', KEYS[1], ARGV[2]) end "
     "redis.call('DEL', KEYS[3] .. ':' .. (count + 1)) "
     "if redis.call('HLEN', KEYS[1]) > 1 then "
     "  local longest = -3 "
     "  for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do "
     "    for n = tonumber(redis.call('HGET', KEYS[1], field)) or 0, 1, -1 do "
     "      local key = KEYS[4] .. ':' .. field .. ':rwlock_timeout:' .. n "
     "      longest = math.max(redis.call('PTTL', key), longest) "
     "    end "
     "  end "
     "  if longest > 0 then redis.call('PEXPIRE', KEYS[1], longest) end "
     "  if longest > 0 or mode == 'write' then "
     "    redis.call('SET', KEYS[5], 0, 'PX', ARGV[4]) "
     "    return 0 "
     "  end "
     "end "
     "redis.call('DEL', KEYS[1]) "
     "redis.call(ARGV[3], KEYS[2], ARGV[1]) "
     "redis.call('SET', KEYS[5], 1, 'PX', ARGV[4]) "
     "return 1"},
    {WORD_LOCK, WORD_CHANNEL, WORD_READS, WORD_TAGGED, WORD_LATCH},
    {WORD_0, WORD_HOLDER, WORD_PUBLISH, WORD_LATCH_LEASE},
};

// 1: it writes no more. 0: it still does.
static const struct redisson_step unlock_write = {
    {"local stored = redis.call('GET', KEYS[3]) "
     "if stored ~= false then return tonumber(stored) end "
     "local mode = redis.call('HGET', KEYS[1], 'mode') "
     "if mode == false then "
     "  redis.call(ARGV[4], KEYS[2], ARGV[1]) "
     "  redis.call('SET', KEYS[3], 1, 'PX', ARGV[5]) "
     "  return nil "
     "end "
     "if mode ~= 'write' or redis.call('HEXISTS', KEYS[1], ARGV[3]) == 0 then return nil end "
     "if redis.call('HINCRBY', KEYS[1], ARGV[3], -1) > 0 then "
     "  redis.call('PEXPIRE', KEYS[1], ARGV[2]) "
     "  redis.call('SET', KEYS[3], 0, 'PX', ARGV[5]) "
     "  return 0 "
     "end "
     "redis.call('HDEL', KEYS[1], ARGV[3]) "
     "if redis.call('HLEN', KEYS[1]) == 1 then "
     "  redis.call('DEL', KEYS[1]) "
     "  redis.call(ARGV[4], KEYS[2], ARGV[1]) "
     "else "
     "  redis.call('HSET', KEYS[1], 'mode', 'read') "
     "end "
     "redis.call('SET', KEYS[3], 1, 'PX', ARGV[5]) "
     "return 1"},
    {WORD_LOCK, WORD_CHANNEL, WORD_LATCH},
    {WORD_1, WORD_LEASE, WORD_FIELD, WORD_PUBLISH, WORD_LATCH_LEASE},
};

const struct redisson_kind redisson_rw = {
    .channel = "redisson_rwlock",
    .steps = {&acquire_write, &unlock_write},
    .to_share = {&acquire_read, &unlock_read},
};

const struct lock_scheme redisson_rw_scheme = {
    .name = "redisson-rw",
    .summary = "Redisson's RReadWriteLock: readers and a writer in one hash, woken by a channel",
    .breaks = "a pause longer than the lease; a failover",
    .traits = LOCK_TRAITS("exclusive", "lease", "owner-checked", "reentrant", "shared", "renewed",
                          "redis"),
    .rights = REDISSON_OWNED_RIGHTS("redisson_rwlock") "+hdel +hget +hkeys +hlen +hset",
    .undeclared_keys = "*:rwlock_timeout:*",
    REDISSON_HANDLES(&redisson_rw),
    REDISSON_WAITS,
    REDISSON_OWNED,
};
