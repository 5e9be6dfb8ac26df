// Mistakes in Redlock's arithmetic. The rest is as in harness/locks/redlock.c, but for the
// watchdog: what is held here is held for less than a lease.
#include "harness/detection/variants.h"
#include "harness/locks/catalogue.h"
#include "harness/locks/redlock_common.h"

enum flaw {
    QUORUM_TOO_SMALL,
    ANSWERS_COUNTED,
    MINORITY_KEPT,
    VALIDITY_UNCHECKED,
    VALIDITY_RESTARTED,
};

struct state {
    struct redis_connection *connections[MAX_SERVERS]; // NULL: could not be reached yet
    char token[TOKEN_DIGITS + 1];
};

static int open_lock(struct lock *lock, struct error *error)
{
    struct state *state = lock->state;
    for (int i = 0; i < lock->service->server_count; i++) {
        state->connections[i] = redis_open_server(
            lock->service, i, redlock_server_ns(&lock->options), lock->actor, error);
        if (state->connections[i] == NULL)
            return -1;
    }
    return 0;
}

static void close_lock(struct lock *lock)
{
    struct state *state = lock->state;
    for (int i = 0; i < MAX_SERVERS; i++)
        redis_close(state->connections[i]);
}

static struct votes set_everywhere(struct lock *lock)
{
    struct state *state = lock->state;
    struct votes votes = {.count = lock->service->server_count};
    for (int i = 0; i < votes.count; i++) {
        struct redis_answer answer = {.kind = REDIS_NIL};
        enum outcome outcome = redis_request(state->connections[i], &answer, "SET %s %s NX PX %lld",
                                             lock->options.name, state->token, lease_ms(lock));
        votes.items[i] = (struct vote){outcome, answer.kind == REDIS_NIL ? 0 : 1};
    }
    return votes;
}

static struct votes unlock_everywhere(struct lock *lock)
{
    struct state *state = lock->state;
    struct votes votes = {.count = lock->service->server_count};
    for (int i = 0; i < votes.count; i++) {
        struct redis_answer answer = {.kind = REDIS_NIL};
        enum outcome outcome = redis_run(state->connections[i], &answer, &lock->options,
                                         &redis_compare_and_delete, NULL, state->token);
        votes.items[i] = (struct vote){outcome, answer.integer};
    }
    return votes;
}

static bool has_quorum(const struct votes *votes, enum flaw flaw)
{
    if (flaw == QUORUM_TOO_SMALL)
        return votes_for(votes, 1) >= votes->count / 2;
    if (flaw == ANSWERS_COUNTED)
        return votes_for(votes, 1) > 0 &&
               votes_for(votes, 1) + votes_for(votes, 0) >= redlock_quorum(votes);
    return votes_for(votes, 1) >= redlock_quorum(votes);
}

static enum outcome acquire_with(struct lock *lock, struct grant *grant, enum flaw flaw)
{
    struct state *state = lock->state;
    random_hex(lock->random, state->token, TOKEN_DIGITS);
    int64_t asked_ns = clock_now_ns(&lock->actor->clock);
    struct votes granted = set_everywhere(lock);
    if (flaw == VALIDITY_RESTARTED)
        asked_ns = clock_now_ns(&lock->actor->clock);
    grant->valid_until_ns = redlock_valid_until_ns(&lock->options, asked_ns);
    bool in_time =
        flaw == VALIDITY_UNCHECKED || clock_now_ns(&lock->actor->clock) < grant->valid_until_ns;
    if (has_quorum(&granted, flaw) && in_time)
        return OUTCOME_OK;
    if (flaw == MINORITY_KEPT)
        return votes_unknown(&granted) > 0 ? OUTCOME_UNKNOWN : OUTCOME_NO;
    struct votes unlocked = unlock_everywhere(lock);
    return redlock_refused(&granted, &unlocked);
}

static enum release_answer release(struct lock *lock)
{
    struct votes votes = unlock_everywhere(lock);
    return redlock_released(&votes);
}

// --- the variants --------------------------------------------------------------------------------

#define VARIANT_OF_REDLOCK                                                                         \
    .server = "redis", .topologies = redlock_topologies, .lock_bytes = sizeof(struct state),       \
    .open = open_lock, .close = close_lock, .release = release,                                    \
    .traits = LOCK_TRAITS("redis", "exclusive", "lease", "owner-checked")

static enum outcome acquire_with_half(struct lock *lock, struct grant *grant)
{
    return acquire_with(lock, grant, QUORUM_TOO_SMALL);
}

const struct lock_scheme quorum_too_small_variant = {
    .name = "broken-redlock-quorum-too-small",
    .summary = "a quorum is half of the servers, rounded down, and not one more",
    .breaks = "a partition between the clients and some servers",
    VARIANT_OF_REDLOCK,
    .try_acquire = acquire_with_half,
};

static enum outcome acquire_with_answers(struct lock *lock, struct grant *grant)
{
    return acquire_with(lock, grant, ANSWERS_COUNTED);
}

const struct lock_scheme answers_counted_variant = {
    .name = "broken-redlock-answers-counted",
    .summary = "whoever got one grant has a quorum once a majority has answered, whatever it said",
    .breaks = "plain contention",
    VARIANT_OF_REDLOCK,
    .try_acquire = acquire_with_answers,
};

static enum outcome acquire_keeping(struct lock *lock, struct grant *grant)
{
    return acquire_with(lock, grant, MINORITY_KEPT);
}

const struct lock_scheme minority_kept_variant = {
    .name = "broken-redlock-minority-kept",
    .summary = "an attempt without quorum does not take back what it was granted",
    .breaks = "contention: nobody has a quorum until the leases of the others are over",
    VARIANT_OF_REDLOCK,
    .try_acquire = acquire_keeping,
};

static enum outcome acquire_unchecked(struct lock *lock, struct grant *grant)
{
    return acquire_with(lock, grant, VALIDITY_UNCHECKED);
}

const struct lock_scheme validity_unchecked_variant = {
    .name = "broken-redlock-validity-unchecked",
    .summary = "with a quorum it holds, even if the lease is over by then",
    .breaks = "a pause before the last answer",
    VARIANT_OF_REDLOCK,
    .try_acquire = acquire_unchecked,
};

static enum outcome acquire_restarting(struct lock *lock, struct grant *grant)
{
    return acquire_with(lock, grant, VALIDITY_RESTARTED);
}

const struct lock_scheme validity_restarted_variant = {
    .name = "broken-redlock-validity-restarted",
    .summary = "the lease is counted from the last answer, not from before the first request",
    .breaks = "a pause before the last answer",
    VARIANT_OF_REDLOCK,
    .try_acquire = acquire_restarting,
};
