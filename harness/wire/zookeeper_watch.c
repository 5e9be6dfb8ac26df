// Watches: the library has one while it is set, a worker until it is dropped; whoever is last frees
// it.
#include "harness/base/futex.h"
#include "harness/base/text.h"
#include "harness/wire/zookeeper_session.h"

#include <stdlib.h>

struct zk_watch {
    struct zk *zk;
    _Atomic uint32_t has_rung; // a futex
    bool is_set;               // the library has it; guarded by the mutex, as is what follows
    bool is_dropped;           // the worker has it no more
    struct zk_watch *next;
};

static void free_if_done(struct zk_watch *watch)
{
    if (watch->is_set || !watch->is_dropped)
        return;
    struct zk_watch **place = &watch->zk->watches;
    while (*place != watch)
        place = &(*place)->next;
    *place = watch->next;
    free(watch);
}

void zk_watch_set(struct zk_watch *watch)
{
    watch->is_set = true;
}

void zk_watch_unset(struct zk_watch *watch)
{
    watch->is_set = false;
    free_if_done(watch);
}

// A connection that comes and goes leaves a watch where it is. The end of the session takes it: the
// library tells so once, but keeps the watch.
void zk_watch_ring(zhandle_t *handle, int type, int state, const char *path, void *context)
{
    (void)handle;
    (void)path;
    struct zk_watch *watch = context;
    struct zk *zk = watch->zk;
    if (type == ZOO_SESSION_EVENT && state != ZOO_EXPIRED_SESSION_STATE)
        return;
    pthread_mutex_lock(&zk->mutex);
    atomic_store(&watch->has_rung, 1);
    futex_wake_all(&watch->has_rung);
    if (type != ZOO_SESSION_EVENT)
        zk_watch_unset(watch);
    pthread_mutex_unlock(&zk->mutex);
}

struct zk_watch *zk_watch_new(struct zk *zk)
{
    struct zk_watch *watch = memory_zeroed(1, sizeof *watch);
    watch->zk = zk;
    pthread_mutex_lock(&zk->mutex);
    watch->next = zk->watches;
    zk->watches = watch;
    pthread_mutex_unlock(&zk->mutex);
    return watch;
}

bool zk_watch_wait(struct zk_watch *watch, int64_t most_ns)
{
    int64_t give_up_ns = clock_monotonic_ns() + most_ns;
    while (atomic_load(&watch->has_rung) == 0 &&
           futex_wait_until_ns(&watch->has_rung, 0, give_up_ns))
        continue;
    return atomic_load(&watch->has_rung) != 0;
}

void zk_watch_drop(struct zk_watch *watch)
{
    struct zk *zk = watch->zk;
    pthread_mutex_lock(&zk->mutex);
    watch->is_dropped = true;
    free_if_done(watch);
    pthread_mutex_unlock(&zk->mutex);
}

void zk_forget_watches(struct zk *zk)
{
    while (zk->watches != NULL) {
        struct zk_watch *watch = zk->watches;
        zk->watches = watch->next;
        free(watch);
    }
}
