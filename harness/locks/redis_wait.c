// SET NX PX with a token, then WAIT over the same connection until a replica has it too. One is
// enough, however many there are: as Redisson does, and with two replicas a majority of the three
// servers. What no replica has in time is given back, and was not held.
//
// It makes the loss of a lock at a failover rarer, not impossible: the replica that has not heard
// of it may be the one that is promoted.
#include "harness/locks/redis_common.h"

#define REPLICAS 1

// WAIT 1, for as long as a request may take: OK if a replica has what we have written.
static enum outcome wait_for_replica(struct lock *lock)
{
    struct redis_answer answer;
    enum outcome outcome =
        lock_noted(lock, redis_wait(lock->connection, &answer, REPLICAS, lock->options.request_ns));
    return outcome == OUTCOME_OK && answer.integer < REPLICAS ? OUTCOME_NO : outcome;
}

static enum outcome try_acquire(struct lock *lock, struct grant *grant)
{
    enum outcome outcome = redis_set_token(lock, grant);
    // No answer: it may still be on its way. Only if it is there to be deleted, it was not held.
    if (outcome == OUTCOME_UNKNOWN)
        return redis_release_checked(lock) == RELEASE_RELEASED ? OUTCOME_NO : OUTCOME_UNKNOWN;
    if (outcome != OUTCOME_OK)
        return outcome;
    outcome = wait_for_replica(lock);
    if (outcome == OUTCOME_OK || outcome == OUTCOME_BROKEN)
        return outcome;
    enum release_answer answer = redis_release_checked(lock);
    redis_doubt_master(lock->connection);
    // Whatever was there, nothing of ours is any more.
    return answer == RELEASE_UNKNOWN ? OUTCOME_UNKNOWN : OUTCOME_NO;
}

// On one server alone there is no replica, and nobody would ever be let in.
static const char *const topologies[] = {"sentinel", "cluster", NULL};

const struct lock_scheme redis_wait_scheme = {
    .name = "redis-wait",
    .summary = "SET NX PX with a token, then WAIT for a replica; a script releases",
    .breaks =
        "a failover to a replica that has not heard of the lock; a hold longer than the lease",
    .traits = LOCK_TRAITS("exclusive", "lease", "owner-checked", "redis"),
    .rights = REDIS_CHECKED_RIGHTS "+set +wait",
    .server = "redis",
    REDIS_HANDLES,
    .topologies = topologies,
    .kind = redis_checked,
    .try_acquire = try_acquire,
    .release = redis_release_checked,
};
