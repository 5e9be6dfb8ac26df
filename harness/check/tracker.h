// Follows every worker of a history from event to event, and collects holds, attempts and accesses.
#ifndef LOCKPICK_CHECK_TRACKER_H
#define LOCKPICK_CHECK_TRACKER_H

#include "harness/check/check.h"

struct client_track;

// When an accepted write takes effect: at once; or, as part of a transaction, when that is
// committed, or when the lock is released because that is the commit. A write whose commit nobody
// saw is of unknown outcome.
enum effect { EFFECT_AT_ONCE, EFFECT_AT_COMMIT, EFFECT_AT_RELEASE };

// Zero-initialise, but for `lease_ns`, `effect`, and `is_whole`.
struct tracker {
    int64_t lease_ns;
    enum effect effect;
    bool is_whole;                // else the release of a hold, or a death, may have been lost
    struct client_track *clients; // by client number
    size_t client_count;
    struct hold *holds; // in the order of their grants
    size_t hold_count, hold_room;
    struct attempt *attempts;
    size_t attempt_count, attempt_room;
    struct access *accesses; // in the order of their invocation
    size_t access_count, access_room;
    struct reentry *reentries; // in the order of their invocation
    size_t reentry_count, reentry_room;
};

// Takes in one event of a client (client > 0), the history's event number `index`. Events must come
// in the order of the history. What makes no sense, such as a return that nothing invoked, is
// passed over.
void tracker_see(struct tracker *tracker, const struct event *event, size_t index);

// Closes what is still open when the history ends.
void tracker_end(struct tracker *tracker, int64_t ended_ns);

// Frees the state of the workers; holds, attempts, accesses and reentries are the caller's from
// then on.
void tracker_close(struct tracker *tracker);

#endif
