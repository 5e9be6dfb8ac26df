// Mistakes in Redlock's arithmetic. The rest is as in harness/locks/redlock.c, but for the
// watchdog: what is held here is held for less than a lease.
#include "harness/locks/redlock.h"
#include "harness/detection/variants.h"

enum flaw {
    QUORUM_TOO_SMALL,
    ANSWERS_COUNTED,
    MINORITY_KEPT,
    VALIDITY_UNCHECKED,
    VALIDITY_RESTARTED,
};

// Whatever the first ones say, all are asked.
static struct votes ask_all(struct lock *lock, const struct redis_script *script)
{
    struct votes votes = votes_none(lock->service->server_count);
    struct error ignored;
    int quorum = votes.quorum;
    votes.quorum = 0;
    redlock_ask(lock, lock->connection, script, NULL, &votes, &ignored);
    votes.quorum = quorum;
    return votes;
}

static bool has_quorum(const struct votes *votes, enum flaw flaw)
{
    if (flaw == QUORUM_TOO_SMALL)
        return votes_for(votes, 1) >= votes->count / 2;
    if (flaw == ANSWERS_COUNTED)
        return votes_for(votes, 1) > 0 &&
               votes_for(votes, 1) + votes_for(votes, 0) >= votes->quorum;
    return votes_for(votes, 1) >= votes->quorum;
}

static enum outcome acquire_with(struct lock *lock, struct grant *grant, enum flaw flaw)
{
    lock_new_token(lock, TOKEN_DIGITS);
    int64_t asked_ns = clock_now_ns(&lock->actor->clock);
    struct votes granted = ask_all(lock, NULL);
    if (flaw == VALIDITY_RESTARTED)
        asked_ns = clock_now_ns(&lock->actor->clock);
    grant->valid_until_ns = redlock_valid_until_ns(&lock->options, asked_ns);
    bool in_time =
        flaw == VALIDITY_UNCHECKED || clock_now_ns(&lock->actor->clock) < grant->valid_until_ns;
    if (has_quorum(&granted, flaw) && in_time)
        return OUTCOME_OK;
    if (flaw == MINORITY_KEPT)
        return votes_unknown(&granted) > 0 ? OUTCOME_UNKNOWN : OUTCOME_NO;
    struct votes unlocked = ask_all(lock, &redis_compare_and_delete);
    return redlock_refused(&granted, &unlocked);
}

// --- the variants --------------------------------------------------------------------------------

#define ACQUIRE_WITH(flaw)                                                                         \
    static enum outcome acquire_with_##flaw(struct lock *lock, struct grant *grant)                \
    {                                                                                              \
        return acquire_with(lock, grant, flaw);                                                    \
    }
ACQUIRE_WITH(QUORUM_TOO_SMALL)
ACQUIRE_WITH(ANSWERS_COUNTED)
ACQUIRE_WITH(MINORITY_KEPT)
ACQUIRE_WITH(VALIDITY_UNCHECKED)
ACQUIRE_WITH(VALIDITY_RESTARTED)

#define ACQUIRES_WITH(flaw)                                                                        \
    .try_acquire = acquire_with_##flaw, .renewal = &no_renewal,                                    \
    .traits = LOCK_TRAITS("redis", "exclusive", "lease", "owner-checked", "validity-checked")

const struct lock_scheme quorum_too_small_mistake = {
    .name = "broken-redlock-quorum-too-small",
    .summary = "a quorum is half of the servers, rounded down, and not one more",
    .breaks = "a partition between the clients and some servers",
    ACQUIRES_WITH(QUORUM_TOO_SMALL),
};

const struct lock_scheme answers_counted_mistake = {
    .name = "broken-redlock-answers-counted",
    .summary = "whoever got one grant has a quorum once a majority has answered, whatever it said",
    .breaks = "plain contention",
    ACQUIRES_WITH(ANSWERS_COUNTED),
};

const struct lock_scheme minority_kept_mistake = {
    .name = "broken-redlock-minority-kept",
    .summary = "an attempt without quorum does not take back what it was granted",
    .breaks = "contention: nobody has a quorum until the leases of the others are over",
    ACQUIRES_WITH(MINORITY_KEPT),
};

const struct lock_scheme validity_unchecked_mistake = {
    .name = "broken-redlock-validity-unchecked",
    .summary = "with a quorum it holds, even if the lease is over by then",
    .breaks = "a pause before the last answer",
    ACQUIRES_WITH(VALIDITY_UNCHECKED),
};

const struct lock_scheme validity_restarted_mistake = {
    .name = "broken-redlock-validity-restarted",
    .summary = "the lease is counted from the last answer, not from before the first request",
    .breaks = "a pause before the last answer",
    ACQUIRES_WITH(VALIDITY_RESTARTED),
};
