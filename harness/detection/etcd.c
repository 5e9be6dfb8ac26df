// Mistakes in etcd's recipe: whom one waits for, and what one does when that one has gone.
#include "harness/detection/variants.h"
#include "harness/locks/etcd_common.h"

#define TRAITS LOCK_TRAITS("exclusive", "lease", "owner-checked", "fenced", "renewed", "etcd")

// The key that is waited for: the next older one, or, by mistake, the one before that. None: its
// create_revision is 0.
static enum outcome find_blocker(struct lock *lock, int64_t revision, bool skips_one,
                                 struct etcd_entry *blocker, int64_t *seen_at)
{
    struct etcd_lock *state = lock->state;
    enum outcome outcome =
        etcd_get_older(lock->connection, state->prefix, revision, blocker, seen_at);
    if (!skips_one || outcome != OUTCOME_OK || blocker->create_revision == 0)
        return outcome;
    return etcd_get_older(lock->connection, state->prefix, blocker->create_revision, blocker,
                          seen_at);
}

// OK: nobody to wait for, or, by the other mistake, the one that was waited for has gone.
static enum outcome wait_for_turn(struct lock *lock, int64_t revision, bool skips_one)
{
    struct etcd_wait wait = {.lock = lock, .at_most_ns = TIME_NEVER};
    const struct peer_patience waiting = etcd_patience(&wait);
    while (!etcd_wait_is_over(&wait)) {
        struct etcd_entry blocker;
        int64_t seen_at;
        enum outcome outcome = find_blocker(lock, revision, skips_one, &blocker, &seen_at);
        if (outcome == OUTCOME_BROKEN || (outcome == OUTCOME_OK && blocker.create_revision == 0))
            return lock_noted(lock, outcome);
        if (outcome == OUTCOME_OK)
            outcome = etcd_watch_deletion(lock->connection, blocker.key, seen_at + 1, &waiting);
        if (outcome == OUTCOME_BROKEN || (outcome == OUTCOME_OK && !skips_one))
            return lock_noted(lock, outcome);
    }
    return OUTCOME_NO;
}

static enum outcome attempt(struct lock *lock, struct grant *grant, bool skips_one)
{
    struct etcd_lock *state = lock->state;
    struct etcd_entry own;
    struct etcd_entry oldest;
    enum outcome outcome = etcd_have_session(lock);
    if (outcome != OUTCOME_OK)
        return outcome;
    outcome = etcd_create(lock->connection, state->key, state->lease, state->prefix, &own, &oldest);
    if (outcome == OUTCOME_NO)
        state->is_doubtful = etcd_lacks_lease(lock->connection);
    if (outcome == OUTCOME_NO || outcome == OUTCOME_BROKEN)
        return lock_noted(lock, outcome);
    if (outcome == OUTCOME_OK && oldest.create_revision != own.create_revision)
        outcome = wait_for_turn(lock, own.create_revision, skips_one);
    if (outcome == OUTCOME_BROKEN)
        return outcome;
    if (outcome != OUTCOME_OK)
        return etcd_withdraw(lock);
    grant->token = lock->options.fenced ? own.create_revision : 0;
    return etcd_hold(lock, grant);
}

static enum outcome acquire_out_of_order(struct lock *lock, struct grant *grant)
{
    return attempt(lock, grant, true);
}

const struct lock_scheme etcd_wrong_predecessor_mistake = {
    .name = "broken-etcd-wrong-predecessor",
    .summary = "a key waits for the last but one before it",
    .breaks = "plain contention",
    .traits = TRAITS,
    .try_acquire = acquire_out_of_order,
};

static enum outcome acquire_looking_once(struct lock *lock, struct grant *grant)
{
    return attempt(lock, grant, false);
}

const struct lock_scheme etcd_line_not_read_again_mistake = {
    .name = "broken-etcd-line-not-read-again",
    .summary = "when the key before its own has gone, it holds, without another look at the line",
    .breaks = "one that gives up, or dies, while it waits",
    .traits = TRAITS,
    .try_acquire = acquire_looking_once,
};
