// What the single-Redis schemes with a watchdog share: the client's watchdog, and a connection of
// its own to renew over.
#ifndef LOCKPICK_LOCKS_REDIS_RENEWAL_H
#define LOCKPICK_LOCKS_REDIS_RENEWAL_H

#include "harness/locks/redis_common.h"
#include "harness/locks/watchdog.h"

struct redis_renewal;

struct redis_renewal_kind {
    int64_t interval_ns;               // between two renewals; 0: a third of the lease
    bool never_gives_up;               // goes on whatever it is answered
    const struct redis_script *script; // that `renew` runs, or NULL
    // Renews the lease of the holder with that token. OK with *valid_until_ns set, NO: it is not
    // its lock any more.
    enum outcome (*renew)(struct redis_renewal *renewal, const char *token,
                          int64_t *valid_until_ns);
};

// lock_client.state of such a scheme.
struct redis_renewal {
    const struct redis_renewal_kind *kind;
    struct lock_client *client;
    struct watchdog *watchdog;
    struct redis_connection *connection;
    int dialect; // of the server, for schemes whose commands differ with it
};

// For open_client and close_client.
int redis_renewal_open(struct lock_client *client, const struct redis_renewal_kind *kind,
                       struct error *error);
void redis_renewal_close(struct lock_client *client);

// From a grant on the hold is renewed; before its release is sent, no more.
void redis_renewal_begin(struct lock *lock, const struct grant *grant);
void redis_renewal_end(struct lock *lock);

// When a lease of `lease_ns` that is asked for now ends at the earliest, on the client's clock.
int64_t redis_renewal_ends_ns(const struct redis_renewal *renewal, int64_t lease_ns);

#endif
