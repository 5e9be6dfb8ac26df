// ZooKeeper's own lock recipe:
//   1. create <guid>-lock-<number>, ephemeral and numbered by the server;
//   2. read the line: the lowest number holds the lock;
//   3. anyone else watches the node just before its own, and reads again when that has gone.
// Release: delete the own node, which wakes the next one only. A grant's fencing token is the
// change (czxid) that made its node.
#include "harness/locks/zookeeper_common.h"

static const struct zk_recipe recipe = {
    .below = "",
    .prefix = "",
    .suffix = "-lock-",
    .syncs = true,
    .blocker = zk_queue_predecessor,
};

const struct lock_scheme zk_sequential_scheme = {
    .name = "zk-sequential",
    .summary = "an ephemeral node in line, watching the one before it; deleted to release",
    .breaks = "a pause longer than the session, unless the store checks its fencing token",
    .traits = LOCK_TRAITS("exclusive", "lease", "session", "owner-checked", "fenced", "fair",
                          "renewed", "zookeeper"),
    ZK_QUEUE_SCHEME(&recipe),
};
