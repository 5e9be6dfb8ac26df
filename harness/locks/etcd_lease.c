// etcd's recipe for a mutex, as in its own client (concurrency.Mutex): who wants the lock makes a
// key of its own, bound to its lease; the oldest key holds it, each other one waits for the end of
// the one before it. The revision at which the key was made is the fencing token.
#include "harness/locks/etcd_common.h"

// Queued at `revision`: waits until no older key is left, and then makes sure that its own still
// is. NO: the wait is over; the key may be there.
static enum outcome wait_for_turn(struct lock *lock, int64_t revision)
{
    struct etcd_lock *state = lock->state;
    struct etcd_wait wait = {.lock = lock, .at_most_ns = TIME_NEVER};
    while (!etcd_wait_is_over(&wait)) {
        struct etcd_entry own;
        enum outcome outcome = etcd_wait_for_predecessor(lock, revision, &wait);
        if (outcome == OUTCOME_OK)
            outcome = etcd_get(lock->connection, state->key, &own);
        if (outcome == OUTCOME_BROKEN)
            return outcome;
        if (outcome == OUTCOME_OK)
            return own.create_revision == revision ? OUTCOME_OK : OUTCOME_NO;
    }
    return OUTCOME_NO;
}

static enum outcome try_acquire(struct lock *lock, struct grant *grant)
{
    return etcd_stand_in_line(lock, grant, wait_for_turn);
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
    .release = etcd_delete_own,
};
