// Watches who waits and who holds while a trial runs, to see when it is stuck.
#ifndef LOCKPICK_RUN_WATCH_H
#define LOCKPICK_RUN_WATCH_H

#include "harness/history/worker.h"
#include "harness/scenario/scenario.h"

#include <stdbool.h>
#include <stddef.h>

// What a worker does, as far as it has said.
enum doing {
    IDLE,
    WAITING, // inside an acquire
    OWED,    // the same, of clients whose program has never answered anything
    GAVE_UP, // its last acquire ended without a grant
    HOLDING, // as it believes, and it does not release yet
    RELEASING,
    DOINGS
};

struct watched {
    struct worker_state state;
    enum doing doing;
};

struct watch {
    int clients;
    int threads;
    struct watched *workers; // clients × threads
    bool *answered;          // clients that were ever answered; NULL: nobody owes an answer
    size_t in[DOINGS];       // how many living workers do it
    int64_t quiet_since_ns;  // the last time anything could have freed or granted the lock
    // When anybody but the conductor stood still since then: one after the other, and how long in
    // all.
    struct span {
        int64_t from_ns, to_ns;
    } * stalls;
    size_t stall_count, stall_room;
    int64_t stalled_ns;
    int64_t longest_stall_ns;           // of anybody
    int64_t faults_ns[MOST_FAULTS + 1]; // since when each is in effect, by its number
    int64_t longest_fault_ns;           // for how long one was, of those that are over
    bool struck;                        // a fault was in effect, at any time
    int64_t longest_wait_ns;            // before that, for a grant when nothing else happened
    bool granted;                       // somebody was, at any time
    bool lead_returned;                 // the leading client was granted the lock, or gave up
    int lead;
};

// `is_external`: each client asks a program. As long as that has answered nothing at all, nobody
// knows whether it waits for the lock or hangs.
void watch_start(struct watch *watch, int clients, int threads, int lead, bool is_external);
void watch_free(struct watch *watch);
void watch_see(struct watch *watch, const struct event *event);

// How much longer anything may take, as long as there were stalls since it was quiet or are about
// to be.
int64_t watch_stalls_ns(const struct watch *watch);

// True if nobody living holds and somebody has been waiting for `stuck_after_ns`. Time for which
// the machine or a server stood still does not count, and somebody may be about to do so again: the
// check allows for both.
bool watch_is_stuck(const struct watch *watch, int64_t now_ns, int64_t stuck_after_ns);

// True if somebody living has been waiting for the answer to its release for longer than any may
// take (longest_release_ns), and nobody has done anything else meanwhile: all the others wait too,
// or have ended. Stalls count likewise, and so does the longest fault (see
// harness/check/stuck.h). What a fault that is still on holds up is no such release: that
// is for the caller to know.
bool watch_is_unanswered(const struct watch *watch, int64_t now_ns,
                         const struct lock_settings *lock);

#endif
