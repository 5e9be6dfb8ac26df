// etcd's recipe for a mutex, as in its own client (concurrency.Mutex): who wants the lock makes a
// key of its own, bound to its lease; the oldest key holds it, each other one waits for the end of
// the one before it. The revision at which the key was made is the fencing token.
#include "harness/locks/etcd_common.h"

// Waits for the end of the next older key, whoever's it is. NO: not yet, or nobody to ask.
static enum outcome wait_for_predecessor(struct lock *lock, int64_t revision,
                                         struct etcd_wait *wait)
{
    struct etcd_lock *state = lock->state;
    struct etcd_entry predecessor;
    int64_t seen_at;
    enum outcome outcome =
        etcd_get_older(lock->connection, state->prefix, revision, &predecessor, &seen_at);
    if (outcome == OUTCOME_BROKEN || (outcome == OUTCOME_OK && predecessor.create_revision == 0))
        return outcome;
    if (outcome == OUTCOME_OK && !etcd_wait_is_over(wait)) {
        // Not for ever: this server may be cut off from the others.
        wait->at_most_ns = clock_now_ns(&lock->actor->clock) + lock->options.lease_ns / 3;
        const struct peer_patience waiting = etcd_patience(wait);
        // From the revision after: a watch that begins with one of the past is served by etcd
        // only every 100 ms.
        outcome = etcd_watch_deletion(lock->connection, predecessor.key, seen_at + 1, &waiting);
        wait->at_most_ns = TIME_NEVER;
        if (outcome == OUTCOME_OK)
            return OUTCOME_NO; // but perhaps there is one before that one
    }
    if (outcome != OUTCOME_BROKEN && !etcd_wait_is_over(wait))
        lock_wait_before_retry(lock);
    return outcome == OUTCOME_BROKEN ? OUTCOME_BROKEN : OUTCOME_NO;
}

// Queued at `revision`: waits until no older key is left, and then makes sure that its own still
// is. NO: the wait is over; the key may be there.
static enum outcome wait_for_turn(struct lock *lock, int64_t revision)
{
    struct etcd_lock *state = lock->state;
    struct etcd_wait wait = {.lock = lock, .at_most_ns = TIME_NEVER};
    while (!etcd_wait_is_over(&wait)) {
        struct etcd_entry own;
        enum outcome outcome = wait_for_predecessor(lock, revision, &wait);
        if (outcome == OUTCOME_OK)
            outcome = etcd_get(lock->connection, state->key, &own);
        if (outcome == OUTCOME_BROKEN)
            return lock_noted(lock, outcome);
        if (outcome == OUTCOME_OK)
            return own.create_revision == revision ? OUTCOME_OK : OUTCOME_NO;
    }
    return OUTCOME_NO;
}

// Leaves the queue. The lease stays, for the next time, if the key certainly goes.
static enum outcome leave_queue(struct lock *lock)
{
    struct etcd_lock *state = lock->state;
    int64_t deleted;
    enum outcome outcome = etcd_delete(lock->connection, state->key, &deleted);
    return outcome == OUTCOME_OK && deleted == 1 ? OUTCOME_NO : etcd_withdraw(lock);
}

static enum outcome try_acquire(struct lock *lock, struct grant *grant)
{
    struct etcd_lock *state = lock->state;
    struct etcd_entry own, oldest;
    enum outcome outcome = etcd_have_session(lock);
    if (outcome != OUTCOME_OK)
        return outcome;
    outcome = etcd_create(lock->connection, state->key, state->lease, state->prefix, &own, &oldest);
    if (outcome == OUTCOME_NO) {
        state->is_doubtful = etcd_lacks_lease(lock->connection);
        return OUTCOME_NO;
    }
    if (outcome != OUTCOME_OK)
        return outcome == OUTCOME_BROKEN ? lock_noted(lock, outcome) : etcd_withdraw(lock);
    bool is_first = oldest.create_revision == own.create_revision;
    // A former attempt's place was lost: this one is another, even if it need not wait.
    if (!is_first || grant->attempts > 1)
        lock_queued(lock, TIME_NEVER);
    if (!is_first) {
        outcome = wait_for_turn(lock, own.create_revision);
        if (outcome != OUTCOME_OK)
            return outcome == OUTCOME_BROKEN ? outcome : leave_queue(lock);
    }
    grant->token = lock->options.fenced ? own.create_revision : 0;
    return etcd_hold(lock, grant);
}

// Deletes the key by its name, which nobody else's can have.
static enum release_answer release(struct lock *lock)
{
    struct etcd_lock *state = lock->state;
    int64_t deleted;
    etcd_end_hold(lock);
    enum outcome outcome = etcd_delete(lock->connection, state->key, &deleted);
    state->is_doubtful = outcome != OUTCOME_OK || deleted == 0;
    if (lock_noted(lock, outcome) != OUTCOME_OK)
        return RELEASE_UNKNOWN;
    return deleted == 1 ? RELEASE_RELEASED : RELEASE_GONE;
}

const struct lock_scheme etcd_lease_scheme = {
    .name = "etcd-lease",
    .summary =
        "a key of one's own under a lease; the oldest holds, the others watch the one before",
    .breaks = "a pause longer than the lease, unless the store checks its fencing token",
    .traits =
        LOCK_TRAITS("exclusive", "lease", "owner-checked", "fenced", "fair", "renewed", "etcd"),
    ETCD_SCHEME,
    .try_acquire = try_acquire,
    .release = release,
};
