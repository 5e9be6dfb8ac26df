// Trials side by side. A lane is a forked child of the conductor with servers of its own; the lanes
// take trials from one queue, conduct them, and tell the conductor how that went. A lane takes
// trials that need the servers that it has up before others, else in their order. Trials mostly
// wait for leases and pauses: more of them than are sure begin while processors are idle.
#ifndef LOCKPICK_RUN_LANES_H
#define LOCKPICK_RUN_LANES_H

#include "harness/run/conductor.h"

#include <sys/types.h>

#define MAX_LANES 64

// One trial to be conducted, and what trial_conduct is to be given for it.
struct lane_job {
    const struct trial *trial;
    const char *folder; // which must be there
    int serial;
};

struct lane_news {
    int lane; // from 0
    pid_t process;
    size_t job;
    const char *doing; // as struct progress has it
    size_t events;
};

// Called in the process that called lanes_conduct.
struct lane_listener {
    void (*hear)(void *context, const struct lane_news *news);
    // A job is over; `conducted` and `error` as trial_conduct left them. A lane that died is an
    // error of the trial that it conducted. False: no other job is to be begun.
    bool (*settle)(void *context, size_t job, int conducted, const struct error *error);
    void *context;
};

// How many trials are conducted at a time: so many however busy the machine is, and at most.
struct lane_limits {
    int sure, most;
};

// Conducts jobs side by side and returns when each is settled; or, once `settle` said so or the
// sandbox was interrupted, when those that had begun are. `pool` must be clear: every lane goes on
// with a copy of it. When it returns, nothing of a lane is left.
void lanes_conduct(struct server_pool *pool, const struct lane_job *jobs, size_t count,
                   struct lane_limits limits, const struct lane_listener *listener);

// How many lanes are worth having, by the processors and by the memory that is free now; at least
// 1.
struct lane_limits lanes_that_fit(void);

#endif
