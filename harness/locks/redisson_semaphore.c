// Redisson's RSemaphore: a counter of free permits, and a channel that wakes those who wait for
// one. Nobody owns a permit, and none expires.
//
// Known flaws that are kept: a permit of a crashed client, or one whose grant was not answered, is
// lost for ever; a release too many makes one; a waiter whose message is lost, with its connection
// or in a restart, is not woken by anything else: it subscribes anew, and does not look again.
#include "harness/locks/redisson_common.h"

#include <stdio.h>
#include <string.h>

// 1: taken.
static const struct redisson_step acquire = {
    {"local value = redis.call('GET', KEYS[1]) "
     "if value ~= false and tonumber(value) >= tonumber(ARGV[1]) then "
     "  redis.call('DECRBY', KEYS[1], ARGV[1]) "
     "  return 1 "
     "end "
     "return 0"},
    {WORD_LOCK},
    {WORD_1},
};

// The message is how many are free now.
static const struct redisson_step release = {
    {"local value = redis.call('INCRBY', KEYS[1], ARGV[1]) "
     "redis.call(ARGV[2], KEYS[2], value)"},
    {WORD_LOCK, WORD_CHANNEL},
    {WORD_1, WORD_PUBLISH},
};

// KEYS semaphore, channel; ARGV permits, PUBLISH: trySetPermits.
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
    char permits[24];
    const char *const keys[] = {options->name, channel, NULL};
    const char *const arguments[] = {permits, "PUBLISH", NULL};
    snprintf(channel, sizeof channel,
             strchr(options->name, '{') != NULL ? CHANNEL ":%s" : CHANNEL ":{%s}", options->name);
    snprintf(permits, sizeof permits, "%lld", (long long)options->permits);
    struct redis_connection *connection = redis_open(service, options->request_ns, &nobody, error);
    if (connection == NULL)
        return -1;
    int result = 0;
    if (redis_eval(connection, &answer, &set_permits, keys, arguments) != OUTCOME_OK)
        result = error_set(error, "cannot set the permits of the semaphore %s: %s", options->name,
                           client_error(connection));
    redis_close(connection);
    return result;
}

// The value is how many permits are free.
static bool is_held(const char *value)
{
    return strtoll(value, NULL, 10) < 1;
}

const struct redisson_kind redisson_semaphore = {
    .channel = CHANNEL,
    .steps = {&acquire, &release},
    .has_permits = true,
};

const struct lock_scheme redisson_semaphore_scheme = {
    .name = "redisson-semaphore",
    .summary = "Redisson's RSemaphore: a counter of permits, woken by a channel",
    .breaks = "a crash loses a permit for ever; a lost connection, or a restart, the message that "
              "would have woken a waiter; a release without a permit makes one; a failover",
    .traits = LOCK_TRAITS("exclusive", "permits", "redis"),
    .rights = REDISSON_RIGHTS("redisson_sc") "+decrby +incrby",
    REDISSON_HANDLES(&redisson_semaphore),
    .set_up = set_up,
    .is_held = is_held,
    REDISSON_WAITS,
    .release = redisson_release,
};
