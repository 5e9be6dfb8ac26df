// The reads and writes of holders, and when those take effect.
#ifndef LOCKPICK_CHECK_TRACKED_ACCESSES_H
#define LOCKPICK_CHECK_TRACKED_ACCESSES_H

#include "harness/check/worker_track.h"

// Take in a read-invoke or write-invoke (the history's event number `index`), a read-return or
// write-return, and a commit-return, of that worker.
void access_see_invoke(struct tracker *tracker, struct worker_track *worker,
                       const struct event *event, size_t index);
void access_see_return(struct tracker *tracker, struct worker_track *worker,
                       const struct event *event);
void access_see_commit(struct tracker *tracker, struct worker_track *worker,
                       const struct event *event);

// Ends a transaction: the writes accepted in it have taken effect if it was committed (OK), have
// not if it was rolled back (NO), and else nobody knows.
void access_settle(struct tracker *tracker, struct worker_track *worker, enum outcome outcome);

#endif
