// The servers of a run: booted when a trial needs them, and kept for the next one if that needs the
// same and neither strikes them.
#ifndef LOCKPICK_RUN_SERVERS_H
#define LOCKPICK_RUN_SERVERS_H

#include "harness/base/processes.h"
#include "harness/cluster/cluster.h"
#include "harness/run/applicability.h"
#include "harness/scenario/plan.h"

#include <stdatomic.h>

// One set of servers at a time. A forked process may go on with its copy of a pool that is clear:
// the sets of all copies are counted together.
struct server_pool {
    const struct sandbox *sandbox;
    char *folder; // each set gets a folder in it
    bool is_up;
    struct group_settings groups[2]; // what is up
    int group_count;
    enum placement placement;
    _Atomic int *sets; // so many were made so far; in memory that forked processes share
    char *set_folder;
    struct cluster cluster;
    struct thread_watch threads; // of the servers, and of what else lives in its trials
};

// Stop it with server_pool_stop, in the process that started it.
void server_pool_start(struct server_pool *pool, const struct sandbox *sandbox, const char *folder);

// True if nothing must be booted for the trial.
bool server_pool_suits(const struct server_pool *pool, const struct trial *trial);

// Sees to it that the servers of the trial are up, and describes its services. A service that the
// trial does not need is left zero. A trial that strikes servers gets fresh ones. 0, or -1 with
// `error` set.
int server_pool_provide(struct server_pool *pool, const struct trial *trial,
                        struct service *lock_service, struct service *store_service,
                        struct error *error);

// The trial is over: ends what it may have left other than it was.
void server_pool_release(struct server_pool *pool, const struct trial *trial);

// Ends what is up: after a trial that failed.
void server_pool_clear(struct server_pool *pool);
void server_pool_stop(struct server_pool *pool);

// Describes the service of that kind that runs already, by its URL and topology (NULL: single). 0,
// or -1 with `error` set.
int service_of_external(const char *kind, const struct server_settings *settings,
                        struct service *service, struct error *error);

// How the placement chooses: a function that gives the processor for the nth node (from 0) of a
// trial, or NULL for "wherever the kernel likes".
// spread: one after the other over the processors we may use; together: all on the first.
int (*placement_of(enum placement placement))(int nth);

#endif
