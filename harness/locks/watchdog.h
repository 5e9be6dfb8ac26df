// A watchdog: one thread of a client process that renews the leases of the client's holds, while
// their workers work. A pause of the process stops it too; a pause of a worker does not.
#ifndef LOCKPICK_LOCKS_WATCHDOG_H
#define LOCKPICK_LOCKS_WATCHDOG_H

#include "harness/locks/lock.h"

struct watchdog;

// One hold to be renewed, and what came of it.
struct renewal {
    struct lock *lock;      // the holder's; touch only what does not change while it holds
    void *holder;           // as given to watchdog_add
    int64_t valid_until_ns; // before: by now, on the client's clock; after: see `outcome`
    // To be filled in: OK (renewed, valid until `valid_until_ns` on the client's clock, counted
    // from before the request was sent), NO (the server says that the lock is not ours any more),
    // UNKNOWN (no answer), BROKEN.
    enum outcome outcome;
    int64_t returned_ns; // when it was answered, on the machine's clock; 0: now
};

struct watchdog_settings {
    int64_t interval_ns;   // from the grant to the first renewal, and from one to the next; what a
                           // stall has made the watchdog miss is not made up for
    int64_t most_renewals; // of one hold, then it is left to run out; 0: no limit
    size_t batch;          // at most so many holds in one request, at least 1
    bool never_gives_up;   // renews on, whatever it is answered and however late it is
    // Renews the leases; runs in the watchdog's thread, `actor` is the thread's.
    void (*renew)(void *context, struct actor *actor, struct renewal *renewals, size_t count);
    void *context;
};

// Starts the thread. NULL with `error` set. `client` must live as long. The actor of the thread,
// whose phase is PHASE_RENEW, is for the connections that `renew` uses: open them after this,
// before the first watchdog_add.
struct watchdog *watchdog_start(struct lock_client *client,
                                const struct watchdog_settings *settings, struct error *error);
struct actor *watchdog_actor(struct watchdog *watchdog);

// From now on the hold that `lock` was granted is renewed. Each renewal is recorded in the history
// under lock->operation. A renewal that is answered NO, and a lease that runs out after a renewal
// without an answer or after the last of `most_renewals`, raise `lock->lost` and end the renewals.
void watchdog_add(struct watchdog *watchdog, struct lock *lock, void *holder,
                  int64_t valid_until_ns);

// Ends the renewals of the hold, and returns once none is under way: call it before the release is
// sent. Does nothing if there is no such hold.
void watchdog_remove(struct watchdog *watchdog, const struct lock *lock);

// Ends the thread.
void watchdog_stop(struct watchdog *watchdog);

#endif
