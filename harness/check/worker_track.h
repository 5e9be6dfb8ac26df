// What one worker is in the middle of: shared by tracker.c and tracked_accesses.c.
#ifndef LOCKPICK_CHECK_WORKER_TRACK_H
#define LOCKPICK_CHECK_WORKER_TRACK_H

#include "harness/check/tracker.h"

#define NO_INDEX SIZE_MAX

struct worker_track {
    bool seen;
    bool acquiring;
    struct event acquire; // the last invoke of one
    int64_t called_ns;    // and when its library was called, 0 if that is not said
    size_t hold;          // the open one, NO_INDEX if none
    size_t access;        // the open one, NO_INDEX if none
    size_t reentry;       // the last one, NO_INDEX if none
    size_t *pending;      // accepted writes that are not yet committed
    size_t pending_count, pending_room;
    int server;      // what it sends goes to, from 1; 0: not known
    int64_t last_ns; // of its last event
};

// The worker's open hold if the event speaks of it, else NULL.
static inline struct hold *open_hold(struct tracker *tracker, const struct worker_track *worker,
                                     const struct event *event)
{
    if (worker->hold == NO_INDEX || tracker->holds[worker->hold].operation != event->operation)
        return NULL;
    return &tracker->holds[worker->hold];
}

#endif
