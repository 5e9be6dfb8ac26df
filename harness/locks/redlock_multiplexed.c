// Redlock, all servers at once: the SETs go out together and the answers are read as they come, so
// that the window in which two workers split the votes is small, and a server that is down costs
// one time-out, not one after the other. Unlocks go out over the same connections: a server that
// was slow to set executes the unlock after it, in order.
#include "harness/locks/redlock_common.h"
#include "harness/locks/watchdog.h"

#include "harness/base/text.h"

#include <stdio.h>
#include <stdlib.h>

struct redlock {
    struct redis_many *servers;
    char token[TOKEN_DIGITS + 1]; // of the current or last attempt
};

// A client's: the watchdog renews over connections of its own.
struct extender {
    struct lock_client *client;
    struct watchdog *watchdog;
    struct redis_many *servers;
};

// --- rounds --------------------------------------------------------------------------------------

static struct votes count_votes(const struct redis_said *said, int count)
{
    struct votes votes = {.count = count};
    for (int i = 0; i < count; i++) {
        const struct redis_answer *answer = &said[i].answer;
        int64_t value = answer->kind == REDIS_STATUS ? 1 : answer->integer; // OK counts as 1
        votes.items[i] = (struct vote){said[i].outcome, value};
    }
    return votes;
}

static struct votes set_everywhere(struct lock *lock, const char *token)
{
    struct redlock *state = lock->state;
    struct redis_said said[MAX_SERVERS] = {0};
    char lease[24];
    snprintf(lease, sizeof lease, "%lld", lease_ms(lock));
    const char *const words[] = {"SET", lock->options.name, token, "NX", "PX", lease};
    redis_many_ask(state->servers, words, 6, NULL, said);
    error_set(&lock->error, "%s", redis_many_error(state->servers));
    return count_votes(said, lock->service->server_count);
}

static struct votes run_everywhere(struct redis_many *servers, int count,
                                   const struct lock_options *options,
                                   const struct redis_script *script, const char *token,
                                   const bool *asked)
{
    struct redis_said said[MAX_SERVERS] = {0};
    char lease[24];
    snprintf(lease, sizeof lease, "%lld", (long long)(options->lease_ns / NS_PER_MS));
    const char *const words[] = {"EVAL", script->text, "1", options->name, token, lease};
    redis_many_ask(servers, words, 6, asked, said);
    return count_votes(said, count);
}

// Takes the token back everywhere; where nothing was answered, once more after the time-out: a
// connection that was lost has left the order of its requests open.
static struct votes unlock_everywhere(struct lock *lock, const char *token,
                                      const struct votes *granted)
{
    struct redlock *state = lock->state;
    struct votes votes = run_everywhere(state->servers, granted->count, &lock->options,
                                        &redlock_unlock_script, token, NULL);
    bool again[MAX_SERVERS] = {false};
    if (votes_unknown(granted) == 0)
        return votes;
    for (int i = 0; i < granted->count; i++)
        again[i] = granted->items[i].outcome == OUTCOME_UNKNOWN;
    clock_sleep_ns(&lock->actor->clock, redlock_server_ns(&lock->options));
    struct votes repeated = run_everywhere(state->servers, granted->count, &lock->options,
                                           &redlock_unlock_script, token, again);
    for (int i = 0; i < granted->count; i++)
        votes.items[i] = again[i] ? repeated.items[i] : votes.items[i];
    return votes;
}

// --- the scheme ----------------------------------------------------------------------------------

static enum outcome try_acquire(struct lock *lock, struct grant *grant)
{
    struct redlock *state = lock->state;
    struct extender *extender = lock->client->state;
    random_hex(lock->random, state->token, TOKEN_DIGITS);
    int64_t asked_ns = lock_asks_ns(lock);
    struct votes granted = set_everywhere(lock, state->token);
    grant->valid_until_ns = redlock_valid_until_ns(&lock->options, asked_ns);
    if (votes_for(&granted, 1) >= redlock_quorum(&granted) &&
        clock_now_ns(&lock->actor->clock) < grant->valid_until_ns) {
        watchdog_add(extender->watchdog, lock, state->token, grant->valid_until_ns);
        return OUTCOME_OK;
    }
    struct votes unlocked = unlock_everywhere(lock, state->token, &granted);
    return lock->error.text[0] != '\0' ? OUTCOME_BROKEN : redlock_refused(&granted, &unlocked);
}

static enum release_answer release(struct lock *lock)
{
    struct redlock *state = lock->state;
    struct extender *extender = lock->client->state;
    watchdog_remove(extender->watchdog, lock);
    struct votes votes = run_everywhere(state->servers, lock->service->server_count, &lock->options,
                                        &redlock_unlock_script, state->token, NULL);
    return redlock_released(&votes);
}

static void extend(void *context, struct actor *actor, struct renewal *renewals, size_t count)
{
    struct extender *extender = context;
    const struct lock_options *options = &extender->client->options;
    for (size_t i = 0; i < count; i++) {
        int64_t asked_ns = clock_now_ns(&actor->clock);
        // What has run out is not to be revived.
        if (asked_ns >= renewals[i].valid_until_ns)
            continue;
        struct votes votes =
            run_everywhere(extender->servers, extender->client->service->server_count, options,
                           &redlock_extend_script, renewals[i].holder, NULL);
        renewals[i].valid_until_ns = redlock_valid_until_ns(options, asked_ns);
        renewals[i].outcome =
            redlock_extended(&votes, renewals[i].valid_until_ns, clock_now_ns(&actor->clock));
    }
}

static int open_client(struct lock_client *client, struct error *error)
{
    struct extender *extender = memory_zeroed(1, sizeof *extender);
    struct watchdog_settings settings = {.interval_ns = client->options.lease_ns / 3,
                                         .batch = 1,
                                         .renew = extend,
                                         .context = extender};
    client->state = extender;
    extender->client = client;
    extender->watchdog = watchdog_start(client, &settings, error);
    if (extender->watchdog == NULL)
        return -1;
    extender->servers = redis_many_open(client->service, redlock_server_ns(&client->options),
                                        watchdog_actor(extender->watchdog), error);
    return extender->servers == NULL ? -1 : 0;
}

static void close_client(struct lock_client *client)
{
    struct extender *extender = client->state;
    watchdog_stop(extender->watchdog);
    redis_many_close(extender->servers);
    free(extender);
    client->state = NULL;
}

static int open_lock(struct lock *lock, struct error *error)
{
    struct redlock *state = memory_zeroed(1, sizeof *state);
    lock->state = state;
    state->servers =
        redis_many_open(lock->service, redlock_server_ns(&lock->options), lock->actor, error);
    return state->servers == NULL ? -1 : 0;
}

static void close_lock(struct lock *lock)
{
    struct redlock *state = lock->state;
    if (state == NULL)
        return;
    redis_many_close(state->servers);
    free(state);
    lock->state = NULL;
}

const struct lock_scheme redlock_multiplexed_scheme = {
    .name = "redlock-multiplexed",
    .summary = "SET NX PX on a majority of independent servers, all at once; extended",
    .breaks = "a pause beyond the lease, a clock that jumps, a server that forgets in a restart",
    .traits =
        (const char *const[]){"redis", "exclusive", "lease", "owner-checked", "renewed", NULL},
    .server = "redis",
    .topologies = redlock_topologies,
    .open_client = open_client,
    .close_client = close_client,
    .open = open_lock,
    .close = close_lock,
    .try_acquire = try_acquire,
    .release = release,
};
