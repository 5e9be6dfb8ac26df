// Redisson's RReadWriteLock: one hash with a field `mode` (read or write), a field that counts the
// holds of each reader, and one of the writer. Each hold of a reader has a key besides, whose
// expiry is that of the hold; the hash lives as long as the longest.
//
// Known flaws that are kept: writers get no precedence; a writer that reads too and then stops
// writing wakes nobody; a writer's message wakes those who wait, and who was refused but does not
// wait yet misses it; who enters a write lock again adds a lease to the one that is left.
#include "harness/locks/redisson_common.h"

#include <stdio.h>

// KEYS lock, time-outs of the reader; ARGV lease, reader, reader as a writer. Nil: held.
static const struct redis_script acquire_read = {
    "local mode = redis.call('HGET', KEYS[1], 'mode') "
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
    "return redis.call('PTTL', KEYS[1])"};

// KEYS lock; ARGV lease, writer. Nil: held.
static const struct redis_script acquire_write = {
    "local mode = redis.call('HGET', KEYS[1], 'mode') "
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
    "return redis.call('PTTL', KEYS[1])"};

// KEYS lock, channel, time-outs of the reader, prefix of everybody's, latch; ARGV message, reader,
// PUBLISH, latch's lease. 1: the last one has left. 0: others are there, and the lock lasts as long
// as the longest of their holds.
static const struct redis_script unlock_read = {
    "local stored = redis.call('GET', KEYS[5]) "
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
    "return 1"};

// KEYS lock, channel, latch; ARGV message, lease, writer, PUBLISH, latch's lease. 1: it writes no
// more. 0: it still does.
static const struct redis_script unlock_write = {
    "local stored = redis.call('GET', KEYS[3]) "
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
    "return 1"};

// KEYS lock, channel; ARGV message, PUBLISH.
#define FORCE_UNLOCK(mode)                                                                         \
    "if redis.call('HGET', KEYS[1], 'mode') ~= '" mode "' then return 0 end "                      \
    "redis.call('DEL', KEYS[1]) "                                                                  \
    "redis.call(ARGV[2], KEYS[2], ARGV[1]) "                                                       \
    "return 1"

static const struct redis_script force_read = {FORCE_UNLOCK("read")};
static const struct redis_script force_write = {FORCE_UNLOCK("write")};

// "{lock}:<reader>:rwlock_timeout", to which the number of the hold is added.
static const char *timeouts_of(const struct lock *lock, char out[2 * REDISSON_NAME])
{
    char name[REDISSON_NAME];
    snprintf(out, 2 * REDISSON_NAME, "%s:%s:rwlock_timeout",
             redisson_tagged(name, lock->options.name), redisson_of(lock)->holder);
    return out;
}

// What is acquired now is what the watchdog renews later; a further entry changes nothing of that.
static enum outcome attempt(struct lock *lock, struct grant *grant, bool will_wait, int64_t *ttl_ms)
{
    (void)grant, (void)will_wait;
    struct redisson_lock *state = redisson_of(lock);
    bool reading = lock->mode == LOCK_SHARED;
    char timeouts[2 * REDISSON_NAME];
    if (state->is_reading != reading)
        state->is_reading = reading;
    const char *const to_read[] = {lock->options.name, timeouts_of(lock, timeouts), NULL};
    const char *const to_write[] = {lock->options.name, NULL};
    const char *const reader[] = {state->lease, state->holder, state->field, NULL};
    const char *const writer[] = {state->lease, state->field, NULL};
    return redisson_attempt(lock, reading ? &acquire_read : &acquire_write,
                            reading ? to_read : to_write, reading ? reader : writer, ttl_ms);
}

static enum redisson_answer stop_reading(struct lock *lock)
{
    const struct redisson_lock *state = redisson_of(lock);
    char timeouts[2 * REDISSON_NAME];
    char prefix[REDISSON_NAME];
    const char *const keys[] = {
        lock->options.name,          state->channel,
        timeouts_of(lock, timeouts), redisson_tagged(prefix, lock->options.name),
        redisson_new_latch(lock),    NULL};
    const char *const arguments[] = {REDISSON_WAKES_ONE, state->holder, REDISSON_PUBLISH,
                                     state->latch_lease, NULL};
    return redisson_unlock(lock, &unlock_read, keys, arguments);
}

static enum redisson_answer stop_writing(struct lock *lock)
{
    const struct redisson_lock *state = redisson_of(lock);
    const char *const keys[] = {lock->options.name, state->channel, redisson_new_latch(lock), NULL};
    const char *const arguments[] = {REDISSON_WAKES_ALL, state->lease,       state->field,
                                     REDISSON_PUBLISH,   state->latch_lease, NULL};
    return redisson_unlock(lock, &unlock_write, keys, arguments);
}

static enum redisson_answer unlock(struct lock *lock)
{
    return lock->mode == LOCK_SHARED ? stop_reading(lock) : stop_writing(lock);
}

// Removes all readers, or the writer, as the mode says.
static enum release_answer force_release(struct lock *lock)
{
    bool reading = lock->mode == LOCK_SHARED;
    const char *const keys[] = {lock->options.name, redisson_of(lock)->channel, NULL};
    const char *const arguments[] = {reading ? REDISSON_WAKES_ONE : REDISSON_WAKES_ALL,
                                     REDISSON_PUBLISH, NULL};
    return redisson_force(lock, reading ? &force_read : &force_write, keys, arguments);
}

static const struct redis_script *const scripts[] = {&acquire_read, &acquire_write, &unlock_read,
                                                     &unlock_write, NULL};

static const struct redisson_kind kind = {
    .channel = "redisson_rwlock",
    .scripts = scripts,
    .permits = redisson_lock_permits,
    .is_renewed = true,
    .attempt = attempt,
    .unlock = unlock,
    .is_owner_checked = true,
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
    snprintf(state->field, sizeof state->field, "%s:write", state->holder);
    return 0;
}

static const char *const traits[] = {"exclusive", "lease",   "owner-checked", "reentrant",
                                     "shared",    "renewed", "redis",         NULL};

const struct lock_scheme redisson_rw_scheme = {
    .name = "redisson-rw",
    .summary = "Redisson's RReadWriteLock: readers and a writer in one hash, woken by a channel",
    .breaks = "a pause longer than the lease; a failover",
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
