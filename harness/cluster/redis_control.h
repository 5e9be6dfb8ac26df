// What can be done to Redis servers and to sentinels (control.h).
//
// leads: alone or as an equal whenever it answers; with sentinels as a master; in a cluster as a
// master of slots that sees the whole cluster serve. promote: REPLICAOF NO ONE, as by hand, so that
// a restart brings a replica back; in a cluster CLUSTER FAILOVER TAKEOVER.
//
// has_lock: the lock's key on this very server, a replica's own copy included. Where a key alone is
// no hold, its value decides: of redis-setnx-getset one whose time has not come by the machine's
// clock, of redisson-semaphore one that leaves no permit.
//
// evict: the policies are Redis's own. With an LRU one the lock is made to look as if nobody had
// used it for an hour, so that it goes before the trial's other keys; allkeys-random throws those
// away, too. "noeviction": until writes are refused for want of memory, while the lock stays.
//
// deny: "misconf" keeps sentinels from a PONG, and so they fail over; none of the others does, for
// 20 s at least.
//
// forget: LOSS_ALL keeps nodes.conf, redis.conf and sentinel.conf, by which a server knows its
// group. LOSS_UNSYNCED is a power cut at the moment at which the server died. Without persistence
// it takes everything, with PERSISTENCE_AOF_ALWAYS nothing. With PERSISTENCE_AOF_EVERYSEC it takes
// the most that Redis permits itself to lose: every write of the last second, and, as the file
// tells only in which second of the server's clock a write was made, those of up to one second
// more. If the last write is older than a second, nothing.
#ifndef LOCKPICK_CLUSTER_REDIS_CONTROL_H
#define LOCKPICK_CLUSTER_REDIS_CONTROL_H

#include "harness/cluster/control.h"

extern const struct server_control redis_control;
extern const struct server_control redis_sentinel_control; // forget only

#endif
