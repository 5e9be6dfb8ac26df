// What a trial needs, and whether it can be had here; and the servers of a run: booted when a trial
// needs them, and kept for the next one if that needs the same and neither strikes them.
#ifndef LOCKPICK_RUN_SERVERS_H
#define LOCKPICK_RUN_SERVERS_H

#include "harness/base/processes.h"
#include "harness/base/text.h"
#include "harness/cluster/cluster.h"
#include "harness/cluster/gateway.h"
#include "harness/locks/lock.h"
#include "harness/scenario/plan.h"
#include "harness/stores/store.h"

#include <stdatomic.h>

// One of the catalogue, or the one that the trial's scenario brings along, which is written to
// `room`.
const struct lock_scheme *trial_scheme(const struct trial *trial, struct lock_scheme *room);

// Where the guarded value of the trial lives; NULL if the scenario says `same` and the scheme's
// server is no store.
const struct store_kind *trial_store(const struct trial *trial);

enum applicability {
    TRIAL_CAN_RUN,
    TRIAL_NOT_APPLICABLE, // the scheme and the scenario do not go together: nothing is missing
    TRIAL_NOT_INSTALLED,  // a server is missing on this machine
};

// Appends the reason to `reason` unless the trial can be run.
enum applicability trial_applicability(const struct trial *trial, struct text *reason);

// True if the trial locks with that kind of server, or keeps its value there.
bool trial_uses(const struct trial *trial, const char *server);

// True if some service of the trial is somebody else's, on the host's network.
bool trial_is_external(const struct trial *trial);

// True if some fault of the trial strikes servers, or wires: afterwards they may be other than they
// were, so it gets fresh ones, which nobody gets after it.
bool trial_strikes_servers(const struct trial *trial);

// True if other trials may run on the machine at the same time: nobody reads its numbers, as the
// scenario says, or as its faults wait for causes and it ends after so many operations, or as its
// faults were drawn and it has no thresholds. A trial without faults is a measurement, and must be
// undisturbed.
bool trial_may_share_machine(const struct trial *trial);

// True if the requests of an external program pass a proxy on their way to the servers: a fault may
// strike there, or delay an answer whose lease must then be counted from its request; a threshold
// is about commands; or the verdict is what the trial is for, whose cause is told by them. Else,
// without faults and for a time (or of the workload `cycle`), it is a measurement, and connections
// go straight.
bool trial_needs_proxy(const struct trial *trial);

struct run_options;

// True if a fault of the plan strikes wires or connections to servers that run already, or a
// program that locks there, whose requests are seen in namespaces: a gateway is then between
// clients, in namespaces, and the servers.
bool plan_wants_gateway(const struct plan *plan);

// Why all trials of the plan are to run on loopback ports, or NULL if namespaces may be tried.
const char *why_loopback(const struct run_options *options, const struct plan *plan);

// The kind of server that the plan boots and that, on loopback ports, any user of the machine can
// reach; NULL if there is none.
const char *open_to_strangers(const struct plan *plan);

// --- the pool ------------------------------------------------------------------------------------

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
    // Of the trial that runs, by the sandbox's gateway: the lock's servers, and those of the store,
    // if they are others and run already.
    struct external_group external[2];
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

// 0 while all that clients need on their way to the trial's servers lives, and the servers that are
// Lockpick's; -1 with `error` set once something has ended that may not.
int server_pool_check(struct server_pool *pool, struct error *error);

// The trial is over: ends what it may have left other than it was.
void server_pool_release(struct server_pool *pool, const struct trial *trial);

// Ends what is up: after a trial that failed.
void server_pool_clear(struct server_pool *pool);
void server_pool_stop(struct server_pool *pool);

// Describes the service of that kind that runs already, by its URL and topology (NULL: single). 0,
// or -1 with `error` set.
int service_of_external(const char *kind, const struct server_settings *settings,
                        struct service *service, struct error *error);

// How many processors nodes are pinned to, one after the other; 0: they run wherever the kernel
// likes.
int placement_processors(enum placement placement);

#endif
