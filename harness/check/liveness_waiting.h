// The times at which somebody waited for the lock: a worker that asked for it, had not been granted
// it yet, was alive, and was neither stopped nor cut off by a fault.
#ifndef LOCKPICK_CHECK_LIVENESS_WAITING_H
#define LOCKPICK_CHECK_LIVENESS_WAITING_H

#include "harness/check/check.h"

// A time during all of which at least one worker waited.
struct stretch {
    int64_t from_ns;
    int64_t to_ns;
};

// In the order of time; no two touch.
struct stretches {
    struct stretch *items;
    size_t count;
};

// One acquire, from its invocation to its end.
struct wait {
    int64_t key; // of the lock
    int client;
    int worker;
    int64_t from_ns;
    int64_t to_ns;
    bool gave_up; // and its worker lives on
};

// All waits of a trial, each lock's together.
struct waits {
    struct wait *items;
    size_t count;
};

// Between an acquire that gave up and its worker's next one, the worker counts as waiting too, if
// that is for the same lock: it still wants it. Free `items`.
struct waits waits_of(const struct digest *digest);

// The stretches in which somebody waited for the lock `key`. Free `items`.
struct stretches stretches_of_waiting(const struct digest *digest, const struct waits *waits,
                                      int64_t key);

// The stretch in which `at_ns` lies, its ends included, or NULL if nobody waited then.
const struct stretch *stretch_at(const struct stretches *stretches, int64_t at_ns);

#endif
