// What a search has seen, and the schedules that it has still to make.
#ifndef LOCKPICK_EXPLORE_FRONTIER_H
#define LOCKPICK_EXPLORE_FRONTIER_H

#include "harness/run/replay.h"

#include <stdio.h>

#define MOST_COST 63

// The beginning of a schedule, and its last move from the state before it, by a hash of the two: an
// edge; 0: it has none.
struct prefix {
    struct move *moves;
    size_t count;
    uint64_t edge;
};

struct prefixes {
    struct prefix *items;
    size_t first, count, room; // `count` with those before the first, which were taken
};

// A state that was seen, or an edge; and to which state that led.
struct known {
    uint64_t what, to;
};
#define NOT_MADE 0 // yet; nor is a state
#define NOWHERE 1  // it was made, and nobody looked at what came of it

struct frontier {
    // Those that cost no more than the last one, and differ from it late, the last one first; then
    // by what they cost, the first one first.
    struct prefixes as_dear;
    struct prefixes waiting[MOST_COST + 1];
    uint64_t count;      // of all that wait
    int cost;            // of the schedule that was taken last
    struct known *known; // with open addressing; 0: an empty place
    size_t known_count, known_room;
};

// Notes a state, or an edge. False if it is known already.
bool frontier_meets(struct frontier *frontier, uint64_t what);

// The edge was made, and led there. 0: it was none.
void frontier_note_made(struct frontier *frontier, uint64_t edge, uint64_t to);

// To where an edge led, or a state: NOT_MADE, or NOWHERE.
uint64_t frontier_after(const struct frontier *frontier, uint64_t edge);

// A schedule is to be made, which costs so much more than the last one.
void frontier_add(struct frontier *frontier, const struct schedule_moves *schedule, uint64_t edge,
                  int added_cost);

// The next one, unless its edge was made meanwhile by one that came by the state before it; with
// `takes_all` that, too. False: there is none.
bool frontier_take(struct frontier *frontier, bool takes_all, struct schedule_moves *schedule,
                   uint64_t *edge);

void frontier_forget(struct frontier *frontier);

// A file: what an earlier search has left is read, or what this one leaves is written.
struct left {
    FILE *file;
    bool is_read;
    size_t room; // of a file that is read: no more than that can be in it
};

// False if the file ends too early, or cannot be written.
bool left_pass(const struct left *left, void *bytes, size_t length);
bool frontier_pass(struct frontier *frontier, const struct left *left);

#endif
