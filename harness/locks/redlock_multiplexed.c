// Redlock, all servers at once: the SETs go out together and the answers are read as they come, so
// that the window in which two workers split the votes is small, and a server that is down costs
// one time-out, not one after the other. Unlocks go out over the same connections: a server that
// was slow to set executes the unlock after it, in order.
#include "harness/locks/redlock_common.h"

#include <stdio.h>

static void *open_servers(const struct service *service, int64_t limit_ns, struct actor *actor,
                          struct error *error)
{
    return redis_many_open(service, limit_ns, actor, error);
}

static void close_servers(void *servers)
{
    redis_many_close(servers);
}

static void ask(void *servers, const struct redlock_round *round, struct votes *votes,
                struct error *error)
{
    struct redis_said said[MAX_SERVERS] = {0};
    char lease[24];
    snprintf(lease, sizeof lease, "%lld", (long long)(round->options->lease_ns / NS_PER_MS));
    const char *name = round->options->name;
    const char *const set[] = {"SET", name, round->token, "NX", "PX", lease};
    const char *const run[] = {
        "EVAL", round->script != NULL ? round->script->text : "", "1", name, round->token, lease};
    redis_many_ask(servers, round->script != NULL ? run : set, 6, round->asked, said);
    error_set(error, "%s", redis_many_error(servers));
    for (int i = 0; i < votes->count; i++) {
        const struct redis_answer *answer = &said[i].answer;
        int64_t value = answer->kind == REDIS_STATUS ? 1 : answer->integer; // OK counts as 1
        if (round->asked == NULL || round->asked[i])
            votes->items[i] = (struct vote){said[i].outcome, value};
    }
}

static const struct redlock_kind kind = {.open = open_servers, .close = close_servers, .ask = ask};

const struct lock_scheme redlock_multiplexed_scheme = {
    .name = "redlock-multiplexed",
    .summary = "SET NX PX on a majority of independent servers, all at once; extended",
    REDLOCK_SCHEME(&kind),
};
