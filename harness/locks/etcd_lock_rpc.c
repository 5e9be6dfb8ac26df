// etcd's lock service (/v3/lock/lock): the server queues and waits for the client. etcd 3.4 grants
// the lock even if the waiter's lease, and its key with it, has ended meanwhile; whoever was paused
// in between does not notice. The next in the queue is granted it at the same revision: so that is
// no fencing token.
#include "harness/locks/etcd_common.h"

// The service has no try: an attempt lasts until its first answer may be expected, at least.
static enum outcome try_acquire(struct lock *lock, struct grant *grant)
{
    struct etcd_lock *state = lock->state;
    int64_t revision;
    enum outcome outcome = etcd_have_session(lock);
    if (outcome != OUTCOME_OK)
        return outcome;
    struct etcd_wait wait = {.lock = lock,
                             .at_least_ns =
                                 clock_now_ns(&lock->actor->clock) + lock->options.request_ns,
                             .at_most_ns = TIME_NEVER};
    const struct peer_patience waiting = etcd_patience(&wait);
    outcome = etcd_lock(lock->connection, lock->options.name, state->lease, &revision, &waiting);
    if (outcome == OUTCOME_OK)
        return etcd_hold(lock, grant);
    if (outcome == OUTCOME_NO)
        state->is_doubtful = etcd_lacks_lease(lock->connection);
    if (outcome == OUTCOME_UNKNOWN) // it may be in the queue, or come to its end even now
        return etcd_withdraw(lock);
    return lock_noted(lock, outcome);
}

// Unlock deletes the key by its name, and does not say whether it was there: so it is looked up
// before. Nobody else's key can have that name, whatever happens in between.
static enum release_answer release(struct lock *lock)
{
    struct etcd_lock *state = lock->state;
    struct etcd_entry own;
    etcd_end_hold(lock);
    state->is_doubtful = true; // until it is known to be free
    if (lock_noted(lock, etcd_get(lock->connection, state->key, &own)) != OUTCOME_OK)
        return RELEASE_UNKNOWN;
    if (own.create_revision == 0)
        return RELEASE_GONE;
    if (lock_noted(lock, etcd_unlock(lock->connection, state->key)) != OUTCOME_OK)
        return RELEASE_UNKNOWN;
    state->is_doubtful = false;
    return RELEASE_RELEASED;
}

const struct lock_scheme etcd_lock_rpc_scheme = {
    .name = "etcd-lock-rpc",
    .summary = "etcd's lock service, which queues and waits for the client",
    .breaks =
        "a pause longer than the lease; etcd 3.4 grants it even after the waiter's lease ended",
    .traits = LOCK_TRAITS("exclusive", "lease", "owner-checked", "fair", "renewed", "etcd"),
    ETCD_SCHEME,
    .try_acquire = try_acquire,
    .release = release,
};
