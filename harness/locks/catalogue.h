// Every scheme of the catalogue, by name. A new scheme is one new file, a line here, and a line in
// catalogue.c.
#ifndef LOCKPICK_LOCKS_CATALOGUE_H
#define LOCKPICK_LOCKS_CATALOGUE_H

#include "harness/locks/lock.h"

extern const struct lock_scheme none_scheme;
extern const struct lock_scheme process_mutex_scheme;
extern const struct lock_scheme redis_get_set_scheme;
extern const struct lock_scheme redis_setnx_scheme;
extern const struct lock_scheme redis_setnx_expire_scheme;
extern const struct lock_scheme redis_setnx_getset_scheme;
extern const struct lock_scheme redis_set_px_del_scheme;
extern const struct lock_scheme redis_set_px_get_del_scheme;
extern const struct lock_scheme redis_set_px_lua_scheme;
extern const struct lock_scheme redis_lua_scheme;
extern const struct lock_scheme redis_watchdog_unchecked_scheme;
extern const struct lock_scheme redis_watchdog_scheme;
extern const struct lock_scheme tair_cad_scheme;
extern const struct lock_scheme tair_cad_emulated_scheme;
extern const struct lock_scheme redis_wait_scheme;
extern const struct lock_scheme redisson_scheme;
extern const struct lock_scheme redisson_fair_scheme;
extern const struct lock_scheme redisson_fenced_scheme;
extern const struct lock_scheme redisson_rw_scheme;
extern const struct lock_scheme redisson_semaphore_scheme;
extern const struct lock_scheme redlock_scheme;
extern const struct lock_scheme redlock_multiplexed_scheme;
extern const struct lock_scheme memcached_add_scheme;
extern const struct lock_scheme memcached_add_cas_scheme;
extern const struct lock_scheme etcd_lease_scheme;
extern const struct lock_scheme etcd_lock_rpc_scheme;
extern const struct lock_scheme zk_ephemeral_scheme;
extern const struct lock_scheme zk_sequential_scheme;
extern const struct lock_scheme curator_mutex_scheme;
extern const struct lock_scheme curator_semaphore_mutex_scheme;
extern const struct lock_scheme curator_rw_scheme;
extern const struct lock_scheme mysql_unique_scheme;
extern const struct lock_scheme mysql_unique_timeout_scheme;
extern const struct lock_scheme mysql_for_update_scheme;
extern const struct lock_scheme mysql_for_update_late_scheme;
extern const struct lock_scheme mysql_optimistic_scheme;
extern const struct lock_scheme mysql_get_lock_scheme;
extern const struct lock_scheme postgres_advisory_scheme;

#endif
