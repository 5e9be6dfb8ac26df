// Trials side by side. A slot is a forked child of the conductor with servers of its own; the slots
// take trials from one queue, conduct them, and tell the conductor how that went. A slot takes
// trials that need the servers that it has up before others, else in their order. Trials mostly
// wait for leases and pauses: more of them than are sure begin while processors are idle.
#ifndef LOCKPICK_RUN_SLOTS_H
#define LOCKPICK_RUN_SLOTS_H

#include "harness/run/conductor.h"

#include <sys/types.h>

#define MAX_SLOTS 64

// One trial to be conducted, and what trial_conduct is to be given for it.
struct slot_job {
    const struct trial *trial;
    const char *folder; // which must be there
    int serial;
};

struct slot_news {
    int slot; // from 0
    pid_t process;
    const char *doing; // as struct progress has it
    size_t events;
};

// `hear` and `settle` are called in the process that called slots_conduct.
struct slot_listener {
    // In a slot: what is done with the job, NULL for trial_conduct. `pool` is the slot's own.
    int (*conduct)(void *context, const struct slot_job *job, struct server_pool *pool,
                   const struct progress *progress, struct error *error);
    void (*hear)(void *context, const struct slot_job *job, const struct slot_news *news);
    // A job is over; `conducted` and `error` as conducting left them. A slot that died is an
    // error of the trial that it conducted. False: no other job is to be begun.
    bool (*settle)(void *context, const struct slot_job *job, int conducted,
                   const struct error *error);
    void *context;
    bool pins; // each slot, with all that it starts, to a processor, in turn
};

// How many trials are conducted at a time: so many however busy the machine is, and at most.
struct slot_limits {
    int sure, most;
};

// Conducts jobs side by side and returns when each is settled; or, once `settle` said so or the
// sandbox was interrupted, when those that had begun are. `pool` must be clear: every slot goes on
// with a copy of it. When it returns, nothing of a slot is left.
void slots_conduct(struct server_pool *pool, const struct slot_job *jobs, size_t count,
                   struct slot_limits limits, const struct slot_listener *listener);

// How many slots are worth having, by the processors and by the memory that is free now; at least
// 1.
struct slot_limits slots_that_fit(void);

#endif
