// A fault: what strikes a client or a server. One file per fault, one `const struct fault` in it,
// one line in catalogue.c.
#ifndef LOCKPICK_FAULTS_FAULT_H
#define LOCKPICK_FAULTS_FAULT_H

#include "harness/base/error.h"
#include "harness/history/writer.h"
#include "harness/point/point.h"
#include "harness/scenario/scenario.h"

#include <stdbool.h>
#include <sys/types.h>

// A client process, as the conductor knows it.
struct fault_client {
    pid_t process; // 0 once it has ended
    bool killed;   // by a fault
    int stops;     // pauses in effect: it goes on when the last one is over
    // Writes what happens to the process as a whole: client N, worker 0.
    struct history_writer writer;
};

// One fault about to strike, in effect, or over.
struct fault_strike {
    const struct fault_step *step;
    struct fault_client *client; // the target's
    struct point_board *board;
    struct point_trap *trigger; // where the triggering worker is held; idle if by time
    struct point_trap *hold;    // where one worker is to be held, for faults that hold one
};

enum strike_state {
    STRIKE_FAILED = -1,
    STRIKE_IN_EFFECT, // proven
    STRIKE_PENDING,   // asked for, not yet proven: ask again when events have come
};

struct fault {
    const char *name; // the verb in a scenario
    const char *summary;
    const char *colour; // of its band in plots
    bool lasts;         // is in effect until healed; false: it strikes once
    // Strikes. Returns only what is proven; STRIKE_FAILED leaves errno as the reason.
    enum strike_state (*inject)(struct fault_strike *strike, struct error *error);
    // Asks again after STRIKE_PENDING.
    enum strike_state (*prove)(struct fault_strike *strike, struct error *error);
    // Ends a fault that lasts. 0, or -1 with `error` set.
    int (*heal)(struct fault_strike *strike, struct error *error);
};

// For a fault whose target ended before it could strike. Sets errno and returns STRIKE_FAILED.
enum strike_state strike_came_too_late(struct error *error);

extern const struct fault *const fault_catalogue[]; // NULL-terminated
const struct fault *fault_find(const char *name);

extern const struct fault pause_fault;
extern const struct fault kill_fault;

#endif
