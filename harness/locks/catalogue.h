// Every scheme, in the order of lists and reports. A new scheme is one new file, and a line here.
#ifndef LOCKPICK_LOCKS_CATALOGUE_H
#define LOCKPICK_LOCKS_CATALOGUE_H

#include "harness/locks/lock.h"

#define LOCK_SCHEMES(SCHEME)                                                                       \
    SCHEME(none)                                                                                   \
    SCHEME(process_mutex)                                                                          \
    SCHEME(redis_get_set)                                                                          \
    SCHEME(redis_setnx)                                                                            \
    SCHEME(redis_setnx_expire)                                                                     \
    SCHEME(redis_setnx_getset)                                                                     \
    SCHEME(redis_set_px_del)                                                                       \
    SCHEME(redis_set_px_get_del)                                                                   \
    SCHEME(redis_set_px_lua)                                                                       \
    SCHEME(redis_lua)                                                                              \
    SCHEME(redis_watchdog_unchecked)                                                               \
    SCHEME(redis_watchdog)                                                                         \
    SCHEME(tair_cad)                                                                               \
    SCHEME(tair_cad_emulated)                                                                      \
    SCHEME(redis_wait)                                                                             \
    SCHEME(redisson)                                                                               \
    SCHEME(redisson_fair)                                                                          \
    SCHEME(redisson_fenced)                                                                        \
    SCHEME(redisson_rw)                                                                            \
    SCHEME(redisson_semaphore)                                                                     \
    SCHEME(redis_limit_log)                                                                        \
    SCHEME(redis_limit_bucket)                                                                     \
    SCHEME(redis_limit_full_bucket)                                                                \
    SCHEME(redis_limit_window)                                                                     \
    SCHEME(redis_limit_get_incr)                                                                   \
    SCHEME(bullmq)                                                                                 \
    SCHEME(bullmq_unchecked)                                                                       \
    SCHEME(redis_list_move)                                                                        \
    SCHEME(redis_list_pop)                                                                         \
    SCHEME(redlock)                                                                                \
    SCHEME(redlock_multiplexed)                                                                    \
    SCHEME(memcached_add)                                                                          \
    SCHEME(memcached_add_cas)                                                                      \
    SCHEME(memcached_watchdog)                                                                     \
    SCHEME(etcd_lease)                                                                             \
    SCHEME(etcd_lock_rpc)                                                                          \
    SCHEME(etcd_election)                                                                          \
    SCHEME(kubernetes_lease)                                                                       \
    SCHEME(kubernetes_lease_1_34)                                                                  \
    SCHEME(zk_ephemeral)                                                                           \
    SCHEME(zk_sequential)                                                                          \
    SCHEME(curator_mutex)                                                                          \
    SCHEME(curator_semaphore_mutex)                                                                \
    SCHEME(curator_rw)                                                                             \
    SCHEME(zookeeper_queue)                                                                        \
    SCHEME(mysql_unique)                                                                           \
    SCHEME(mysql_unique_timeout)                                                                   \
    SCHEME(mysql_for_update)                                                                       \
    SCHEME(mysql_for_update_late)                                                                  \
    SCHEME(mysql_optimistic)                                                                       \
    SCHEME(mysql_get_lock)                                                                         \
    SCHEME(postgres_advisory)                                                                      \
    SCHEME(postgres_lease_row)                                                                     \
    SCHEME(postgres_queue)                                                                         \
    SCHEME(postgres_queue_select)

#define LOCK_SCHEME_DECLARE(name) extern const struct lock_scheme name##_scheme;
LOCK_SCHEMES(LOCK_SCHEME_DECLARE)
#undef LOCK_SCHEME_DECLARE

#endif
