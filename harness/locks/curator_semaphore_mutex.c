// Apache Curator's InterProcessSemaphoreV2, and with one lease, its InterProcessSemaphoreMutex.
//   1. wait for the turn: an InterProcessMutex in /locks lets one worker at a time go on;
//   2. create the lease /leases/_c_<guid>-lease-<number>;
//   3. read the leases, watching them, until they are no more than the permits;
//   4. give up the turn.
// Release: delete the lease. Not reentrant.
#include "harness/locks/zookeeper_common.h"

static const struct zk_recipe turns = {
    .below = "/locks",
    .prefix = "_c_",
    .suffix = "-lock-",
    .blocker = zk_queue_predecessor,
};

static const struct zk_recipe leases = {
    .below = "/leases",
    .prefix = "_c_",
    .suffix = "-lease-",
};

static int set_up(const struct service *service, const struct lock_options *options,
                  struct error *error)
{
    static const char *const folders[] = {"", "/locks", "/leases", NULL};
    return zk_lock_set_up_folders(service, options, folders, error);
}

// With the turn.
static enum outcome take_lease(struct lock *lock, struct grant *grant)
{
    struct zk_node *lease = &zk_lock_of(lock)->node;
    enum outcome outcome = zk_queue_join(lock, &leases, lease);
    // A turn ends with its session: what comes by another one is a place of its own.
    if (outcome == OUTCOME_OK && lease->session != zk_lock_of(lock)->turn.session)
        lock_queued(lock, TIME_NEVER);
    if (outcome == OUTCOME_OK) {
        outcome = zk_queue_wait_turn(lock, &leases, lease, grant);
        return outcome == OUTCOME_OK ? zk_hold(lock, grant) : outcome;
    }
    if (outcome == OUTCOME_BROKEN)
        return outcome;
    return zk_queue_leave(lock, &leases, lease) == RELEASE_UNKNOWN ? OUTCOME_UNKNOWN : OUTCOME_NO;
}

static enum outcome try_acquire(struct lock *lock, struct grant *grant)
{
    struct zk_lock *state = zk_lock_of(lock);
    if (zk_queue_leave(lock, &leases, &state->node) == RELEASE_UNKNOWN)
        return OUTCOME_UNKNOWN; // a former attempt's lease
    enum outcome outcome = zk_queue_wait(lock, &turns, &state->turn, grant);
    if (outcome != OUTCOME_OK)
        return outcome;
    outcome = take_lease(lock, grant);
    // If there is no answer, the next acquire or the release sees to it.
    zk_queue_leave(lock, &turns, &state->turn);
    return outcome;
}

static enum release_answer release(struct lock *lock)
{
    enum release_answer answer = zk_release(lock);
    zk_queue_leave(lock, &turns, &zk_lock_of(lock)->turn);
    return answer;
}

const struct lock_scheme curator_semaphore_mutex_scheme = {
    .name = "curator-semaphore-mutex",
    .summary = "Curator's InterProcessSemaphoreV2: a lease for each permit, taken in turn",
    .breaks = "a pause longer than the session, unless the store checks its fencing token",
    .traits = LOCK_TRAITS("exclusive", "lease", "session", "owner-checked", "fenced", "fair",
                          "renewed", "permits", "zookeeper"),
    ZK_SCHEME,
    .set_up = set_up,
    .try_acquire = try_acquire,
    .release = release,
};
