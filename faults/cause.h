// Whether a cause has come: seen in the history as it grows, or asked of the servers.
#ifndef LOCKPICK_FAULTS_CAUSE_H
#define LOCKPICK_FAULTS_CAUSE_H

#include "faults/fault.h"

// A cause that something waits for.
struct wait_for {
    const struct cause *cause;
    int64_t seen_ns; // the last time that a client did it
};

// What clients did lately, as far as causes need to know.
struct doings {
    int count;
    int64_t *granted_ns; // granted_ns[i]: the last grant of client i + 1; 0: none
};

void doings_start(struct doings *doings, int clients);
void doings_free(struct doings *doings);
void doings_see(struct doings *doings, const struct event *event);

// Shows it one event of the history.
void cause_see(struct wait_for *wait, const struct event *event);

// True if it must be asked of servers, again and again.
bool cause_is_asked(const struct cause *cause);

// True if it has come since `since_ns`. Asks servers if it must. Not for CAUSE_OVER, which the
// schedule knows itself.
bool cause_has_come(const struct wait_for *wait, int64_t since_ns, const struct doings *doings,
                    const struct fault_world *world);

#endif
