// ZooKeeper's own lock recipe:
//   1. create <guid>-lock-<number>, ephemeral and numbered by the server;
//   2. read the line: the lowest number holds the lock;
//   3. anyone else watches the node just before its own, and reads again when that has gone.
// Release: delete the own node, which wakes the next one only. A grant's fencing token is the
// change (czxid) that made its node.
#include "harness/locks/zookeeper_queue.h"

static const struct zk_recipe recipe = {
    .below = "",
    .prefix = "",
    .suffix = "-lock-",
    .syncs = true,
    .blocker = zk_queue_predecessor,
};

static enum outcome acquire(struct lock *lock, struct grant *grant, int64_t give_up_ns)
{
    return zk_queue_acquire(lock, &recipe, grant, give_up_ns);
}

static const char *const traits[] = {"exclusive",     "lease",     "session",
                                     "owner-checked", "fenced",    "fair",
                                     "renewed",       "zookeeper", NULL};

const struct lock_scheme zk_sequential_scheme = {
    .name = "zk-sequential",
    .summary = "an ephemeral node in line, watching the one before it; deleted to release",
    .breaks = "a pause longer than the session, unless the store checks its fencing token",
    .traits = traits,
    .server = "zookeeper",
    .topologies = zk_topologies,
    .set_up = zk_lock_set_up,
    .clean_up = zk_lock_clean_up,
    .open_client = zk_client_open,
    .close_client = zk_client_close,
    .open = zk_lock_open,
    .close = zk_lock_close,
    .acquire = acquire,
    .release = zk_release,
};
