// Who may connect to a server on loopback ports, where every user of the machine could: who runs
// Lockpick, and the server's own user (its peers). The server itself asks the kernel whose the
// other end is, before it reads a byte: accept() of the preload (gate_preload.c), which it is
// started with. So nothing changes for clients of any library, and what has no passwords is closed,
// too: memcached, the bus of a Redis Cluster, the ports by which members of Galera and ZooKeeper
// talk to each other. A program that asks the kernel itself (Go: etcd) escapes.
//
// Whose a connection was that is closed by now, the kernel does not know: what was sent on one that
// its client gave up before the server took it, as a server that stands still does not, is lost.
#ifndef LOCKPICK_CLUSTER_GATE_H
#define LOCKPICK_CLUSTER_GATE_H

// The id of the user who may connect; without it, everybody may.
#define GATE_VARIABLE "LOCKPICK_GATE"

#endif
