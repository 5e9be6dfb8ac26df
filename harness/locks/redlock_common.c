#include "harness/locks/redlock_common.h"

const char *const redlock_topologies[] = {"independent", NULL};

// 1 extended, 0 another's, -1 nobody's.
static const struct redis_script extend_script = {
    "local value = redis.call('GET', KEYS[1]) "
    "if value == ARGV[1] then redis.call('PEXPIRE', KEYS[1], ARGV[2]) return 1 "
    "elseif value then return 0 "
    "else return -1 end"};

int redlock_quorum(const struct votes *votes)
{
    return votes->count / 2 + 1;
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

int64_t redlock_server_ns(const struct lock_options *options)
{
    int64_t limit_ns = options->lease_ns / 20;
    if (limit_ns < 5 * NS_PER_MS)
        limit_ns = 5 * NS_PER_MS;
    return limit_ns < options->request_ns ? limit_ns : options->request_ns;
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
    return may_hold >= redlock_quorum(granted) ? OUTCOME_UNKNOWN : OUTCOME_NO;
}

enum release_answer redlock_released(const struct votes *votes)
{
    int unanswered = 0;
    for (int i = 0; i < votes->count; i++)
        unanswered += votes->items[i].outcome != OUTCOME_OK;
    if (votes_for(votes, 1) >= redlock_quorum(votes))
        return RELEASE_RELEASED;
    if (votes_for(votes, 1) + unanswered >= redlock_quorum(votes))
        return RELEASE_UNKNOWN;
    return votes_for(votes, 0) > 0 ? RELEASE_NOT_OWNER : RELEASE_GONE;
}

enum outcome redlock_extended(const struct votes *votes, int64_t valid_until_ns, int64_t now_ns)
{
    int unanswered = 0;
    for (int i = 0; i < votes->count; i++)
        unanswered += votes->items[i].outcome != OUTCOME_OK;
    if (votes_for(votes, 1) >= redlock_quorum(votes))
        return now_ns < valid_until_ns ? OUTCOME_OK : OUTCOME_UNKNOWN;
    return votes_for(votes, 1) + unanswered >= redlock_quorum(votes) ? OUTCOME_UNKNOWN : OUTCOME_NO;
}

// --- rounds --------------------------------------------------------------------------------------

static struct votes no_votes(int count)
{
    struct votes votes = {.count = count};
    for (int i = 0; i < count; i++)
        votes.items[i] = (struct vote){.outcome = OUTCOME_NO};
    return votes;
}

static struct votes unlock(struct lock *lock)
{
    const struct redlock_kind *kind = lock->scheme->kind;
    const struct redlock *state = lock->state;
    struct votes votes = no_votes(lock->service->server_count);
    struct error ignored;
    kind->ask(state->servers,
              &(const struct redlock_round){&lock->options, state->token, &redis_compare_and_delete,
                                            NULL},
              &votes, &ignored);
    return votes;
}

// Takes the token back from every server, also from those that answered nothing: the key may be
// there all the same. From those once more after their time-out, because the SET may still have
// been unread in an old connection when the first unlock arrived over a new one.
static struct votes take_back(struct lock *lock, const struct votes *granted)
{
    const struct redlock_kind *kind = lock->scheme->kind;
    const struct redlock *state = lock->state;
    bool again[MAX_SERVERS] = {false};
    struct error ignored;
    struct votes votes = unlock(lock);
    if (votes_unknown(granted) == 0)
        return votes;
    for (int i = 0; i < votes.count; i++)
        again[i] = granted->items[i].outcome == OUTCOME_UNKNOWN;
    clock_sleep_ns(&lock->actor->clock, redlock_server_ns(&lock->options));
    kind->ask(state->servers,
              &(const struct redlock_round){&lock->options, state->token, &redis_compare_and_delete,
                                            again},
              &votes, &ignored);
    return votes;
}

// --- the scheme ----------------------------------------------------------------------------------

enum outcome redlock_try_acquire(struct lock *lock, struct grant *grant)
{
    const struct redlock_kind *kind = lock->scheme->kind;
    struct redlock *state = lock->state;
    struct votes granted = no_votes(lock->service->server_count);
    random_hex(lock->random, state->token, TOKEN_DIGITS);
    int64_t asked_ns = lock_asks_ns(lock);
    kind->ask(state->servers,
              &(const struct redlock_round){&lock->options, state->token, NULL, NULL}, &granted,
              &lock->error);
    grant->valid_until_ns = redlock_valid_until_ns(&lock->options, asked_ns);
    if (votes_for(&granted, 1) >= redlock_quorum(&granted) &&
        clock_now_ns(&lock->actor->clock) < grant->valid_until_ns)
        return OUTCOME_OK;
    struct votes unlocked = take_back(lock, &granted);
    return lock->error.text[0] != '\0' ? OUTCOME_BROKEN : redlock_refused(&granted, &unlocked);
}

enum release_answer redlock_release(struct lock *lock)
{
    struct votes votes = unlock(lock);
    return redlock_released(&votes);
}

// What has run out is not to be revived.
static void extend(struct lock_client *client, struct actor *actor, struct renewal *renewal,
                   size_t count)
{
    const struct redlock_kind *kind = client->scheme->kind;
    const struct redlock *own = client->state;
    const struct redlock *hold = renewal->lock->state;
    struct votes votes = no_votes(client->service->server_count);
    struct error ignored;
    (void)count;
    int64_t asked_ns = clock_now_ns(&actor->clock);
    if (asked_ns >= renewal->valid_until_ns)
        return;
    kind->ask(own->servers,
              &(const struct redlock_round){&client->options, hold->token, &extend_script, NULL},
              &votes, &ignored);
    renewal->valid_until_ns = redlock_valid_until_ns(&client->options, asked_ns);
    renewal->outcome =
        redlock_extended(&votes, renewal->valid_until_ns, clock_now_ns(&actor->clock));
}

const struct watchdog_settings redlock_extension = {.renew = extend};

static int open_servers(struct redlock *state, const struct lock_scheme *scheme,
                        const struct service *service, const struct lock_options *options,
                        struct actor *actor, struct error *error)
{
    const struct redlock_kind *kind = scheme->kind;
    state->servers = kind->open(service, redlock_server_ns(options), actor, error);
    return state->servers == NULL ? -1 : 0;
}

int redlock_client_open(struct lock_client *client, struct error *error)
{
    return open_servers(client->state, client->scheme, client->service, &client->options,
                        watchdog_actor(client->watchdog), error);
}

void redlock_client_close(struct lock_client *client)
{
    const struct redlock_kind *kind = client->scheme->kind;
    const struct redlock *state = client->state;
    kind->close(state->servers);
}

int redlock_open(struct lock *lock, struct error *error)
{
    return open_servers(lock->state, lock->scheme, lock->service, &lock->options, lock->actor,
                        error);
}

void redlock_close(struct lock *lock)
{
    const struct redlock_kind *kind = lock->scheme->kind;
    const struct redlock *state = lock->state;
    kind->close(state->servers);
}
