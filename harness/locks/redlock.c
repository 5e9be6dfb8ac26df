// Redlock: SET NX PX with a fresh token on each of N independent servers; held if a majority has
// set it while there is time left, else taken back everywhere. A watchdog extends it at a third of
// the lease. Algorithm: "Distributed Locks with Redis", redis.io, the Redlock algorithm.
//
// redlock asks one server after the other. redlock-multiplexed asks all at once: the SETs go out
// together and the answers are read as they come, so that the window in which two workers split the
// votes is small, and a server that is down costs one time-out, not one after the other. Its
// unlocks go out over the same connections: a server that was slow to set executes the unlock after
// it, in order.
#include "harness/locks/redlock.h"

#include "harness/base/scope.h"

#include <stdio.h>

// One round; see redlock_ask.
struct round {
    const struct lock_options *options;
    const char *token;
    const struct redis_script *script;
    const bool *asked;
};

// A way to ask the servers, to which scheme->connector has connected: scheme->kind.
struct redlock_kind {
    void (*ask)(void *servers, const struct round *round, struct votes *votes, struct error *error);
};

// --- the arithmetic ------------------------------------------------------------------------------

struct votes votes_none(int count)
{
    struct votes votes = {.count = count, .quorum = count / 2 + 1};
    for (int i = 0; i < count; i++)
        votes.items[i] = (struct vote){.outcome = OUTCOME_NO};
    return votes;
}

int votes_for(const struct votes *votes, int64_t value)
{
    int found = 0;
    for (int i = 0; i < votes->count; i++)
        found += votes->items[i].outcome == OUTCOME_OK && votes->items[i].value == value;
    return found;
}

int votes_unknown(const struct votes *votes)
{
    int found = 0;
    for (int i = 0; i < votes->count; i++)
        found += votes->items[i].outcome == OUTCOME_UNKNOWN;
    return found;
}

// The time-out of one server: much shorter than the lease, so that servers that are down do not use
// it up: a twentieth of it, at least 5 ms, at most options.request_ns.
static int64_t server_ns(const struct lock_options *options)
{
    return time_earlier(time_later(options->lease_ns / 20, 5 * NS_PER_MS), options->request_ns);
}

int64_t redlock_valid_until_ns(const struct lock_options *options, int64_t asked_ns)
{
    int64_t drift_ns = options->lease_ns / 100 + 2 * NS_PER_MS;
    return asked_ns + options->lease_ns - drift_ns;
}

enum outcome redlock_refused(const struct votes *granted, const struct votes *unlocked)
{
    int may_hold = 0;
    for (int i = 0; i < granted->count; i++) {
        const struct vote *vote = &granted->items[i];
        bool may_have_granted =
            vote->outcome == OUTCOME_UNKNOWN || (vote->outcome == OUTCOME_OK && vote->value == 1);
        may_hold += may_have_granted && unlocked->items[i].outcome != OUTCOME_OK;
    }
    return may_hold >= granted->quorum ? OUTCOME_UNKNOWN : OUTCOME_NO;
}

// Whether a majority has done it; UNKNOWN: those that gave no answer may make one.
static enum outcome majority_of(const struct votes *votes)
{
    int done = votes_for(votes, 1);
    int unanswered = 0;
    for (int i = 0; i < votes->count; i++)
        unanswered += votes->items[i].outcome != OUTCOME_OK;
    if (done >= votes->quorum)
        return OUTCOME_OK;
    return done + unanswered >= votes->quorum ? OUTCOME_UNKNOWN : OUTCOME_NO;
}

enum release_answer redlock_released(const struct votes *votes)
{
    enum outcome outcome = majority_of(votes);
    if (outcome != OUTCOME_NO)
        return outcome == OUTCOME_OK ? RELEASE_RELEASED : RELEASE_UNKNOWN;
    return votes_for(votes, 0) > 0 ? RELEASE_NOT_OWNER : RELEASE_GONE;
}

enum outcome redlock_extended(const struct votes *votes, int64_t valid_until_ns, int64_t now_ns)
{
    enum outcome outcome = majority_of(votes);
    return outcome == OUTCOME_OK && now_ns >= valid_until_ns ? OUTCOME_UNKNOWN : outcome;
}

// --- the scheme ----------------------------------------------------------------------------------

void redlock_ask(struct lock *lock, const struct redis_script *script, const bool *asked,
                 struct votes *votes, struct error *error)
{
    const struct redlock_kind *kind = lock->scheme->kind;
    kind->ask(lock->connection, &(const struct round){&lock->options, lock->token, script, asked},
              votes, error);
}

static struct votes unlock(struct lock *lock)
{
    struct votes votes = votes_none(lock->service->server_count);
    struct error ignored;
    redlock_ask(lock, &redis_compare_and_delete, NULL, &votes, &ignored);
    return votes;
}

// Takes the token back from every server, also from those that answered nothing: the key may be
// there all the same. From those once more after their time-out, because the SET may still have
// been unread in an old connection when the first unlock arrived over a new one.
static struct votes take_back(struct lock *lock, const struct votes *granted)
{
    bool again[MAX_SERVERS] = {false};
    struct error ignored;
    struct votes votes = unlock(lock);
    if (votes_unknown(granted) == 0)
        return votes;
    for (int i = 0; i < votes.count; i++)
        again[i] = granted->items[i].outcome == OUTCOME_UNKNOWN;
    clock_sleep_ns(&lock->actor->clock, server_ns(&lock->options));
    redlock_ask(lock, &redis_compare_and_delete, again, &votes, &ignored);
    return votes;
}

