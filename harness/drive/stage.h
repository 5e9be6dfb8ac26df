// The stage of one trial: all that its processes share.
#ifndef LOCKPICK_DRIVE_STAGE_H
#define LOCKPICK_DRIVE_STAGE_H

#include "harness/base/clock_shift.h"
#include "harness/history/writer.h"
#include "harness/locks/lock.h"
#include "harness/point/point.h"
#include "harness/scenario/plan.h"
#include "harness/stores/store.h"
#include "harness/workloads/workload.h"

#include <stdatomic.h>
#include <sys/types.h>

// Who may start: nobody, the leading client, everybody.
enum gate { GATE_CLOSED, GATE_LEAD, GATE_OPEN };

// Clients beyond that many have clocks that are always right.
#define MAX_SHIFTED_CLIENTS 64

// Memory that the conductor and all clients map; made before they are forked.
struct control {
    _Atomic uint32_t ready; // workers that are connected; a futex
    _Atomic uint32_t gate;  // enum gate; a futex
    _Atomic uint32_t stop;  // not 0: finish what you do, begin nothing; a futex
    _Alignas(64) _Atomic int64_t next_operation;
    _Alignas(64) _Atomic uint32_t broken; // 1: the text is being written, 2: it stands
    char broken_text[512];
    _Alignas(64) struct clock_shift client_clocks[MAX_SHIFTED_CLIENTS]; // of client 1, 2, ...
    _Alignas(64) struct shared_account account;
    _Alignas(64) struct point_board board;
};

struct stage {
    const struct trial *trial;
    const struct lock_scheme *scheme;
    const struct workload *workload;
    const struct store_kind *store;
    struct control *control;
    struct history_file history;
    struct service lock_service;
    struct service store_service;
    bool fenced;
    // Unlike any other trial's: servers may be shared, one after the other or with strangers.
    char tag[16];
    char lock_name[48];
    char store_name[48];
};

// What a scheme is given.
struct lock_options stage_lock_options(const struct stage *stage);

// What all workers and watchdogs of that client (from 1) read time by.
struct clock stage_client_clock(const struct stage *stage, int client_number);

// A handle on the guarded value, not opened yet.
struct store stage_store(const struct stage *stage, struct actor *actor, int64_t request_ns);

// Tells every worker to finish what it does and to begin nothing.
void stage_stop(const struct stage *stage);

// Says that the harness or its set-up failed, and stops the trial. The first message stays.
__attribute__((format(printf, 2, 3))) void stage_break(const struct stage *stage,
                                                       const char *format, ...);

// The message, or NULL while nothing is broken.
const char *stage_broken(const struct stage *stage);

#endif
