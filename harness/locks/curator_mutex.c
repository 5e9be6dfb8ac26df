// Apache Curator's InterProcessMutex: nodes _c_<guid>-lock-<number> in line, each watching the one
// before it. The guid is Curator's protection: a create that was not answered is looked for by it.
// Unlike ZooKeeper's recipe it does not let its server catch up first, so that a server which lags
// behind may hide the node. The holder comes in again by counting in the client; nothing is sent.
#include "harness/locks/zookeeper_common.h"

static const struct zk_recipe recipe = {
    .below = "",
    .prefix = "_c_",
    .suffix = "-lock-",
    .blocker = zk_queue_predecessor,
};

const struct lock_scheme curator_mutex_scheme = {
    .name = "curator-mutex",
    .summary = "Curator's InterProcessMutex: ephemeral nodes in line, protected by a guid",
    .breaks = "a pause longer than the session, unless the store checks its fencing token; a lost "
              "reply hidden by a lagging server blocks it until its session ends",
    .traits = LOCK_TRAITS("exclusive", "lease", "session", "owner-checked", "fenced", "fair",
                          "reentrant", "renewed", "zookeeper"),
    ZK_QUEUE_SCHEME(&recipe),
    .reenter = zk_reenter,
    .leave = zk_leave,
};
