// Follows every worker of a history from event to event, and collects holds, attempts and accesses.
#ifndef LOCKPICK_CHECK_TRACKER_H
#define LOCKPICK_CHECK_TRACKER_H

#include "harness/check/check.h"

struct client_track;

// Zero-initialise, but for `drift_ns`: what the lease promise lets two clocks differ by.
struct tracker {
    int64_t drift_ns;
    struct client_track *clients; // by client number
    size_t client_count;
    struct hold *holds; // in the order of their grants
    size_t hold_count, hold_room;
    struct attempt *attempts;
    size_t attempt_count, attempt_room;
    struct access *accesses; // in the order of their invocation
    size_t access_count, access_room;
};

// Takes in one event of a client (client > 0), the history's event number `index`. Events must come
// in the order of the history. What makes no sense, such as a return that nothing invoked, is
// passed over.
void tracker_see(struct tracker *tracker, const struct event *event, size_t index);

// Closes what is still open when the history ends.
void tracker_end(struct tracker *tracker, int64_t ended_ns);

// Frees the state of the workers; holds, attempts and accesses are the caller's from then on.
void tracker_close(struct tracker *tracker);

#endif
