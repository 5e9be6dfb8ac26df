// What can be done to MariaDB servers (control.h).
//
// leads: alone whenever it answers; with replicas if it takes writes (read_only is off) and follows
// nobody; in a Galera cluster if it is ready, in a part that has the majority. promote: as by hand:
// it applies what it has received, then follows nobody and takes writes. A former primary that
// comes back knows nothing of that, and leads, too; other replicas go on with the former one.
//
// has_lock: what this very server has, by the scheme: a row that is not over by its clock, a name
// of GET_LOCK (which only the server knows that gave it), a row that somebody has locked (found out
// by locking it, if it is free, for the length of one statement). mysql-optimistic has no lock that
// one could look for.
//
// deny: "readonly" is SET GLOBAL read_only, which binds clients (mysql_server.h). GET_LOCK is no
// write, and still granted. disconnect: KILL CONNECTION; what the session had locked is free then.
//
// forget: what was committed had been forced to the disk (innodb_flush_log_at_trx_commit = 1), so
// that LOSS_UNSYNCED loses nothing more than a crash does. LOSS_ALL: a server as newly installed,
// without the clients' tables, that still knows its group: a replica is sent everything again by
// its primary, a member of a Galera cluster by the others.
//
// flush, evict: its data are no cache.
#ifndef LOCKPICK_CLUSTER_MYSQL_CONTROL_H
#define LOCKPICK_CLUSTER_MYSQL_CONTROL_H

#include "harness/cluster/control.h"

extern const struct server_control mysql_control;

#endif