static enum outcome try_acquire(struct lock *lock, struct grant *grant)
{
    struct votes granted = votes_none(lock->service->server_count);
    lock_new_token(lock, TOKEN_DIGITS);
    grant->valid_until_ns = redlock_valid_until_ns(&lock->options, lock_asks_ns(lock));
    redlock_ask(lock, NULL, NULL, &granted, &lock->error);
    if (votes_for(&granted, 1) >= granted.quorum &&
        clock_now_ns(&lock->actor->clock) < grant->valid_until_ns)
        return OUTCOME_OK;
    struct votes unlocked = take_back(lock, &granted);
    return lock->error.text[0] != '\0' ? OUTCOME_BROKEN : redlock_refused(&granted, &unlocked);
}

static enum release_answer release(struct lock *lock)
{
    struct votes votes = unlock(lock);
    return redlock_released(&votes);
}

// 1 extended, 0 another's, -1 nobody's.
static const struct redis_script extend_script = {
    "local value = redis.call('GET', KEYS[1]) "
    "if value == ARGV[1] then redis.call('PEXPIRE', KEYS[1], ARGV[2]) return 1 "
    "elseif value then return 0 "
    "else return -1 end"};

// What has run out is not to be revived.
static enum outcome extend(struct renewal *renewal)
{
    const struct lock *hold = renewal->lock;
    const struct redlock_kind *kind = hold->scheme->kind;
    struct votes votes = votes_none(hold->service->server_count);
    struct error ignored;
    if (renewal->asked_ns >= renewal->held_until_ns)
        return OUTCOME_UNKNOWN;
    kind->ask(hold->client->connection,
              &(const struct round){&hold->options, hold->token, &extend_script, NULL}, &votes,
              &ignored);
    renewal->valid_until_ns = redlock_valid_until_ns(&hold->options, renewal->asked_ns);
    return redlock_extended(&votes, renewal->valid_until_ns, clock_now_ns(&renewal->actor->clock));
}

// --- one server after the other ------------------------------------------------------------------

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

static void close_each(void *context)
{
    AUTO_FREE struct servers *servers = context;
    for (int i = 0; i < MAX_SERVERS; i++)
        redis_close(servers->connections[i]);
}

// A majority must be there to begin with.
static void *open_each(const struct service *service, int64_t limit_ns, struct actor *actor,
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
    close_each(servers);
    return NULL;
}

static bool reuse_each(void *context, struct actor *actor)
{
    struct servers *servers = context;
    bool is_ready = true;
    for (int i = 0; i < MAX_SERVERS; i++)
        is_ready &= servers->connections[i] == NULL || redis_reuse(servers->connections[i], actor);
    servers->actor = actor;
    return is_ready;
}

static struct vote ask_one(struct servers *servers, int server, const struct round *round,
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
        error_set(error, "%s", client_error(connection));
    return (struct vote){outcome, answer.kind == REDIS_STATUS ? 1 : answer.integer};
}

// A SET goes on until those that are left cannot make a majority any more.
static void ask_each(void *servers, const struct round *round, struct votes *votes,
                     struct error *error)
{
    for (int i = 0; i < votes->count; i++) {
        int left = votes->count - i - 1;
        if (round->asked != NULL && !round->asked[i])
            continue;
        votes->items[i] = ask_one(servers, i, round, error);
        if (round->script == NULL &&
            votes_for(votes, 1) + votes_unknown(votes) + left < votes->quorum)
            break;
    }
}

// --- all servers at once -------------------------------------------------------------------------

static void ask_all(void *servers, const struct round *round, struct votes *votes,
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
    error_set(error, "%s", client_error(servers));
    for (int i = 0; i < votes->count; i++) {
        const struct redis_answer *answer = &said[i].answer;
        int64_t value = answer->kind == REDIS_STATUS ? 1 : answer->integer; // OK counts as 1
        if (round->asked == NULL || round->asked[i])
            votes->items[i] = (struct vote){said[i].outcome, value};
    }
}

// --- both ----------------------------------------------------------------------------------------

static const char *const topologies[] = {"independent", NULL};

#define REDLOCK_SCHEME(open_servers, close_servers, reuse_servers, ask_servers)                    \
    .breaks = "a pause beyond the lease, a clock that jumps, a server that forgets in a restart",  \
    .traits = LOCK_TRAITS("redis", "exclusive", "lease", "owner-checked", "validity-checked",      \
                          "renewed"),                                                              \
    .server = "redis", .topologies = topologies, .request_ns = server_ns,                          \
    .connector = &(const struct connector){open_servers, close_servers, reuse_servers},            \
    .kind = &(const struct redlock_kind){ask_servers},                                             \
    .renewal = &(const struct watchdog_settings){.renew = extend}, .try_acquire = try_acquire,     \
    .release = release

const struct lock_scheme redlock_scheme = {
    .name = "redlock",
    .summary = "SET NX PX on a majority of independent servers, one after the other; extended",
    REDLOCK_SCHEME(open_each, close_each, reuse_each, ask_each),
};

const struct lock_scheme redlock_multiplexed_scheme = {
    .name = "redlock-multiplexed",
    .summary = "SET NX PX on a majority of independent servers, all at once; extended",
    REDLOCK_SCHEME(redis_many_open, redis_many_close, redis_many_reuse, ask_all),
};
