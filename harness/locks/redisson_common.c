#include "harness/locks/redisson_common.h"

#include "harness/base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PING_NS (30 * NS_PER_S) // Redisson's pingConnectionInterval
#define RENEWALS_AT_ONCE 100    // its lockWatchdogBatchSize
#define RETRY_ATTEMPTS 4        // its retryAttempts
#define RETRY_DELAY_MS 2000     // the longest delay before one

// --- names ---------------------------------------------------------------------------------------

char *redisson_tagged(char *out, const char *name)
{
    snprintf(out, REDISSON_NAME, strchr(name, '{') != NULL ? "%s" : "{%s}", name);
    return out;
}

char *redisson_prefixed(char *out, const char *prefix, const char *name)
{
    bool has_tag = strchr(name, '{') != NULL;
    snprintf(out, REDISSON_NAME, has_tag ? "%s:%s" : "%s:{%s}", prefix, name);
    return out;
}

char *redisson_number(char out[REDISSON_NUMBER], int64_t number)
{
    snprintf(out, REDISSON_NUMBER, "%lld", (long long)number);
    return out;
}

int64_t redisson_wall_ms(const struct lock *lock)
{
    return clock_wall_ns(&lock->actor->clock) / NS_PER_MS;
}

size_t redisson_lock_permits(const char *message, size_t subscribers, size_t waiters)
{
    (void)subscribers;
    if (strcmp(message, REDISSON_WAKES_ALL) == 0)
        return waiters;
    return strcmp(message, REDISSON_WAKES_ONE) == 0 ? 1 : 0;
}

struct redisson_client *redisson_client_of(const struct lock *lock)
{
    return lock->client->state;
}

struct redisson_lock *redisson_of(const struct lock *lock)
{
    return lock->state;
}

// --- a client ------------------------------------------------------------------------------------

// A random UUID (version 4), another one for each client of a trial.
static void draw_uuid(const struct lock_client *client, char out[37])
{
    struct random random;
    char digits[33];
    random_start(&random, client->seed, (uint64_t)client->number);
    random_hex(&random, digits, 32);
    snprintf(out, 37, "%.8s-%.4s-4%.3s-a%.3s-%.12s", digits, digits + 8, digits + 13, digits + 17,
             digits + 20);
}

static int start_renewals(struct lock_client *client, struct error *error)
{
    struct redisson_client *state = client->state;
    struct watchdog_settings settings = {.interval_ns = client->options.lease_ns / 3,
                                         .batch = RENEWALS_AT_ONCE,
                                         .renew = redisson_renew,
                                         .context = state};
    state->watchdog = watchdog_start(client, &settings, error);
    if (state->watchdog == NULL)
        return -1;
    state->renewer = redis_open(client->service, client->options.request_ns,
                                watchdog_actor(state->watchdog), error);
    if (state->renewer == NULL ||
        redis_script_load(state->renewer, &redisson_renewal_script, error) != 0)
        return -1;
    return redis_script_load(state->renewer, &redisson_read_renewal_script, error);
}

static int start(struct lock_client *client, const struct redisson_kind *kind, struct error *error)
{
    struct redisson_client *state = client->state;
    struct redis_subscriber_settings settings = {.service = client->service,
                                                 .request_ns = client->options.request_ns,
                                                 .ping_ns = PING_NS,
                                                 .permits = kind->permits};
    state->subscriber = redis_subscriber_open(&settings, error);
    if (state->subscriber == NULL)
        return -1;
    if (!kind->is_renewed)
        return 0;
    state->sweeper = redisson_sweeper_start(client, error);
    return state->sweeper == NULL ? -1 : start_renewals(client, error);
}

int redisson_client_open(struct lock_client *client, const struct redisson_kind *kind,
                         struct error *error)
{
    struct redisson_client *state = memory_zeroed(1, sizeof *state);
    client->state = state;
    draw_uuid(client, state->id);
    if (start(client, kind, error) == 0)
        return 0;
    redisson_client_close(client);
    return -1;
}

void redisson_client_close(struct lock_client *client)
{
    struct redisson_client *state = client->state;
    if (state == NULL)
        return;
    watchdog_stop(state->watchdog);
    redis_close(state->renewer);
    redisson_sweeper_stop(state->sweeper);
    redis_subscriber_close(state->subscriber);
    free(state);
    client->state = NULL;
}

// --- a worker ------------------------------------------------------------------------------------

static int load_scripts(struct lock *lock, const struct redisson_kind *kind, struct error *error)
{
    for (size_t i = 0; kind->scripts[i] != NULL; i++) {
        if (redis_script_load(redis_of(lock), kind->scripts[i], error) != 0)
            return -1;
    }
    return 0;
}

int redisson_lock_open(struct lock *lock, const struct redisson_kind *kind, struct error *error)
{
    struct redisson_lock *state = memory_zeroed(1, sizeof *state);
    int64_t request_ms = lock->options.request_ns / NS_PER_MS;
    lock->state = state;
    state->kind = kind;
    snprintf(state->holder, sizeof state->holder, "%s:%d", redisson_client_of(lock)->id,
             lock->actor->worker);
    snprintf(state->field, sizeof state->field, "%s", state->holder);
    redisson_prefixed(state->channel, kind->channel, lock->options.name);
    redisson_number(state->lease, lease_ms(lock));
    redisson_number(state->latch_lease, (request_ms + RETRY_DELAY_MS) * RETRY_ATTEMPTS);
    state->redis.connection =
        redis_open(lock->service, lock->options.request_ns, lock->actor, error);
    return state->redis.connection == NULL ? -1 : load_scripts(lock, kind, error);
}

void redisson_lock_close(struct lock *lock)
{
    const struct redisson_client *client = redisson_client_of(lock);
    if (client->watchdog != NULL)
        watchdog_remove(client->watchdog, lock);
    redis_lock_close(lock);
}

// --- after a trial -------------------------------------------------------------------------------

int redisson_clean_up(const struct service *service, const struct lock_options *options,
                      struct error *error)
{
    char pattern[REDISSON_NAME];
    snprintf(pattern, sizeof pattern, "*%s*", options->name);
    return redis_clean(service, pattern, error);
}
