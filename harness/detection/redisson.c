// Mistakes in Redisson's locks: who a holder is, who may come in, and who is woken.
#include "harness/locks/catalogue.h"
#include "harness/locks/redisson_common.h"

#include "harness/detection/variants.h"

#include <stdio.h>

// --- the holder ----------------------------------------------------------------------------------

// One holder for all threads of the process.
static int open_as_process(struct lock *lock, struct error *error)
{
    if (redisson_scheme.open(lock, error) != 0)
        return -1;
    struct redisson_lock *state = redisson_of(lock);
    snprintf(state->holder, sizeof state->holder, "%s:0", redisson_client_of(lock)->id);
    snprintf(state->field, sizeof state->field, "%s", state->holder);
    return 0;
}

static int open_redisson_client(struct lock_client *client, struct error *error)
{
    return redisson_scheme.open_client(client, error);
}

const struct lock_scheme reentry_of_process_variant = {
    .name = "broken-redisson-reentry-of-process",
    .summary = "the holder is the process, so that all of its threads may come in again",
    .breaks = "plain contention of the threads of one process",
    .traits = (const char *const[]){"redis", "exclusive", "lease", "owner-checked", "reentrant",
                                    "renewed", NULL},
    .server = "redis",
    .topologies = redis_topologies,
    .clean_up = redisson_clean_up,
    .open_client = open_redisson_client,
    .close_client = redisson_client_close,
    .open = open_as_process,
    .close = redisson_lock_close,
    .acquire = redisson_acquire,
    .release = redisson_release,
    .reenter = redisson_reenter,
    .leave = redisson_leave,
};

// --- the line ------------------------------------------------------------------------------------

// KEYS lock, line; ARGV lease, holder: nil held, else busy for so many milliseconds, and in line.
static const struct redis_script barging_script = {
    "if redis.call('EXISTS', KEYS[1]) == 0 or redis.call('HEXISTS', KEYS[1], ARGV[2]) == 1 then "
    "  redis.call('ZREM', KEYS[2], ARGV[2]) "
    "  redis.call('HINCRBY', KEYS[1], ARGV[2], 1) "
    "  redis.call('PEXPIRE', KEYS[1], ARGV[1]) "
    "  return nil "
    "end "
    "redis.call('ZADD', KEYS[2], 'NX', redis.call('ZCARD', KEYS[2]), ARGV[2]) "
    "return redis.call('PTTL', KEYS[1])"};

static enum outcome attempt_past_line(struct lock *lock, struct grant *grant, bool will_wait,
                                      int64_t *ttl_ms)
{
    char line[REDISSON_NAME];
    const struct redisson_lock *state = redisson_of(lock);
    const char *const keys[] = {lock->options.name,
                                redisson_prefixed(line, "redisson_lock_line", lock->options.name),
                                NULL};
    const char *const arguments[] = {state->lease, state->holder, NULL};
    enum outcome outcome = redisson_attempt(lock, &barging_script, keys, arguments, ttl_ms);
    if (will_wait)
        redisson_queued(lock, grant, outcome, TIME_NEVER);
    return outcome;
}

static const struct redis_script *const barging_scripts[] = {&barging_script,
                                                             &redisson_unlock_script, NULL};

static const struct redisson_kind barging = {
    .channel = "redisson_lock__channel",
    .scripts = barging_scripts,
    .permits = redisson_lock_permits,
    .is_renewed = true,
    .attempt = attempt_past_line,
    .unlock = redisson_unlock_plain,
    .is_owner_checked = true,
};

static int open_barging_client(struct lock_client *client, struct error *error)
{
    return redisson_client_open(client, &barging, error);
}

static int open_barging(struct lock *lock, struct error *error)
{
    return redisson_lock_open(lock, &barging, error);
}

const struct lock_scheme line_ignored_variant = {
    .name = "broken-redisson-line-ignored",
    .summary = "those who wait stand in line, and whoever comes while the lock is free takes it",
    .breaks = "plain contention",
    .traits = (const char *const[]){"redis", "exclusive", "lease", "owner-checked", "reentrant",
                                    "fair", "renewed", NULL},
    .server = "redis",
    .topologies = redis_topologies,
    .clean_up = redisson_clean_up,
    .open_client = open_barging_client,
    .close_client = redisson_client_close,
    .open = open_barging,
    .close = redisson_lock_close,
    .acquire = redisson_acquire,
    .release = redisson_release,
    .reenter = redisson_reenter,
    .leave = redisson_leave,
};

// --- readers -------------------------------------------------------------------------------------

static int open_rw_client(struct lock_client *client, struct error *error)
{
    return redisson_rw_scheme.open_client(client, error);
}

static int open_rw_lock(struct lock *lock, struct error *error)
{
    return redisson_rw_scheme.open(lock, error);
}

// Tries again and again; one of a hundred attempts of a reader that are refused counts as granted.
static enum outcome acquire_rw(struct lock *lock, struct grant *grant, int64_t give_up_ns)
{
    for (;;) {
        enum outcome outcome = redisson_acquire(lock, grant, 0);
        bool is_refused_reader = outcome == OUTCOME_NO && lock->mode == LOCK_SHARED;
        if (is_refused_reader && random_below(lock->random, 100) == 0)
            return OUTCOME_OK;
        if (outcome != OUTCOME_NO || lock_must_give_up(lock, give_up_ns))
            return outcome;
        lock_wait_before_retry(lock, give_up_ns);
    }
}

const struct lock_scheme reader_beside_writer_variant = {
    .name = "broken-redisson-reader-beside-writer",
    .summary = "one of a hundred attempts of a reader succeeds although a writer is there",
    .breaks = "readers and writers, if one looks often enough",
    .traits = (const char *const[]){"redis", "exclusive", "lease", "owner-checked", "reentrant",
                                    "shared", "renewed", NULL},
    .server = "redis",
    .topologies = redis_topologies,
    .clean_up = redisson_clean_up,
    .open_client = open_rw_client,
    .close_client = redisson_client_close,
    .open = open_rw_lock,
    .close = redisson_lock_close,
    .acquire = acquire_rw,
    .release = redisson_release,
    .reenter = redisson_reenter,
    .leave = redisson_leave,
};
