// Redlock, one server after the other: SET NX PX with a fresh token on each of N independent
// servers; held if a majority has set it while there is time left, else taken back everywhere. A
// watchdog extends it at a third of the lease.
#include "harness/locks/redlock_common.h"
#include "harness/locks/watchdog.h"

#include "harness/base/text.h"

#include <stdio.h>
#include <stdlib.h>

// Connections to every server; one that is down has none until it can be reached.
struct servers {
    const struct service *service;
    int64_t limit_ns; // of one server
    struct actor *actor;
    struct redis_connection *connections[MAX_SERVERS];
};

// A worker's.
struct redlock {
    struct servers servers;
    char token[TOKEN_DIGITS + 1]; // of the current or last attempt
};

// A client's: the watchdog renews over connections of its own.
struct extender {
    struct lock_client *client;
    struct watchdog *watchdog;
    struct servers servers;
};

// --- servers -------------------------------------------------------------------------------------

static struct redis_connection *connection_to(struct servers *servers, int server)
{
    struct error ignored;
    if (servers->connections[server] == NULL)
        servers->connections[server] = redis_open_server(
            servers->service, server, servers->limit_ns, servers->actor, &ignored);
    return servers->connections[server];
}

// A majority must be there to begin with. 0, or -1 with `error` set.
static int open_servers(struct servers *servers, struct error *error)
{
    int reached = 0;
    for (int i = 0; i < servers->service->server_count; i++)
        reached += connection_to(servers, i) != NULL;
    if (reached > servers->service->server_count / 2)
        return 0;
    return error_set(error, "only %d of %d redis servers can be reached, fewer than a majority",
                     reached, servers->service->server_count);
}

static void close_servers(struct servers *servers)
{
    for (int i = 0; i < MAX_SERVERS; i++)
        redis_close(servers->connections[i]);
}

// Runs a script with the token on one server.
static struct vote run_on(struct servers *servers, int server, const struct lock_options *options,
                          const struct redis_script *script, const char *token)
{
    char lease[24];
    struct redis_connection *connection = connection_to(servers, server);
    if (connection == NULL)
        return (struct vote){.outcome = OUTCOME_NO};
    snprintf(lease, sizeof lease, "%lld", (long long)(options->lease_ns / NS_PER_MS));
    const char *const keys[] = {options->name, NULL};
    const char *const arguments[] = {token, lease, NULL};
    struct redis_answer answer;
    enum outcome outcome = redis_eval(connection, &answer, script, keys, arguments);
    return (struct vote){outcome, answer.integer};
}

// --- acquire -------------------------------------------------------------------------------------

static struct vote set_on(struct lock *lock, int server, const char *token)
{
    struct redlock *state = lock->state;
    struct redis_connection *connection = connection_to(&state->servers, server);
    struct redis_answer answer;
    if (connection == NULL)
        return (struct vote){.outcome = OUTCOME_NO};
    enum outcome outcome = redis_request(connection, &answer, "SET %s %s NX PX %lld",
                                         lock->options.name, token, lease_ms(lock));
    if (outcome == OUTCOME_BROKEN)
        error_set(&lock->error, "%s", redis_error(connection));
    return (struct vote){outcome, answer.kind == REDIS_NIL ? 0 : 1};
}

// Asks one after the other, until those that are left cannot make a majority any more.
static struct votes ask_all(struct lock *lock, const char *token)
{
    struct votes votes = {.count = lock->service->server_count};
    for (int i = 0; i < votes.count; i++)
        votes.items[i] = (struct vote){.outcome = OUTCOME_NO};
    for (int i = 0; i < votes.count; i++) {
        votes.items[i] = set_on(lock, i, token);
        int left = votes.count - i - 1;
        if (votes_for(&votes, 1) + votes_unknown(&votes) + left < redlock_quorum(&votes))
            break;
    }
    return votes;
}

