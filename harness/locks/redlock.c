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

#include <stdio.h>

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

// scheme->kind: what redlock_ask does.
struct redlock_kind {
    void (*ask)(const struct lock *lock, struct redis_many *servers,
                const struct redis_script *script, const bool *asked, struct votes *votes,
                struct error *error);
};

// --- a round -------------------------------------------------------------------------------------

static void ask_at_once(const struct lock *lock, struct redis_many *servers,
                        const struct redis_script *script, const bool *asked, struct votes *votes,
                        struct error *error)
{
    struct redis_said said[MAX_SERVERS] = {0};
    char lease[24];
    snprintf(lease, sizeof lease, "%lld", lease_ms(lock));
    const char *name = lock->options.name;
    const char *const set[] = {"SET", name, lock->token, "NX", "PX", lease};
    const char *const run[] = {"EVAL", script != NULL ? script->text : "", "1", name, lock->token,
                               lease};
    redis_many_ask(servers, script != NULL ? run : set, 6, asked, said);
    for (int i = 0; i < votes->count; i++) {
        const struct redis_answer *answer = &said[i].answer;
        int64_t value = answer->kind == REDIS_STATUS ? 1 : answer->integer; // OK counts as 1
        if (asked != NULL && !asked[i])
            continue;
        votes->items[i] = (struct vote){said[i].outcome, value};
        if (said[i].outcome == OUTCOME_BROKEN)
            error_set(error, "%s", client_error(servers));
    }
}

// A SET goes on until those that are left cannot make a majority any more. With an answer that does
// not come the connection is given up.
static void ask_in_turn(const struct lock *lock, struct redis_many *servers,
                        const struct redis_script *script, const bool *asked, struct votes *votes,
                        struct error *error)
{
    for (int i = 0; i < votes->count; i++) {
        bool only[MAX_SERVERS] = {false};
        int left = votes->count - i - 1;
        only[i] = asked == NULL || asked[i];
        if (!only[i])
            continue;
        ask_at_once(lock, servers, script, only, votes, error);
        if (votes->items[i].outcome == OUTCOME_UNKNOWN)
            redis_many_give_up(servers, i);
        if (script == NULL && votes_for(votes, 1) + votes_unknown(votes) + left < votes->quorum)
            break;
    }
}

void redlock_ask(const struct lock *lock, struct redis_many *servers,
                 const struct redis_script *script, const bool *asked, struct votes *votes,
                 struct error *error)
{
    const struct redlock_kind *kind = lock->scheme->kind;
    kind->ask(lock, servers, script, asked, votes, error);
}

// --- the scheme ----------------------------------------------------------------------------------

static struct votes unlock(struct lock *lock)
{
    struct votes votes = votes_none(lock->service->server_count);
    struct error ignored;
    redlock_ask(lock, lock->connection, &redis_compare_and_delete, NULL, &votes, &ignored);
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
    redlock_ask(lock, lock->connection, &redis_compare_and_delete, again, &votes, &ignored);
    return votes;
}

static enum outcome try_acquire(struct lock *lock, struct grant *grant)
{
    struct votes granted = votes_none(lock->service->server_count);
    lock_new_token(lock, TOKEN_DIGITS);
    grant->valid_until_ns = redlock_valid_until_ns(&lock->options, lock_asks_ns(lock));
    redlock_ask(lock, lock->connection, NULL, NULL, &granted, &lock->error);
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
    struct votes votes = votes_none(hold->service->server_count);
    struct error ignored;
    if (renewal->asked_ns >= renewal->held_until_ns)
        return OUTCOME_UNKNOWN;
    redlock_ask(hold, hold->client->connection, &extend_script, NULL, &votes, &ignored);
    renewal->valid_until_ns = redlock_valid_until_ns(&hold->options, renewal->asked_ns);
    return redlock_extended(&votes, renewal->valid_until_ns, clock_now_ns(&renewal->actor->clock));
}

// --- both ----------------------------------------------------------------------------------------

static const char *const topologies[] = {"independent", NULL};

#define REDLOCK_SCHEME                                                                             \
    .breaks = "a pause beyond the lease, a clock that jumps, a server that forgets in a restart",  \
    .traits = LOCK_TRAITS("redis", "exclusive", "lease", "owner-checked", "validity-checked",      \
                          "renewed"),                                                              \
    .rights = REDIS_KEYS "+set +eval +get +del +pexpire", .server = "redis",                       \
    .topologies = topologies, .request_ns = server_ns,                                             \
    .connector = &(const struct connector){redis_many_open, redis_many_close, redis_many_reuse},   \
    .renewal = &(const struct watchdog_settings){.renew = extend}, .try_acquire = try_acquire,     \
    .release = release

const struct lock_scheme redlock_scheme = {
    .name = "redlock",
    .summary = "SET NX PX on a majority of independent servers, one after the other; extended",
    REDLOCK_SCHEME,
    .kind = &(const struct redlock_kind){ask_in_turn},
};

const struct lock_scheme redlock_multiplexed_scheme = {
    .name = "redlock-multiplexed",
    .summary = "SET NX PX on a majority of independent servers, all at once; extended",
    REDLOCK_SCHEME,
    .kind = &(const struct redlock_kind){ask_at_once},
};
