// What can be done to PostgreSQL servers (control.h).
//
// leads: whenever it answers, for it serves alone. has_lock: an advisory lock of the lock's number
// that somebody was granted, as the lock table has it. disconnect: pg_terminate_backend; what a
// backend had locked is free by then.
//
// forget: what was committed had been forced to the disk (fsync, synchronous_commit), so that
// LOSS_UNSYNCED loses nothing more than a crash does. LOSS_ALL: the data are made anew.
//
// deny: nothing by which PostgreSQL refuses writes concerns an advisory lock, which is none: it is
// granted in a read-only transaction, and by a standby. flush, evict: its data are no cache.
#ifndef LOCKPICK_CLUSTER_POSTGRES_CONTROL_H
#define LOCKPICK_CLUSTER_POSTGRES_CONTROL_H

#include "harness/cluster/control.h"

extern const struct server_control postgres_control;

#endif
