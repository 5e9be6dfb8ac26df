// What can be done to memcached servers (control.h).
//
// leads: whenever it answers. has_lock: the lock's item, asked for by `me`, which, unlike `mg`,
// `get` and `gets`, does not make it look used.
//
// flush: flush_all, proven by an item of our own. evict: fillers of the lock item's size, which
// push it out of their slab class as the least recently used. They never expire, and `relieve`
// deletes them.
//
// forget: a server that died has forgotten everything, whatever is asked.
//
// deny: without -M it takes every write. disconnect: a server ends nobody's connections but all at
// once, by its own end.
#ifndef LOCKPICK_CLUSTER_MEMCACHED_CONTROL_H
#define LOCKPICK_CLUSTER_MEMCACHED_CONTROL_H

#include "harness/cluster/control.h"

extern const struct server_control memcached_control;

#endif
