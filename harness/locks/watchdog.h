// A watchdog: one thread of a client process that renews the leases of the client's holds, while
// their workers work. A pause of the process stops it too; a pause of a worker does not.
#ifndef LOCKPICK_LOCKS_WATCHDOG_H
#define LOCKPICK_LOCKS_WATCHDOG_H

#include "harness/locks/lock.h"

// One hold to be renewed, and what came of it: OK (renewed), NO (the server says that the lock is
// not ours any more), UNKNOWN (no answer) or BROKEN.
struct renewal {
    struct lock *lock;     // the holder's; touch only what does not change while it holds
    struct actor *actor;   // the watchdog's thread
    int64_t held_until_ns; // by now, on the client's clock
    int64_t asked_ns;      // now: before the request is sent
    // Until when the hold is valid once it is renewed: a lease from `asked_ns`, unless it is said
    // otherwise.
    int64_t valid_until_ns;
    int64_t returned_ns; // when it was answered, on the machine's clock; 0: now
    enum outcome outcome;
};

// A field of the scheme.
struct watchdog_settings {
    // From the grant to the first renewal, and from one to the next; 0: a third of the lease,
    // unless `open_client` sets client->renewal_ns. What a stall has made the watchdog miss is not
    // made up for.
    int64_t interval_ns;
    bool never_gives_up; // renews on, whatever it is answered and however late it is
    // Optional: for how long after a first renewal that failed it tries on, whatever it is
    // answered, before it tells the holder. NULL: until the server says that the lock is not ours
    // any more, or its lease is over.
    int64_t (*patience_ns)(const struct lock_options *options);
    // Renews the lease, in the watchdog's thread. Or those of several holds, of `batch` at most,
    // whose outcomes it fills in.
    enum outcome (*renew)(struct renewal *renewal);
    void (*renew_batch)(struct renewal *renewals, size_t count);
    size_t batch;
    // Optional: the hold has ended, with its session, before its renewals began.
    bool (*is_over)(const struct lock *lock);
};

// Starts the thread. NULL with `error` set. `client` and `settings` must live as long. The actor of
// the thread, whose phase is PHASE_RENEW, is for the connections that `renew` uses, which are
// opened before the first watchdog_add.
struct watchdog *watchdog_start(struct lock_client *client,
                                const struct watchdog_settings *settings, struct error *error);
struct actor *watchdog_actor(struct watchdog *watchdog);

// From now on the hold that `lock` was granted is renewed. Each renewal is recorded in the history
// under lock->operation. A renewal that is answered NO, and a lease that runs out after a renewal
// without an answer, raise `lock->lost` and end the renewals. False if the hold is over already.
bool watchdog_add(struct watchdog *watchdog, struct lock *lock, int64_t valid_until_ns);

// Ends the renewals of the hold, and returns once none is under way: for before the release is
// sent. Does nothing if there is no such hold, or no watchdog.
void watchdog_remove(struct watchdog *watchdog, const struct lock *lock);

// Calls `visit` with each hold that is renewed; meanwhile none comes or goes.
void watchdog_visit(struct watchdog *watchdog, void (*visit)(void *context, struct lock *lock),
                    void *context);

// Ends the thread; watchdog_visit may be called until watchdog_free.
void watchdog_stop(struct watchdog *watchdog);
void watchdog_free(struct watchdog *watchdog);

#endif
