// What both Redlocks share: all but the way to ask the servers. SET NX PX with a fresh token on
// each of N independent servers; held if a majority has set it while there is time left, else taken
// back everywhere. A watchdog extends it at a third of the lease. Algorithm: "Distributed Locks
// with Redis", redis.io, the Redlock algorithm.
#ifndef LOCKPICK_LOCKS_REDLOCK_COMMON_H
#define LOCKPICK_LOCKS_REDLOCK_COMMON_H

#include "harness/locks/redis_common.h"

// What one server answered to the last command of a round.
struct vote {
    enum outcome outcome; // OK: it answered `value`; NO: certainly not executed; UNKNOWN: no answer
    int64_t value;        // SET: 1 set, 0 nil; scripts: 1 done, 0 another's, -1 nobody's
};

struct votes {
    struct vote items[MAX_SERVERS];
    int count;
};

// One round: the lock's SET with the token, or a script (if it is not NULL) with the token and the
// lease, to every server whose entry in `asked` is true (NULL: to all).
struct redlock_round {
    const struct lock_options *options;
    const char *token;
    const struct redis_script *script;
    const bool *asked;
};

// A way to ask the servers: scheme->kind.
struct redlock_kind {
    // Connections to all of them, or NULL with `error` set. `limit_ns` is for one server's answer.
    void *(*open)(const struct service *service, int64_t limit_ns, struct actor *actor,
                  struct error *error);
    void (*close)(void *servers); // NULL is fine
    // Fills in the votes of those that it asks; `error` is set if one is BROKEN.
    void (*ask)(void *servers, const struct redlock_round *round, struct votes *votes,
                struct error *error);
};

// lock->state, and lock_client->state of the watchdog, which has connections of its own.
struct redlock {
    void *servers;
    char token[TOKEN_DIGITS + 1]; // of the current or last attempt
};

int redlock_client_open(struct lock_client *client, struct error *error);
void redlock_client_close(struct lock_client *client);
int redlock_open(struct lock *lock, struct error *error);
void redlock_close(struct lock *lock);
enum outcome redlock_try_acquire(struct lock *lock, struct grant *grant);
enum release_answer redlock_release(struct lock *lock);
extern const struct watchdog_settings redlock_extension;
extern const char *const redlock_topologies[];

#define REDLOCK_SCHEME(of_kind)                                                                    \
    .breaks = "a pause beyond the lease, a clock that jumps, a server that forgets in a restart",  \
    .traits = LOCK_TRAITS("redis", "exclusive", "lease", "owner-checked", "renewed"),              \
    .server = "redis", .topologies = redlock_topologies, .kind = of_kind,                          \
    .client_bytes = sizeof(struct redlock), .open_client = redlock_client_open,                    \
    .close_client = redlock_client_close, .lock_bytes = sizeof(struct redlock),                    \
    .open = redlock_open, .close = redlock_close, .renewal = &redlock_extension,                   \
    .try_acquire = redlock_try_acquire, .release = redlock_release

// --- the arithmetic ------------------------------------------------------------------------------

int redlock_quorum(const struct votes *votes);

// How many servers answered that value, and how many gave no answer.
int votes_for(const struct votes *votes, int64_t value);
int votes_unknown(const struct votes *votes);

// The time-out of one server: much shorter than the lease, so that servers that are down do not use
// it up: a twentieth of it, at least 5 ms, at most options.request_ns.
int64_t redlock_server_ns(const struct lock_options *options);

// Until when the lock is held that was asked for at `asked_ns`: the lease less drift.
int64_t redlock_valid_until_ns(const struct lock_options *options, int64_t asked_ns);

// What an attempt without quorum came to after the unlock round: NO unless so many servers that may
// have granted it are unresolved that a quorum of them may hold it.
enum outcome redlock_refused(const struct votes *granted, const struct votes *unlocked);

// What a release round, and an extension round that ended at `now_ns`, came to.
enum release_answer redlock_released(const struct votes *votes);
enum outcome redlock_extended(const struct votes *votes, int64_t valid_until_ns, int64_t now_ns);

#endif
