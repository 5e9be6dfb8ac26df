// A queue in lists of Redis that renews its leases, by the steps of BullMQ's scripts (moveToActive,
// extendLock, moveToFinished, retryJob, moveStalledJobsToWait). A job goes from the list of those
// that wait to that of the active ones in the step that locks it: the lock is a key with the
// worker's token, which lasts for the lease, and which the worker's watchdog extends. The step that
// ends a job, or puts it back, asks first whether its lock is the worker's.
//
// An active job without a lock has stalled, and a worker that finds none waiting puts it back.
// BullMQ does so to jobs that it had marked a round before, 30 s earlier, to spare the locks of all
// others a look. Safety does not need the mark: no job becomes active without its lock.
//
// An attempt counts when a job is given out, and its number is the fencing token. A job that has
// had all of its attempts is removed instead of being given out again.
//
// The twin extends the lock of a job whoever's it is, as a heartbeat does that names only the job.
#include "harness/base/scope.h"
#include "harness/base/text.h"
#include "harness/locks/redis_common.h"

#include <stdio.h>

// KEYS waiting, active, attempts; ARGV token, lease, most attempts. The job and the number of the
// attempt; if there is none, how many are active and 0.
static const struct redis_script take = {
    "if redis.call('LLEN', KEYS[1]) == 0 then "
    "  for _, job in ipairs(redis.call('LRANGE', KEYS[2], 0, -1)) do "
    "    if redis.call('EXISTS', KEYS[2] .. ':' .. job) == 0 then "
    "      redis.call('LREM', KEYS[2], 1, job) "
    "      redis.call('RPUSH', KEYS[1], job) "
    "    end "
    "  end "
    "end "
    "local job, attempt "
    "repeat "
    "  job = redis.call('LPOP', KEYS[1]) "
    "  if not job then return {redis.call('LLEN', KEYS[2]), 0} end "
    "  attempt = redis.call('HINCRBY', KEYS[3], job, 1) "
    "until attempt <= tonumber(ARGV[3]) "
    "redis.call('RPUSH', KEYS[2], job) "
    "redis.call('SET', KEYS[2] .. ':' .. job, ARGV[1], 'PX', ARGV[2]) "
    "return {tonumber(job), attempt}"};

// KEYS lock, active, waiting; ARGV token, job, whether it is done. 1: it is ended or put back; 0:
// the lock is another's; -1: nobody's.
static const struct redis_script give_back = {
    "local owner = redis.call('GET', KEYS[1]) "
    "if owner ~= ARGV[1] then return owner and 0 or -1 end "
    "redis.call('DEL', KEYS[1]) "
    "redis.call('LREM', KEYS[2], 1, ARGV[2]) "
    "if ARGV[3] == '0' then redis.call('RPUSH', KEYS[3], ARGV[2]) end "
    "return 1"};

// KEYS lock; ARGV token, lease. 1: extended; 0: the lock is another's or nobody's.
static const struct redis_script extend = {"if redis.call('GET', KEYS[1]) == ARGV[1] then "
                                           "return redis.call('PEXPIRE', KEYS[1], ARGV[2]) "
                                           "else return 0 end"};
// The flaw: the token is not compared.
static const struct redis_script extend_unchecked = {
    "return redis.call('PEXPIRE', KEYS[1], ARGV[2])"};

struct names {
    char waiting[96], active[96], attempts[96];
};

static struct names names_of(const struct lock_options *options)
{
    struct names names;
    snprintf(names.waiting, sizeof names.waiting, "%s:waiting", options->queue);
    snprintf(names.active, sizeof names.active, "%s:active", options->queue);
    snprintf(names.attempts, sizeof names.attempts, "%s:attempts", options->queue);
    return names;
}

// Of the current or last job.
struct queue_lock {
    int64_t job;
    char lock[128]; // the key
};

static int set_up(const struct service *service, const struct lock_options *options,
                  struct error *error)
{
    return redis_add_job(service, options, names_of(options).waiting, error);
}

