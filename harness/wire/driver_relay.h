// What a driver's relay is told of its requests, and what its requests are told of the relay.
#ifndef LOCKPICK_WIRE_DRIVER_RELAY_H
#define LOCKPICK_WIRE_DRIVER_RELAY_H

#include "harness/wire/driver.h"
#include "harness/wire/relay.h"

#include <pthread.h>

// The times in which a request of the driver's stood still at a point.
struct driver_stops {
    pthread_mutex_t mutex;
    int under_way;
    int64_t began_ns;             // of those under way, the first
    int64_t from_ns, until_ns;    // the last that is over, and those that were shortly before it
    int64_t asked_ns, replied_ns; // the last request that took long, and those right before it
    _Atomic uint32_t *of_workers; // how many are under way, by worker
};

// Starts the relay, if the driver is to have one. 0, or -1 with `error` set.
int driver_relay_start(struct driver *driver, struct error *error);
void driver_relay_stop(struct driver *driver);

// True if a request stands still. In any case moves *since_ns back to before the last stop, if that
// ended after it.
bool driver_relay_stops(struct driver *driver, int64_t *since_ns);

// Moves *since_ns back to when the last request was sent whose reply took long to come, if it came
// after that.
void driver_relay_slowness(struct driver *driver, int64_t *since_ns);

// Waits until no request of the worker's stands still at a point.
void driver_relay_await(struct driver *driver, int worker);

#endif
