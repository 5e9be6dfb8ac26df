// The state of one trial: all that its processes share; its set-up and its end; what its faults can
// strike.
#ifndef LOCKPICK_RUN_TRIAL_STATE_H
#define LOCKPICK_RUN_TRIAL_STATE_H

#include "faults/fault.h"
#include "harness/base/clock_shift.h"
#include "harness/history/writer.h"
#include "harness/locks/lock.h"
#include "harness/point/point.h"
#include "harness/run/load_generator.h"
#include "harness/run/servers.h"
#include "harness/scenario/plan.h"
#include "harness/stores/store.h"
#include "harness/workloads/workload.h"

#include <stdatomic.h>
#include <sys/types.h>

// Who may start: nobody, the leading client, everybody.
enum gate { GATE_CLOSED, GATE_LEAD, GATE_OPEN };

// Clients beyond that many have clocks that are always right.
#define MAX_SHIFTED_CLIENTS 64

// Stalls of servers beyond that many of a trial are not seen.
#define MAX_OBSERVED_SERVERS 32

// Memory that the conductor and all clients map; made before they are forked.
struct control {
    _Atomic uint32_t ready;    // workers that are connected; a futex
    _Atomic uint32_t gate;     // enum gate; a futex
    _Atomic uint32_t stop;     // not 0: finish what you do, begin nothing; a futex
    _Atomic int64_t opened_ns; // when the gate opened for everybody; 0 before
    _Alignas(64) _Atomic int64_t next_operation;
    _Atomic int64_t begun_operations;     // of those that the workload counts
    _Alignas(64) _Atomic uint32_t broken; // 1: the text is being written, 2: it stands
    char broken_text[512];
    _Atomic pid_t servers[MAX_OBSERVED_SERVERS]; // as observer_tell says; 0: none
    _Atomic int64_t observed_ns; // the observer has recorded all stalls of the machine until then
    _Alignas(64) struct clock_shift client_clocks[MAX_SHIFTED_CLIENTS]; // of client 1, 2, ...
    _Alignas(64) struct point_board board;
};

// One of the trial's locks, and the value that it guards. The names are unlike any other trial's:
// servers may be shared, one after the other or with strangers.
struct trial_key {
    int64_t number; // in the history: from 1; 0 if it is the only one
    char tag[24];
    char lock_name[56];
    char store_name[56];
    struct key_account *account;
};

// Memory that all processes map, for a value that is kept on no server.
struct key_account {
    _Alignas(64) struct shared_account account;
    _Atomic bool is_done; // of a job: somebody has noted that
};

struct trial_state {
    const struct trial *trial;
    const struct lock_scheme *scheme;
    struct lock_scheme external_scheme; // if the scenario brings it along
    const char *folder;                 // of the trial
    const struct workload *workload;
    const struct store_kind *store;
    struct control *control;
    struct history_file history;
    struct load load;
    struct service lock_service;
    struct service store_service;
    bool fenced;
    char tag[16]; // what the tags of all keys begin with
    struct trial_key *keys;
    size_t key_count;
    struct key_distribution distribution; // of the keys
    struct key_account *accounts;
    // Of programs that are explored (explored_clients.h), by client: they live longer than a
    // schedule. NULL of other locks.
    struct lock_client **programs;
};

// What a scheme is given.
struct lock_options state_lock_options(const struct trial_state *state,
                                       const struct trial_key *key);

// Which keys some workers of a client may use, from `first`: all, or one of each worker's own.
// `worker` is from 1; 0: any of the client's.
struct key_range {
    size_t first, count;
};
struct key_range state_keys_of(const struct trial_state *state, int client_number, int worker);

// A handle on the key's guarded value, not opened yet.
struct store state_store(const struct trial_state *state, const struct trial_key *key,
                         struct actor *actor, int64_t request_ns);

// Tells every worker to finish what it does and to begin nothing: soon, with 1; or
// DRIVER_STOP_IN_TIME (harness/wire/driver.h).
void state_stop(const struct trial_state *state, uint32_t how);

bool state_is_stopped(const struct trial_state *state);

// True if it is a queue of jobs that is tried, and all of them are done.
bool state_jobs_are_done(const struct trial_state *state);

// Sleeps until CLOCK_MONOTONIC reaches `until_ns`, or until the workers are told to stop.
void state_rest_until(const struct trial_state *state, int64_t until_ns);

// Says that the harness or its set-up failed, and stops the trial. The first message stays.
__attribute__((format(printf, 2, 3))) void state_break(const struct trial_state *state,
                                                       const char *format, ...);

// The message, or NULL while nothing is broken.
const char *state_broken(const struct trial_state *state);

// --- set-up and end ------------------------------------------------------------------------------

// Fills `state` (which may hold nothing yet), has `pool` provide the servers, and makes the nodes
// of the clients. 0, or -1 with `error` set; call state_close in either case.
int state_open(struct trial_state *state, const struct trial *trial, struct server_pool *pool,
               const char *folder, int serial, struct cluster *clients, struct error *error);
void state_close(struct trial_state *state, struct cluster *clients);

// Before any client comes: makes what the scheme and the store need, and writes and records the
// guarded value of each key. 0, or -1 with `error` set.
int state_prepare(const struct trial_state *state, int64_t value, struct history_writer *writer,
                  struct error *error);

// When all have ended: reads and records the guarded value of each key. 0, or -1 with `error` set.
int state_record_values(const struct trial_state *state, struct history_writer *writer,
                        struct error *error);

// After all have gone: removes whatever the trial left on the servers. 0, or -1 with `error` set.
int state_clean_up(const struct trial_state *state, struct error *error);

// --- the environment of faults -------------------------------------------------------------------

// Whether a proxy is between an external client's program, in namespaces of the run or not, and its
// servers.
bool state_has_proxy(const struct trial_state *state, bool has_namespaces);

// Describes it: the servers of the state's services that the pool has booted, the clients' nodes,
// the wires if a fault of the scenario needs them. All arguments must outlive the environment;
// close with fault_environment_close.
void fault_environment_open(struct fault_environment *environment, const struct trial_state *state,
                            struct server_pool *pool, const struct cluster *client_nodes,
                            struct fault_client *clients, int client_count);
void fault_environment_close(struct fault_environment *environment);

// --- residual locks ------------------------------------------------------------------------------

// Once all clients have ended: asks the servers whether they still have each lock as held, and
// records the answers (lock-final). While one is held, a lease or session of a client that died may
// still end; that is waited for, but for no more than 5 s over all locks, and only if the lock has
// one. Records nothing of a lock if the servers cannot be asked or do not answer, or if the lease
// may last for longer. How long was waited is the time since the first was asked for, and 0 only of
// those that were asked for within a few milliseconds of it. `keys` are those of the environment's
// locks, in their order.
void residual_locks_record(const struct fault_environment *environment,
                           const struct trial_key *keys, const struct lock_scheme *scheme,
                           int64_t lease_ns, struct history_writer *writer);

#endif
