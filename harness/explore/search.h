// The search for schedules that break a lock, each of which is then made as short as it can be:
// fewest faults and leases, then fewest changes from one client to another.
//
// A schedule is a list of moves (replay.h). The search makes the moves of a schedule and goes on as
// locks are used where they break: all are at it at a time. Who holds the lock takes its time until
// nobody else can go on, and so does who waits for an answer that was lost, or went last before a
// lease passed. What else could have been done in each state that it came by is kept for later:
// what differs least from that first, by the threads that are passed by, faults, and leases that
// pass. In a state that was seen nothing is done again: what can come of it depends on nothing but
// what replay_state tells. A schedule that comes by it from elsewhere goes on with what is usual
// for it, if nobody has done that there yet: who moved last decides what is usual, and so what a
// move costs.
#ifndef LOCKPICK_EXPLORE_SEARCH_H
#define LOCKPICK_EXPLORE_SEARCH_H

#include "harness/explore/promises.h"
#include "harness/explore/sampling.h"

enum search_order {
    SEARCH_SHORTEST, // first, and no state twice
    SEARCH_RANDOM,   // schedules are drawn: never exhausts
};

struct search_limits {
    enum search_order order;
    uint64_t seed; // of SEARCH_RANDOM
    enum sampling_kind sampling;
    int faults; // lost requests and replies, errors, crashes, evictions: at most so many in a
                // schedule
    int leases; // that pass; and for each of them three timers that go off
    bool rare;  // faults that are rare, too: restarts, failovers, clocks that jump, zeros drawn
    bool all;   // goes on when the lock is broken, and tells what its traits admit, too
    int64_t for_ns;
    int64_t schedules; // at most so many; 0: as many as the time allows
    // Files, or NULL: what an earlier search within the same limits has left, which is gone on with
    // if it is there; and where this one leaves that, unless it ended as the lock broke.
    const char *resume, *leave;
    bool enters_all; // states that were seen, too: shows what is lost by leaving them out
    const _Atomic uint32_t *interrupted; // not 0: report what was done
};

enum search_end {
    SEARCH_BROKEN,    // at its first violation that the lock's traits do not admit
    SEARCH_EXHAUSTED, // there is no other schedule within the limits
    SEARCH_UNDECIDED, // nor, but some schedules did not go as before, or were too long to be made;
                      // or one broke the lock (`unconfirmed`), and in no replay again
    SEARCH_OUT_OF_TIME,
    SEARCH_INTERRUPTED,
    SEARCH_FAILED, // of the harness or its set-up, by `error`, and nothing that was seen before was
                   // seen again; else it is SEARCH_BROKEN, by the same `error`
};

struct search_progress {
    uint64_t schedules, states, waiting; // made, seen, still to be made
    uint64_t unlike;                     // schedules that did not go as they had gone before
    uint64_t too_long;                   // left out: of more than MOST_MOVES moves
    uint64_t checked;                    // states seen again from which it was tried whether they
                                         // go on as they went on before
    bool remembers; // they did not: the search began anew, with all that clients have ever heard
    double seconds, seconds_before; // all in all; of searches that are gone on with
};

// What has been found of a lock: each breach once, by the shortest schedule that shows it.
struct violation {
    struct breach breach;
    struct schedule_moves found;
    int replayed;       // of REPLAYS replays of `found`, so many showed it again: one at least
    uint64_t seen;      // schedules that showed it
    uint64_t schedules; // made by its search up to the first of them
    double seconds;     // likewise
};

#define MOST_VIOLATIONS 64 // at which a search ends

struct violations {
    struct violation items[MOST_VIOLATIONS];
    size_t count;
};

struct search_result {
    enum search_end end;
    struct search_progress progress;
    const struct check *unconfirmed; // broken by a schedule, and in no replay of it; or NULL
    struct error unconfirmed_why;    // ", as they could not be made: REASON"; "" if they were made
    uint64_t admitted;               // schedules that broke only what the lock's traits admit
    char admitted_text[200];         // which, "" if none did
    struct error error;
};

#define REPLAYS 10

// Searches. Adds to the violations that other searches of the lock have found those that are new,
// which are then as short as they can be made; without limits->all, of what traits admit nothing.
// `show` is called now and then.
void search(struct replay *replay, const struct trial *trial, const struct search_limits *limits,
            void (*show)(void *context, const struct search_progress *progress), void *context,
            struct violations *violations, struct search_result *result);

// Makes the moves that can be made, and then lets the clients go on by themselves, one after the
// other; `schedule` is then what was done, and `told` (may be NULL; zeros before) has it in words.
// 0; 1 if a move could not be made; -1 with `error` set. End it with replay_end.
int search_replay(struct replay *replay, struct schedule_moves *schedule, struct told_moves *told,
                  struct error *error);

// The same, and judges it: 1 if it shows the breach, 0 if it does not, -1 with `error` set.
int search_show(struct replay *replay, const struct trial *trial, struct schedule_moves *schedule,
                const struct breach *breach, struct told_moves *told,
                const struct trial_model **model, struct judgement *judgement, struct error *error);

#endif
