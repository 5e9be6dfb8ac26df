// etcd's recipe for an election, as in its own client (concurrency.Election, client/v3/concurrency/
// election.go): who campaigns makes a key of its own, bound to its session's lease, and is elected
// once no older key is left. Unlike the mutex of the same client it does not look then whether its
// own key is still there: whose session ended while it waited is elected all the same. The revision
// at which the key was made is its term.
#include "harness/locks/etcd_common.h"

// Waits until no older key is left, whatever became of its own.
static enum outcome wait_for_turn(struct lock *lock, int64_t revision)
{
    struct etcd_wait wait = {.lock = lock, .at_most_ns = TIME_NEVER};
    while (!lock_must_give_up(lock)) {
        enum outcome outcome = etcd_wait_for_predecessor(lock, revision, &wait);
        if (outcome != OUTCOME_NO)
            return outcome;
        if (etcd_wait_is_over(&wait)) // the session's end, which it is not told
            lock_wait_before_retry(lock);
    }
    return OUTCOME_NO;
}

static enum outcome try_acquire(struct lock *lock, struct grant *grant)
{
    return etcd_stand_in_line(lock, grant, wait_for_turn);
}

const struct lock_scheme etcd_election_scheme = {
    .name = "etcd-election",
    .summary = "etcd's election: a key of one's own under a lease; the oldest is elected",
    .breaks =
        "a pause longer than the lease, also while it waits: it does not look whether its own "
        "key is still there when it is elected",
    .traits =
        LOCK_TRAITS("exclusive", "lease", "owner-checked", "fenced", "fair", "renewed", "etcd"),
    ETCD_SCHEME,
    .try_acquire = try_acquire,
    .release = etcd_delete_own,
};
