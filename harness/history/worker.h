// What a worker is in the middle of, as its events say one after the other: the one state machine
// of holds, by which checks, models and the watch over a trial read a history.
#ifndef LOCKPICK_HISTORY_WORKER_H
#define LOCKPICK_HISTORY_WORKER_H

#include "harness/history/event.h"

enum worker_phase {
    WORKER_IDLE,
    WORKER_ACQUIRING, // and each other that is not IDLE or HOLDING: it waits for an answer
    WORKER_HOLDING,   // as far as it believes
    WORKER_ENTERING,  // the same lock once more
    WORKER_LEAVING,   // an inner hold
    WORKER_RELEASING,
};

// Zero-initialise, also for each new life of its process, and where some of its events are lost.
struct worker_state {
    enum worker_phase phase;
    int64_t operation; // the last for which it went for the lock
};

static inline bool worker_waits(const struct worker_state *state)
{
    return state->phase != WORKER_IDLE && state->phase != WORKER_HOLDING;
}

// Takes in one of its events. True if that is its next step. Else nothing has changed: the event is
// none of the lock's; or it makes no sense, as a return that nothing invoked does not, nor what
// comes late of an operation before.
bool worker_step(struct worker_state *state, const struct event *event);

#endif
