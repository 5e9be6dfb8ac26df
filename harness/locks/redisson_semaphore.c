// Redisson's RSemaphore: a counter of free permits, and a channel that wakes those who wait for
// one. Nobody owns a permit, and none expires.
//
// Known flaws that are kept: a permit of a crashed client, or one whose grant was not answered, is
// lost for ever; a release too many makes one; a waiter whose message is lost is not woken by
// anything else.
#include "harness/locks/redisson_common.h"

#include <stdlib.h>

#define ONE "1"

// ARGV permits. 1: taken.
static const struct redis_script acquire_script = {
    "local value = redis.call('GET', KEYS[1]) "
    "if value ~= false and tonumber(value) >= tonumber(ARGV[1]) then "
    "  redis.call('DECRBY', KEYS[1], ARGV[1]) "
    "  return 1 "
    "end "
    "return 0"};

// KEYS semaphore, channel; ARGV permits, PUBLISH. The message is how many are free now.
static const struct redis_script release_script = {
    "local value = redis.call('INCRBY', KEYS[1], ARGV[1]) "
    "redis.call(ARGV[2], KEYS[2], value)"};

// The same keys and arguments: trySetPermits.
static const struct redis_script set_permits = {
    "if redis.call('GET', KEYS[1]) ~= false then return 0 end "
    "redis.call('SET', KEYS[1], ARGV[1]) "
    "redis.call(ARGV[2], KEYS[2], ARGV[1]) "
    "return 1"};

#define CHANNEL "redisson_sc"

static int set_up(const struct service *service, const struct lock_options *options,
                  struct error *error)
{
    struct actor nobody = {.phase = PHASE_NONE};
    struct redis_answer answer;
    char channel[REDISSON_NAME];
    char permits[REDISSON_NUMBER];
    const char *const keys[] = {options->name, redisson_prefixed(channel, CHANNEL, options->name),
                                NULL};
    const char *const arguments[] = {redisson_number(permits, options->permits), REDISSON_PUBLISH,
                                     NULL};
    struct redis_connection *connection = redis_open(service, options->request_ns, &nobody, error);
    if (connection == NULL)
        return -1;
    int result = 0;
    if (redis_eval(connection, &answer, &set_permits, keys, arguments) != OUTCOME_OK)
        result = error_set(error, "cannot set the permits of the semaphore %s: %s", options->name,
                           redis_error(connection));
    redis_close(connection);
    return result;
}

// As many as the message says are free, but no more than there are subscribers.
static size_t permits_of(const char *message, size_t subscribers, size_t waiters)
{
    (void)waiters;
    long long number = strtoll(message, NULL, 10);
    size_t free_now = number > 0 ? (size_t)number : 0;
    return free_now < subscribers ? free_now : subscribers;
}

// Busy has no end but a message.
static enum outcome attempt(struct lock *lock, struct grant *grant, bool will_wait, int64_t *ttl_ms)
{
    (void)grant, (void)will_wait;
    const char *const keys[] = {lock->options.name, NULL};
    const char *const arguments[] = {ONE, NULL};
    struct redis_answer answer;
    enum outcome outcome =
        redis_outcome(lock, redis_eval(redis_of(lock), &answer, &acquire_script, keys, arguments));
    if (outcome != OUTCOME_OK || answer.integer == 1)
        return outcome;
    *ttl_ms = -1;
    return OUTCOME_NO;
}

// Not sent again without an answer: it would make a permit if the first one was executed.
static enum redisson_answer give_back(struct lock *lock)
{
    const char *const keys[] = {lock->options.name, redisson_of(lock)->channel, NULL};
    const char *const arguments[] = {ONE, REDISSON_PUBLISH, NULL};
    struct redis_answer answer;
    enum outcome outcome =
        redis_outcome(lock, redis_eval(redis_of(lock), &answer, &release_script, keys, arguments));
    return outcome == OUTCOME_OK ? REDISSON_FREED : REDISSON_NO_ANSWER;
}

static enum release_answer release(struct lock *lock)
{
    return give_back(lock) == REDISSON_FREED ? RELEASE_UNCHECKED : RELEASE_UNKNOWN;
}

static const struct redis_script *const scripts[] = {&acquire_script, &release_script, NULL};

static const struct redisson_kind kind = {
    .channel = CHANNEL,
    .scripts = scripts,
    .permits = permits_of,
    .attempt = attempt,
    .unlock = give_back,
};

static int open_client(struct lock_client *client, struct error *error)
{
    return redisson_client_open(client, &kind, error);
}

static int open_lock(struct lock *lock, struct error *error)
{
    return redisson_lock_open(lock, &kind, error);
}

static const char *const traits[] = {"exclusive", "permits", "redis", NULL};

const struct lock_scheme redisson_semaphore_scheme = {
    .name = "redisson-semaphore",
    .summary = "Redisson's RSemaphore: a counter of permits, woken by a channel",
    .breaks = "a crash loses a permit for ever; a release without a permit makes one; a failover",
    .traits = traits,
    .server = "redis",
    .topologies = redis_topologies,
    .set_up = set_up,
    .clean_up = redisson_clean_up,
    .open_client = open_client,
    .close_client = redisson_client_close,
    .open = open_lock,
    .close = redisson_lock_close,
    .acquire = redisson_acquire,
    .release = release,
};
