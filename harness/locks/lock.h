// A lock scheme: a way to lock. One file per scheme, one `const struct lock_scheme` in it, one line
// in catalogue.c. See harness/locks/redis_set_px_lua.c for one that reads top to bottom.
//
// A scheme never touches time, randomness or sockets itself: it asks `lock->actor` for the clock,
// `lock->random` for numbers, and harness/wire for connections.
#ifndef LOCKPICK_LOCKS_LOCK_H
#define LOCKPICK_LOCKS_LOCK_H

#include "harness/base/error.h"
#include "harness/base/random.h"
#include "harness/point/point.h"
#include "harness/wire/endpoint.h"

#include <stdbool.h>

struct lock_scheme;

struct lock_options {
    const char *name;   // of the lock
    int64_t lease_ns;   // how long the server lets a holder believe
    int64_t wait_ns;    // how long one acquire keeps trying
    int64_t retry_ns;   // pause between two attempts, on average
    int64_t request_ns; // time-out of one request
    bool fenced;        // a fencing token is wanted with each grant
};

// What all workers of one client process share, for schemes that lock inside it.
struct lock_client {
    const struct lock_scheme *scheme;
    void *state;
};

// One worker's handle on the lock.
struct lock {
    const struct lock_scheme *scheme;
    struct lock_options options;
    struct actor *actor;
    struct random *random;
    const struct endpoint *endpoint; // of the lock server; NULL if the scheme needs none
    struct lock_client *client;
    const _Atomic uint32_t *stop; // not 0: the trial ends, give up waiting
    void *state;                  // the scheme's own
    struct error error;           // set with every BROKEN outcome
};

struct grant {
    int64_t token;          // fencing token from the acquire reply, 0 if the scheme gives none
    int64_t valid_until_ns; // on the client's clock, counted from before the request was sent;
                            // TIME_NEVER if the lock does not expire
    int64_t attempts;
};

struct lock_scheme {
    const char *name;
    const char *summary;       // how it locks, in one line
    const char *breaks;        // what breaks it, in one line
    const char *const *traits; // NULL-terminated, from lock_traits
    const char *server;        // kind of server it needs, NULL for none
    // Optional: state shared by the workers of one client process.
    int (*open_client)(struct lock_client *client, struct error *error);
    void (*close_client)(struct lock_client *client);
    // Optional: connects the worker. 0, or -1 with `error` set.
    int (*open)(struct lock *lock, struct error *error);
    void (*close)(struct lock *lock);
    // Optional, for schemes that are woken instead of asking again and again: waits until held or
    // until `give_up_ns` on the client's clock (NO), and looks at `lock->stop` now and then.
    enum outcome (*acquire)(struct lock *lock, struct grant *grant, int64_t give_up_ns);
    // One attempt: OK (held), NO (certainly not held), UNKNOWN, BROKEN.
    enum outcome (*try_acquire)(struct lock *lock, struct grant *grant);
    // Releases what try_acquire got. With an answer of UNKNOWN, `lock->error` is set if the
    // harness is to blame.
    enum release_answer (*release)(struct lock *lock);
};

// Waits, or tries again and again, until held, until `wait_ns` is over (NO) or the trial ends (NO),
// or until an attempt's outcome is not NO. Sets every field of `grant` when it returns OK,
// `attempts` always.
enum outcome lock_acquire(struct lock *lock, struct grant *grant);
enum release_answer lock_release(struct lock *lock);

// For schemes that wait: true once the time is up or the trial ends.
bool lock_must_give_up(const struct lock *lock, int64_t give_up_ns);

// Opens and closes a worker's handle, whether or not the scheme has anything to open.
int lock_open(struct lock *lock, struct error *error);
void lock_close(struct lock *lock);

// Every scheme, and every trait with its meaning; NULL-terminated.
extern const struct lock_scheme *const lock_catalogue[];
struct lock_trait {
    const char *name;
    const char *meaning;
};
extern const struct lock_trait lock_traits[];

// The scheme with this name, or NULL.
const struct lock_scheme *lock_scheme_find(const char *name);
bool lock_scheme_has(const struct lock_scheme *scheme, const char *trait);

#endif
