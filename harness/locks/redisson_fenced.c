// Redisson's RFencedLock: an RLock, and a counter that every acquire raises, a further entry of the
// holder's too.
#include "harness/locks/redisson_common.h"

#define HELD (-1)

// {-1, token}: held. {ms, -1}: busy for so many milliseconds.
static const struct redis_script acquire_script = {
    "if redis.call('EXISTS', KEYS[1]) == 0 or redis.call('HEXISTS', KEYS[1], ARGV[2]) == 1 then "
    "  local token = redis.call('INCR', KEYS[2]) "
    "  redis.call('HINCRBY', KEYS[1], ARGV[2], 1) "
    "  redis.call('PEXPIRE', KEYS[1], ARGV[1]) "
    "  return {-1, token} "
    "end "
    "return {redis.call('PTTL', KEYS[1]), -1}"};

static enum outcome attempt(struct lock *lock, struct grant *grant, bool will_wait, int64_t *ttl_ms)
{
    (void)will_wait;
    const struct redisson_lock *state = redisson_of(lock);
    char counter[REDISSON_NAME];
    redisson_prefixed(counter, "redisson_lock_token", lock->options.name);
    const char *const keys[] = {lock->options.name, counter, NULL};
    const char *const arguments[] = {state->lease, state->holder, NULL};
    struct redis_answer answer;
    enum outcome outcome =
        redis_outcome(lock, redis_eval(redis_of(lock), &answer, &acquire_script, keys, arguments));
    if (outcome != OUTCOME_OK)
        return outcome;
    if (answer.items[0] != HELD) {
        *ttl_ms = answer.items[0];
        return OUTCOME_NO;
    }
    if (lock->options.fenced)
        grant->token = answer.items[1];
    return OUTCOME_OK;
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

static const char *const traits[] = {"exclusive", "lease",   "owner-checked", "fenced",
                                     "reentrant", "renewed", "redis",         NULL};

const struct lock_scheme redisson_fenced_scheme = {
    .name = "redisson-fenced",
    .summary = "Redisson's RFencedLock: an RLock whose every acquire draws a fencing token",
    .breaks = "a pause longer than the lease, unless the store checks its fencing token; a "
              "failover, which may take tokens back",
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