static enum outcome try_acquire(struct lock *lock, struct grant *grant)
{
    struct redis_answer answer;
    struct queue_lock *state = lock->state;
    struct names names = names_of(&lock->options);
    int64_t most = lock->options.attempts > 0 ? lock->options.attempts : INT64_MAX;
    AUTO_FREE char *lease = text_formatted("%lld", lease_ms(lock));
    AUTO_FREE char *attempts = text_formatted("%lld", (long long)most);
    const char *const keys[] = {names.waiting, names.active, names.attempts, NULL};
    const char *const arguments[] = {lock_new_token(lock, TOKEN_DIGITS), lease, attempts, NULL};
    grant->valid_until_ns = lease_ends_ns(lock);
    enum outcome outcome =
        lock_noted(lock, redis_eval(lock->connection, &answer, &take, keys, arguments));
    if (outcome != OUTCOME_OK)
        return outcome;
    if (answer.items[1] == 0) {
        grant->detail = answer.items[0] == 0 ? ACQUIRE_GONE : ACQUIRE_PLAIN;
        return OUTCOME_NO;
    }
    grant->job = state->job = answer.items[0];
    grant->token = lock->options.fenced ? answer.items[1] : 0;
    snprintf(state->lock, sizeof state->lock, "%s:%lld", names.active, (long long)state->job);
    return OUTCOME_OK;
}

static enum outcome renew_by(const struct renewal *renewal, const struct redis_script *script)
{
    const struct queue_lock *state = renewal->lock->state;
    const struct lock_client *client = renewal->lock->client;
    struct lock_options options = client->options;
    struct redis_answer answer;
    options.name = state->lock;
    enum outcome outcome =
        redis_run(client->connection, &answer, &options, script, NULL, renewal->lock->token);
    return redis_renewed(outcome, &answer);
}

static enum outcome renew(struct renewal *renewal)
{
    return renew_by(renewal, &extend);
}

static enum outcome renew_unchecked(struct renewal *renewal)
{
    return renew_by(renewal, &extend_unchecked);
}

static enum release_answer release(struct lock *lock)
{
    struct redis_answer answer;
    const struct queue_lock *state = lock->state;
    struct names names = names_of(&lock->options);
    AUTO_FREE char *job = text_formatted("%lld", (long long)state->job);
    const char *const keys[] = {state->lock, names.active, names.waiting, NULL};
    const char *const arguments[] = {lock->token, job, lock->is_done ? "1" : "0", NULL};
    enum outcome outcome =
        lock_noted(lock, redis_eval(lock->connection, &answer, &give_back, keys, arguments));
    return redis_release_answer(outcome, &answer);
}

#define BULLMQ                                                                                     \
    REDIS_SCHEME,                                                                                  \
        .traits = LOCK_TRAITS("exclusive", "lease", "owner-checked", "fenced", "renewed",          \
                              "job-queue", "redis"),                                               \
        .rights = REDIS_CHECKED_RIGHTS "+set +rpush +lpop +lrange +llen +lrem +exists +hincrby "   \
                                       "+pexpire",                                                 \
        .undeclared_keys = "lockpick:*:active:*", .lock_bytes = sizeof(struct queue_lock),         \
        .set_up = set_up, .try_acquire = try_acquire, .release = release

const struct lock_scheme bullmq_scheme = {
    .name = "bullmq",
    .summary = "a queue as BullMQ keeps it: an active job has a lock, which a watchdog renews",
    .breaks = "a pause of the whole process beyond the lease, unless the store checks its fencing "
              "token; a failover",
    BULLMQ,
    .renewal = &(const struct watchdog_settings){.renew = renew},
    .kind = (const struct redis_script *const[]){&take, &give_back, &extend, NULL},
};

const struct lock_scheme bullmq_unchecked_scheme = {
    .name = "bullmq-unchecked",
    .summary = "bullmq, with a watchdog that does not check the owner",
    .breaks = "a worker that has lost its job extends another's lock, and works on",
    BULLMQ,
    .renewal = &(const struct watchdog_settings){.renew = renew_unchecked},
    .kind = (const struct redis_script *const[]){&take, &give_back, &extend_unchecked, NULL},
};
