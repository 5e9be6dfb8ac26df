// The simplest lock of ZooKeeper: whoever creates the node, holds the lock. It is ephemeral, so it
// goes with its owner's session. Everyone else watches the node, and when it goes all of them try
// at once: a herd. Whose it is stands in it, as the guid of the attempt that made it.
//
// Release deletes whatever is there: while the session lives, that is its own node, unless somebody
// has removed that.
#include "harness/locks/zookeeper_common.h"

static bool wait_until_it_goes(struct lock *lock)
{
    char path[ZK_PATH_ROOM];
    zk_lock_path(&lock->options, "", "lock", path);
    zk_wait_for(lock, path, true);
    return true;
}

static enum outcome try_acquire(struct lock *lock, struct grant *grant)
{
    struct zk_node *node = &zk_lock_of(lock)->node;
    if (!zk_named_tidy(lock, node))
        return OUTCOME_UNKNOWN;
    enum outcome outcome = zk_begin(zk_of(lock));
    lock_asks_ns(lock);
    if (outcome == OUTCOME_OK)
        outcome = zk_named_create(lock, node, "", "lock");
    return outcome == OUTCOME_OK ? zk_hold(lock, grant) : outcome;
}

const struct lock_scheme zk_ephemeral_scheme = {
    .name = "zk-ephemeral",
    .summary = "an ephemeral node, watched by all who wait; deleted to release",
    .breaks = "a pause longer than the session, unless the store checks its fencing token; deletes "
              "another's lock if its own was removed",
    .traits = LOCK_TRAITS("exclusive", "lease", "session", "fenced", "renewed", "zookeeper"),
    ZK_SCHEME,
    .set_up = zk_lock_set_up,
    .try_acquire = try_acquire,
    .wait = wait_until_it_goes,
    .release = zk_named_release,
};
