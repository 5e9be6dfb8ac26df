// What a worker does next, and when it begins with it: as soon as it is free, or when the load of
// the trial says so.
//
// In an open loop a free worker takes the next operation that is to begin, whoever of all clients
// gets to it first, and waits for its time. If that is over, because nobody was free, it begins at
// once; what is due comes first also in a later phase, but not what a warm-up left undone. In a
// closed loop it has no time. What a client has taken waits with it if it is paused, and is lost if
// it dies, as with users who have been sent to that instance.
#ifndef LOCKPICK_RUN_PACE_H
#define LOCKPICK_RUN_PACE_H

#include "harness/run/stage.h"

struct pace {
    const struct stage *stage;
    int client;
    int64_t operations; // how many there are in all; 0: as many as the time allows
};

struct turn {
    int64_t operation;   // its number, from 1
    int64_t intended_ns; // when it was to begin, on CLOCK_MONOTONIC; 0: as soon as somebody is free
};

struct pace pace_of(const struct stage *stage, int client);

// Waits until the worker is to begin with its next operation. False if there is none left, or the
// trial ends.
bool pace_next(const struct pace *pace, struct turn *turn);

// Gives the operation, which came to nothing, another number, for it to be tried once more. False
// if the next one is to be taken instead: in an open loop, in a workload that runs for a time, and
// once the trial ends.
bool pace_again(const struct pace *pace, struct turn *turn);

// For a worker that does more than one operation at a time: takes up to `most` further ones, from
// *first on. Returns how many there are.
int64_t pace_reserve(const struct pace *pace, int64_t most, int64_t *first);

// When the phase ends that is under way, or the trial's time; TIME_NEVER if nothing ends it.
int64_t pace_ends_ns(const struct pace *pace);

#endif
