// Redlock, one server after the other.
#include "harness/locks/redlock_common.h"

#include "harness/base/text.h"

#include <stdlib.h>

// Connections to every server; one that is down has none until it can be reached.
struct servers {
    const struct service *service;
    int64_t limit_ns; // of one server
    struct actor *actor;
    struct redis_connection *connections[MAX_SERVERS];
};

static struct redis_connection *connection_to(struct servers *servers, int server)
{
    struct error ignored;
    if (servers->connections[server] == NULL)
        servers->connections[server] = redis_open_server(
            servers->service, server, servers->limit_ns, servers->actor, &ignored);
    return servers->connections[server];
}

static void close_servers(void *context)
{
    struct servers *servers = context;
    for (int i = 0; servers != NULL && i < MAX_SERVERS; i++)
        redis_close(servers->connections[i]);
    free(servers);
}

// A majority must be there to begin with.
static void *open_servers(const struct service *service, int64_t limit_ns, struct actor *actor,
                          struct error *error)
{
    struct servers *servers = memory_zeroed(1, sizeof *servers);
    int reached = 0;
    *servers = (struct servers){.service = service, .limit_ns = limit_ns, .actor = actor};
    for (int i = 0; i < service->server_count; i++)
        reached += connection_to(servers, i) != NULL;
    if (reached > service->server_count / 2)
        return servers;
    error_set(error, "only %d of %d redis servers can be reached, fewer than a majority", reached,
              service->server_count);
    close_servers(servers);
    return NULL;
}

static struct vote ask_one(struct servers *servers, int server, const struct redlock_round *round,
                           struct error *error)
{
    const struct lock_options *options = round->options;
    struct redis_connection *connection = connection_to(servers, server);
    struct redis_answer answer = {.kind = REDIS_NIL};
    if (connection == NULL)
        return (struct vote){.outcome = OUTCOME_NO};
    enum outcome outcome =
        round->script != NULL
            ? redis_run(connection, &answer, options, round->script, NULL, round->token)
            : redis_request(connection, &answer, "SET %s %s NX PX %lld", options->name,
                            round->token, (long long)(options->lease_ns / NS_PER_MS));
    if (outcome == OUTCOME_BROKEN)
        error_set(error, "%s", redis_error(connection));
    return (struct vote){outcome, answer.kind == REDIS_STATUS ? 1 : answer.integer};
}

// A SET goes on until those that are left cannot make a majority any more.
static void ask(void *context, const struct redlock_round *round, struct votes *votes,
                struct error *error)
{
    for (int i = 0; i < votes->count; i++) {
        int left = votes->count - i - 1;
        if (round->asked != NULL && !round->asked[i])
            continue;
        votes->items[i] = ask_one(context, i, round, error);
        if (round->script == NULL &&
            votes_for(votes, 1) + votes_unknown(votes) + left < redlock_quorum(votes))
            break;
    }
}

static const struct redlock_kind kind = {.open = open_servers, .close = close_servers, .ask = ask};

const struct lock_scheme redlock_scheme = {
    .name = "redlock",
    .summary = "SET NX PX on a majority of independent servers, one after the other; extended",
    REDLOCK_SCHEME(&kind),
};
