#include "harness/locks/catalogue.h"

#include <string.h>

const struct lock_scheme *const lock_catalogue[] = {
    &none_scheme,
    &process_mutex_scheme,
    &redis_get_set_scheme,
    &redis_setnx_scheme,
    &redis_setnx_expire_scheme,
    &redis_setnx_getset_scheme,
    &redis_set_px_del_scheme,
    &redis_set_px_get_del_scheme,
    &redis_set_px_lua_scheme,
    &redis_lua_scheme,
    &redis_watchdog_unchecked_scheme,
    &redis_watchdog_scheme,
    &tair_cad_scheme,
    &tair_cad_emulated_scheme,
    &redis_wait_scheme,
    &redisson_scheme,
    &redisson_fair_scheme,
    &redisson_fenced_scheme,
    &redisson_rw_scheme,
    &redisson_semaphore_scheme,
    &redlock_scheme,
    &redlock_multiplexed_scheme,
    &memcached_add_scheme,
    &memcached_add_cas_scheme,
    &etcd_lease_scheme,
    &etcd_lock_rpc_scheme,
    &zk_ephemeral_scheme,
    &zk_sequential_scheme,
    &curator_mutex_scheme,
    &curator_semaphore_mutex_scheme,
    &curator_rw_scheme,
    &mysql_unique_scheme,
    &mysql_unique_timeout_scheme,
    &mysql_for_update_scheme,
    &mysql_for_update_late_scheme,
    &mysql_optimistic_scheme,
    &mysql_get_lock_scheme,
    &postgres_advisory_scheme,
    NULL,
};

const struct lock_trait lock_traits[] = {
    {"exclusive", "at most one holder by design, as long as what `breaks` names stays away"},
    {"lease", "expires by itself: a crash does not block the others for ever"},
    {"owner-checked", "a release removes only the releaser's own lock"},
    {"fenced", "a grant can carry a fencing token that grows with every grant"},
    {"reentrant", "the holder may acquire it again, and must release it as often"},
    {"shared", "readers may hold it together, a writer holds it alone"},
    {"permits", "a semaphore: as many may hold it as it has permits"},
    {"fair", "grants in the order of asking"},
    {"renewed", "a watchdog of the client's renews the lease while the holder works"},
    {"session", "ends with the session or connection that holds it"},
    {"optimistic", "keeps nobody out: a write that comes too late is refused, and done again"},
    {"own-store", "guards a value in its own server, by its own reads and writes"},
    {"transaction", "its writes take effect with its release, or not at all"},
    {"redis", "needs Redis"},
    {"zookeeper", "needs ZooKeeper"},
    {"etcd", "needs etcd"},
    {"memcached", "needs memcached"},
    {"mysql", "needs MariaDB or MySQL"},
    {"postgres", "needs PostgreSQL"},
    {"local", "excludes only the workers of one client process"},
    {NULL, NULL},
};

const struct lock_scheme *lock_scheme_find(const char *name)
{
    for (size_t i = 0; lock_catalogue[i] != NULL; i++) {
        if (strcmp(lock_catalogue[i]->name, name) == 0)
            return lock_catalogue[i];
    }
    return NULL;
}
