// What can be done to ZooKeeper servers (control.h).
//
// leads: as the leader of an ensemble, or alone; a server without a quorum serves nobody, and does
// not answer that either.
//
// has_lock: whether this very server's copy of the tree, which may lag behind the leader's, has an
// ephemeral node where the scheme's holds are. No session is needed to ask that. Of nodes in line
// the first holds, and so any will do; with curator-semaphore-mutex those that only queue are
// elsewhere.
//
// disconnect: "session" expires the client's session, which takes its ephemeral nodes with it: a
// connection of our own takes the session over, with the password that the server derives from the
// session's id, and closes it. "connection" ends the connection alone: a second one for the same
// session makes the server end the first, and with a wrong password it goes no further than that,
// so that the session stays as it is and the client gets back in. Both concern what is connected to
// this very server, and a client that comes back may choose another one.
//
// forget: a change is on the disk before it is answered, so that LOSS_UNSYNCED takes nothing more
// than a crash does. LOSS_ALL takes the snapshots and the log; the server knows its group by its
// number and its settings, and is sent everything again by the leader, if there is one.
//
// flush, evict, deny: it has nothing of the kind.
#ifndef LOCKPICK_CLUSTER_ZOOKEEPER_CONTROL_H
#define LOCKPICK_CLUSTER_ZOOKEEPER_CONTROL_H

#include "harness/cluster/control.h"

extern const struct server_control zookeeper_control;

#endif
