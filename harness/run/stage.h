// The stage of one trial: all that its processes share.
#ifndef LOCKPICK_RUN_STAGE_H
#define LOCKPICK_RUN_STAGE_H

#include "harness/base/clock_shift.h"
#include "harness/history/writer.h"
#include "harness/locks/lock.h"
#include "harness/point/point.h"
#include "harness/run/load.h"
#include "harness/run/popularity.h"
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
struct stage_key {
    int64_t number; // in the history: from 1; 0 if it is the only one
    char tag[24];
    char lock_name[56];
    char store_name[56];
    struct stage_account *account;
};

// Memory that all processes map, for a value that is kept on no server.
struct stage_account {
    _Alignas(64) struct shared_account account;
};

struct stage {
    const struct trial *trial;
    const struct lock_scheme *scheme;
    struct lock_scheme foreign_scheme; // if the scenario brings it along
    const char *folder;                // of the trial
    const struct workload *workload;
    const struct store_kind *store;
    struct control *control;
    struct history_file history;
    struct load load;
    struct service lock_service;
    struct service store_service;
    bool fenced;
    char tag[16]; // what the tags of all keys begin with
    struct stage_key *keys;
    size_t key_count;
    struct popularity popularity; // of the keys
    struct stage_account *accounts;
};

// What a scheme is given.
struct lock_options stage_lock_options(const struct stage *stage, const struct stage_key *key);

// Which keys some workers of a client may use, from `first`: all, or one of each worker's own.
// `worker` is from 1; 0: any of the client's.
struct key_range {
    size_t first, count;
};
struct key_range stage_keys_of(const struct stage *stage, int client_number, int worker);

// What all workers and watchdogs of that client (from 1) read time by.
struct clock stage_client_clock(const struct stage *stage, int client_number);

// A handle on the key's guarded value, not opened yet.
struct store stage_store(const struct stage *stage, const struct stage_key *key,
                         struct actor *actor, int64_t request_ns);

// Tells every worker to finish what it does and to begin nothing: soon, with 1; or
// DRIVER_STOP_IN_TIME (harness/wire/driver.h).
void stage_stop(const struct stage *stage, uint32_t how);

bool stage_is_stopped(const struct stage *stage);

// Sleeps until CLOCK_MONOTONIC reaches `until_ns`, or until the workers are told to stop.
void stage_rest_until(const struct stage *stage, int64_t until_ns);

// Says that the harness or its set-up failed, and stops the trial. The first message stays.
__attribute__((format(printf, 2, 3))) void stage_break(const struct stage *stage,
                                                       const char *format, ...);

// The message, or NULL while nothing is broken.
const char *stage_broken(const struct stage *stage);

#endif
