// What can be done to etcd servers (control.h).
//
// leads: as the leader that the server itself knows of. One that knows of none serves nobody, and
// does not answer. A leader that was cut off, or stood still, goes on believing for an election
// time-out (etcd_server.c).
//
// has_lock: whether this very server's copy of the store, which may lag behind the leader's, has a
// key of the lock's: of those that want it, the oldest holds.
//
// flush: every key of the group, whichever server is asked; leases stay. deny: "no-space" raises
// etcd's alarm for a store that is full. It concerns the whole group: keys and leases can neither
// be made nor changed, but read, kept alive, deleted and revoked.
//
// disconnect: a request comes on any connection, and the leases, which are etcd's sessions, do not
// tell whose they are. evict: it is no cache.
//
// forget: a change is on the disk before it is answered, so that LOSS_UNSYNCED takes nothing more
// than a crash does. LOSS_ALL is for a server of its own. The other members of a group remember one
// that comes back empty, and what it had promised them: etcd refuses to start it ("has already been
// bootstrapped") until it is removed from the group and added as a new member.
#ifndef LOCKPICK_CLUSTER_ETCD_CONTROL_H
#define LOCKPICK_CLUSTER_ETCD_CONTROL_H

#include "harness/cluster/control.h"

extern const struct server_control etcd_control;

#endif