// Takes the token back from every server, also from those that answered nothing: the key may be
// there all the same. From those once more after their time-out, because the SET may still have
// been unread in the old connection when the first unlock arrived over the new one.
static struct votes unlock_all(struct lock *lock, const char *token, const struct votes *granted)
{
    struct redlock *state = lock->state;
    struct votes votes = {.count = granted->count};
    for (int i = 0; i < votes.count; i++)
        votes.items[i] = run_on(&state->servers, i, &lock->options, &redlock_unlock_script, token);
    if (votes_unknown(granted) == 0)
        return votes;
    clock_sleep_ns(&lock->actor->clock, state->servers.limit_ns);
    for (int i = 0; i < votes.count; i++) {
        if (granted->items[i].outcome == OUTCOME_UNKNOWN)
            votes.items[i] =
                run_on(&state->servers, i, &lock->options, &redlock_unlock_script, token);
    }
    return votes;
}

static enum outcome try_acquire(struct lock *lock, struct grant *grant)
{
    struct redlock *state = lock->state;
    struct extender *extender = lock->client->state;
    random_hex(lock->random, state->token, TOKEN_DIGITS);
    int64_t asked_ns = lock_asks_ns(lock);
    struct votes granted = ask_all(lock, state->token);
    grant->valid_until_ns = redlock_valid_until_ns(&lock->options, asked_ns);
    if (votes_for(&granted, 1) >= redlock_quorum(&granted) &&
        clock_now_ns(&lock->actor->clock) < grant->valid_until_ns) {
        watchdog_add(extender->watchdog, lock, state->token, grant->valid_until_ns);
        return OUTCOME_OK;
    }
    struct votes unlocked = unlock_all(lock, state->token, &granted);
    return lock->error.text[0] != '\0' ? OUTCOME_BROKEN : redlock_refused(&granted, &unlocked);
}

// --- release and extension -----------------------------------------------------------------------

static enum release_answer release(struct lock *lock)
{
    struct redlock *state = lock->state;
    struct extender *extender = lock->client->state;
    struct votes votes = {.count = lock->service->server_count};
    watchdog_remove(extender->watchdog, lock);
    for (int i = 0; i < votes.count; i++)
        votes.items[i] =
            run_on(&state->servers, i, &lock->options, &redlock_unlock_script, state->token);
    return redlock_released(&votes);
}

static void extend(void *context, struct actor *actor, struct renewal *renewals, size_t count)
{
    struct extender *extender = context;
    const struct lock_options *options = &extender->client->options;
    for (size_t i = 0; i < count; i++) {
        struct votes votes = {.count = extender->client->service->server_count};
        int64_t asked_ns = clock_now_ns(&actor->clock);
        // What has run out is not to be revived.
        if (asked_ns >= renewals[i].valid_until_ns)
            continue;
        for (int server = 0; server < votes.count; server++)
            votes.items[server] = run_on(&extender->servers, server, options,
                                         &redlock_extend_script, renewals[i].holder);
        renewals[i].valid_until_ns = redlock_valid_until_ns(options, asked_ns);
        renewals[i].outcome =
            redlock_extended(&votes, renewals[i].valid_until_ns, clock_now_ns(&actor->clock));
    }
}

// --- opening and closing -------------------------------------------------------------------------

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
    extender->servers = (struct servers){.service = client->service,
                                         .limit_ns = redlock_server_ns(&client->options),
                                         .actor = watchdog_actor(extender->watchdog)};
    return open_servers(&extender->servers, error);
}

static void close_client(struct lock_client *client)
{
    struct extender *extender = client->state;
    watchdog_stop(extender->watchdog);
    close_servers(&extender->servers);
    free(extender);
    client->state = NULL;
}

static int open_lock(struct lock *lock, struct error *error)
{
    struct redlock *state = memory_zeroed(1, sizeof *state);
    lock->state = state;
    state->servers = (struct servers){.service = lock->service,
                                      .limit_ns = redlock_server_ns(&lock->options),
                                      .actor = lock->actor};
    return open_servers(&state->servers, error);
}

static void close_lock(struct lock *lock)
{
    struct redlock *state = lock->state;
    if (state == NULL)
        return;
    close_servers(&state->servers);
    free(state);
    lock->state = NULL;
}

const struct lock_scheme redlock_scheme = {
    .name = "redlock",
    .summary = "SET NX PX on a majority of independent servers, one after the other; extended",
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
