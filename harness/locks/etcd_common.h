// What the etcd schemes share: a session for each worker, which is a lease that is kept alive while
// the worker waits for the lock or holds it. The worker's key is named after its lease, and goes
// with it.
#ifndef LOCKPICK_LOCKS_ETCD_COMMON_H
#define LOCKPICK_LOCKS_ETCD_COMMON_H

#include "harness/locks/lock.h"
#include "harness/locks/watchdog.h"
#include "harness/wire/etcd.h"

// lock->state.
struct etcd_lock {
    struct etcd_connection *side;    // for keep-alives while a request waits on the first
    int64_t lease;                   // 0: none
    int64_t lease_until_ns;          // on the client's clock, counted from before it was asked for
    struct instant lease_asked;      // when that was
    int64_t keep_alive_ns;           // when it is to be kept alive again, if the worker waits
    bool is_doubtful;                // the lease may hold a key that we do not want, or be gone
    char prefix[ETCD_KEY_ROOM - 16]; // of the keys of all that want the lock
    char key[ETCD_KEY_ROOM];         // the lease's
};

int etcd_open_lock(struct lock *lock, struct error *error);
void etcd_close_lock(struct lock *lock);
extern const struct watchdog_settings etcd_renewal;
extern const char *const etcd_topologies[];
#define ETCD_SCHEME                                                                                \
    .server = "etcd", .topologies = etcd_topologies, .connector = &etcd_connector,                 \
    .lock_bytes = sizeof(struct etcd_lock), .open = etcd_open_lock, .close = etcd_close_lock,      \
    .renewal = &etcd_renewal

// Shorthand for lock->state.
struct etcd_lock *etcd_of(struct lock *lock);

// Sees to it that the session has at least half of its lease left: OK. Else the lock was not asked
// for, and the outcome says how the request for a lease went.
enum outcome etcd_have_session(struct lock *lock);

// A wait for the lock.
struct etcd_wait {
    struct lock *lock;
    int64_t at_least_ns; // until when it lasts all the same: one answer is waited for
    int64_t at_most_ns;
};

// Keeps the session alive, once a third of the lease has passed, and says when the wait is over,
// for example because the session has come to its end. And for as long as that, as patience.
bool etcd_wait_is_over(void *context);
struct peer_patience etcd_patience(struct etcd_wait *wait);

// Gives up an acquire that may have left a key, or may still leave one: ends the session, and
// waits for the answer. NO: nothing is left. UNKNOWN: no answer.
enum outcome etcd_withdraw(struct lock *lock);

// Waits for the end of the next key that is older than `revision`, whoever's it is: OK if there is
// none. NO: not yet, or nobody to ask.
enum outcome etcd_wait_for_predecessor(struct lock *lock, int64_t revision, struct etcd_wait *wait);

// An attempt: makes a key of its own, waits behind the older ones as `wait_for_turn` does, which is
// given the key's revision, and deletes it if its turn does not come. The revision is the token.
enum outcome etcd_stand_in_line(struct lock *lock, struct grant *grant,
                                enum outcome (*wait_for_turn)(struct lock *, int64_t));

// A release: deletes the key by its name, which nobody else's can have.
enum release_answer etcd_delete_own(struct lock *lock);

// Until when the hold is valid: as long as its session is.
enum outcome etcd_hold(struct lock *lock, struct grant *grant);

// To be called before a release: while nobody holds, the worker keeps its session alive.
void etcd_end_hold(struct lock *lock);

#endif
