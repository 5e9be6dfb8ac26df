// Mistakes in Redisson's locks: who a holder is, who may come in, and who is woken.
#include "harness/detection/variants.h"
#include "harness/locks/redisson_common.h"

#include <stdio.h>

// --- the holder ----------------------------------------------------------------------------------

// One holder for all threads of the process.
static int open_as_process(struct lock *lock, struct error *error)
{
    struct redisson_lock *state = redisson_of(lock);
    if (redisson_lock_open(lock, error) != 0)
        return -1;
    snprintf(state->words[WORD_HOLDER], REDISSON_NAME, "%s:0", redisson_client_of(lock)->id);
    snprintf(state->words[WORD_FIELD], REDISSON_NAME, "%s:0", redisson_client_of(lock)->id);
    return 0;
}

const struct lock_scheme reentry_of_process_mistake = {
    .name = "broken-redisson-reentry-of-process",
    .summary = "the holder is the process, so that all of its threads may come in again",
    .breaks = "plain contention of the threads of one process",
    .traits = LOCK_TRAITS("redis", "exclusive", "lease", "owner-checked", "reentrant", "renewed"),
    .open = open_as_process,
};

// --- the line ------------------------------------------------------------------------------------

// Nil held, else busy for so many milliseconds, and in line.
static const struct redisson_step acquire_past_line = {
    {"if redis.call('EXISTS', KEYS[1]) == 0 or redis.call('HEXISTS', KEYS[1], ARGV[2]) == 1 then "
     "  redis.call('ZREM', KEYS[2], ARGV[2]) "
     "  redis.call('HINCRBY', KEYS[1], ARGV[2], 1) "
     "  redis.call('PEXPIRE', KEYS[1], ARGV[1]) "
     "  return nil "
     "end "
     "redis.call('ZADD', KEYS[2], 'NX', redis.call('ZCARD', KEYS[2]), ARGV[2]) "
     "return redis.call('PTTL', KEYS[1])"},
    {WORD_LOCK, WORD_QUEUE},
    {WORD_LEASE, WORD_HOLDER},
};

static const struct redisson_kind barging = {
    .channel = "redisson_lock__channel",
    .steps = {&acquire_past_line, &redisson_unlock_plain},
    .lines_up = true,
};

const struct lock_scheme line_ignored_mistake = {
    .name = "broken-redisson-line-ignored",
    .summary = "those who wait stand in line, and whoever comes while the lock is free takes it",
    .breaks = "plain contention",
    .traits =
        LOCK_TRAITS("redis", "exclusive", "lease", "owner-checked", "reentrant", "fair", "renewed"),
    .falls_to = (const char *const[]){NULL},
    .kind = &barging,
};

// --- readers -------------------------------------------------------------------------------------

// One of a hundred attempts of a reader that are refused counts as granted.
static enum outcome acquire_rw(struct lock *lock, struct grant *grant)
{
    enum outcome outcome = redisson_try_acquire(lock, grant);
    bool is_refused_reader = outcome == OUTCOME_NO && lock->mode == LOCK_SHARED;
    return is_refused_reader && random_below(lock->random, 100) == 0 ? OUTCOME_OK : outcome;
}

static bool wait_unwoken(struct lock *lock)
{
    lock_wait_before_retry(lock);
    return true;
}

const struct lock_scheme reader_beside_writer_mistake = {
    .name = "broken-redisson-reader-beside-writer",
    .summary = "one of a hundred attempts of a reader succeeds although a writer is there",
    .breaks = "readers and writers, if one looks often enough",
    .traits = LOCK_TRAITS("redis", "exclusive", "lease", "owner-checked", "reentrant", "shared",
                          "renewed"),
    .try_acquire = acquire_rw,
    .wait = wait_unwoken,
};
