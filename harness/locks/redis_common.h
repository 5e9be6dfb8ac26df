// What the single-Redis schemes share: a connection, and the holder's token.
#ifndef LOCKPICK_LOCKS_REDIS_COMMON_H
#define LOCKPICK_LOCKS_REDIS_COMMON_H

#include "harness/locks/lock.h"
#include "harness/wire/redis.h"

#define TOKEN_DIGITS 40 // 160 random bits, as the Redlock specification asks for

// Where one lock is one key, whatever stands behind it: single, sentinel, cluster.
extern const char *const redis_topologies[];

struct redis_lock {
    struct redis_connection *connection;
    char token[TOKEN_DIGITS + 1]; // of the current or last attempt
    int depth;                    // how often the holder has locked, where the client counts that
    int64_t expiry_ms;            // when the lock ends by the client's clock, where that decides
};

// lock->state becomes a struct redis_lock, connected.
int redis_lock_open(struct lock *lock, struct error *error);
void redis_lock_close(struct lock *lock);

// The same, ready for redis_release_checked.
int redis_lock_open_checked(struct lock *lock, struct error *error);

// Shorthands for lock->state.
struct redis_lock *redis_lock_of(struct lock *lock);
struct redis_connection *redis_of(struct lock *lock);

// A fresh token for the next attempt.
const char *redis_new_token(struct lock *lock);

// When a lease that is asked for now may end at the earliest, on the client's clock.
int64_t lease_ends_ns(struct lock *lock);
long long lease_ms(const struct lock *lock);

// Passes an outcome on; BROKEN takes the connection's message along.
enum outcome redis_outcome(struct lock *lock, enum outcome outcome);

// A command that only reads: if its answer is lost, nothing has happened all the same.
enum outcome redis_read_outcome(struct lock *lock, enum outcome outcome);

// SET L token NX PX lease: OK held, nil busy. `grant->valid_until_ns` is up to the caller, before.
enum outcome redis_set_if_absent(struct lock *lock, const char *token);

// DEL, whoever's lock is there.
enum release_answer redis_release_unchecked(struct lock *lock);

// Deletes the key only if it holds the token: 1 deleted, 0 another's, -1 nobody's. To be loaded
// with redis_script_load, which redis_lock_open_checked does, before redis_release_checked.
extern const struct redis_script redis_compare_and_delete;
enum release_answer redis_release_checked(struct lock *lock);

// Maps 1, 0, -1 of a compare-and-delete to RELEASED, NOT_OWNER, GONE.
enum release_answer redis_release_answer(struct lock *lock, enum outcome outcome,
                                         const struct redis_answer *answer);

#endif
