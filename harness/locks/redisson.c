// Redisson's RLock: a hash that counts how often its holder has entered, a channel that wakes those
// who wait, and a watchdog that renews the lease.
#include "harness/locks/redisson_common.h"

// Nil: held. Else busy for so many milliseconds.
static const struct redis_script acquire_script = {
    "if redis.call('EXISTS', KEYS[1]) == 0 or redis.call('HEXISTS', KEYS[1], ARGV[2]) == 1 then "
    "  redis.call('HINCRBY', KEYS[1], ARGV[2], 1) "
    "  redis.call('PEXPIRE', KEYS[1], ARGV[1]) "
    "  return nil "
    "end "
    "return redis.call('PTTL', KEYS[1])"};

static enum outcome attempt(struct lock *lock, struct grant *grant, bool will_wait, int64_t *ttl_ms)
{
    (void)grant, (void)will_wait;
    const struct redisson_lock *state = redisson_of(lock);
    const char *const keys[] = {lock->options.name, NULL};
    const char *const arguments[] = {state->lease, state->holder, NULL};
    return redisson_attempt(lock, &acquire_script, keys, arguments, ttl_ms);
}

static const struct redis_script *const scripts[] = {&acquire_script, &redisson_unlock_script,
                                                     NULL};

static const struct redisson_kind kind = {
    .channel = "redisson_lock__channel",
    .scripts = scripts,
    .permits = redisson_lock_permits,
    .is_renewed = true,
    .attempt = attempt,
    .unlock = redisson_unlock_plain,
    .is_owner_checked = true,
};

static int open_client(struct lock_client *client, struct error *error)
{
    return redisson_client_open(client, &kind, error);
}

static int open_lock(struct lock *lock, struct error *error)
{
    return redisson_lock_open(lock, &kind, error);
}

static const char *const traits[] = {"exclusive", "lease", "owner-checked", "reentrant", "renewed",
                                     "redis",     NULL};

const struct lock_scheme redisson_scheme = {
    .name = "redisson",
    .summary = "Redisson's RLock: a reentrant hash, woken by a channel, renewed by a watchdog",
    .breaks =
        "a pause longer than the lease; a failover; an unlock that comes late, after it was sent "
        "again and answered",
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
    .force_release = redisson_force_plain,
};
