// What the single-Redis schemes share: a connection, the holder's token, its release, its renewal.
#ifndef LOCKPICK_LOCKS_REDIS_COMMON_H
#define LOCKPICK_LOCKS_REDIS_COMMON_H

#include "harness/locks/lock.h"
#include "harness/locks/watchdog.h"
#include "harness/wire/redis.h"

#define TOKEN_DIGITS 40 // 160 random bits, as the Redlock specification asks for

// Where one lock is one key, whatever stands behind it: single, sentinel, cluster.
extern const char *const redis_topologies[];

// lock->state.
struct redis_lock {
    struct redis_connection *connection;
    char token[TOKEN_DIGITS + 1]; // of the current or last attempt
    int64_t expiry_ms;            // when the lock ends by the client's clock, where that decides
};

// Connects, and loads the scripts that scheme->kind lists (NULL-terminated; NULL: none).
int redis_lock_open(struct lock *lock, struct error *error);
void redis_lock_close(struct lock *lock);
#define REDIS_HANDLES                                                                              \
    .lock_bytes = sizeof(struct redis_lock), .open = redis_lock_open, .close = redis_lock_close
#define REDIS_SCHEME REDIS_HANDLES, .server = "redis", .topologies = redis_topologies

// lock_client->state of a scheme with a watchdog.
struct redis_client {
    struct redis_connection *connection; // the watchdog's
    int dialect;                         // of the server, for schemes whose commands differ with it
};

int redis_client_open(struct lock_client *client, struct error *error);
void redis_client_close(struct lock_client *client);
#define REDIS_RENEWED_SCHEME                                                                       \
    REDIS_SCHEME, .client_bytes = sizeof(struct redis_client), .close_client = redis_client_close

// Shorthands for lock->state.
struct redis_lock *redis_lock_of(struct lock *lock);
struct redis_connection *redis_of(struct lock *lock);

// A fresh token for the next attempt.
const char *redis_new_token(struct lock *lock);

// Passes an outcome on; BROKEN takes the connection's message along.
enum outcome redis_outcome(struct lock *lock, enum outcome outcome);

// A command about the lock, whose name is the first argument of its format. (The 0 stands for no
// arguments: it is one more than the format has.)
#define REDIS_ASK(lock, answer, ...) REDIS_ASK_OF(lock, answer, __VA_ARGS__, 0)
#define REDIS_ASK_OF(lock, answer, format, ...)                                                    \
    redis_outcome(                                                                                 \
        lock, redis_request(redis_of(lock), answer, format, (lock)->options.name, __VA_ARGS__))

// GET L: if the answer is lost, nothing has happened all the same (NO).
enum outcome redis_read(struct lock *lock, struct redis_answer *answer);

// Runs a script with the keys L and, unless it is NULL, `other`; and the arguments token and lease.
enum outcome redis_run(struct redis_connection *connection, struct redis_answer *answer,
                       const struct lock_options *options, const struct redis_script *script,
                       const char *other, const char *token);

// One attempt with a new token: by a command, whose format takes the lock's name, the token and a
// number, OK unless it answers nil (busy); by SET L token NX PX lease.
enum outcome redis_acquire_by(struct lock *lock, struct grant *grant, const char *format,
                              int64_t number);
enum outcome redis_set_token(struct lock *lock, struct grant *grant);

// SETNX L 1: OK held, NO busy.
enum outcome redis_setnx(struct lock *lock);

// DEL, whoever's lock is there.
enum release_answer redis_release_unchecked(struct lock *lock);

// Deletes the key only if it holds the token: 1 deleted, 0 another's, -1 nobody's.
extern const struct redis_script redis_compare_and_delete;
extern const struct redis_script *const redis_checked[]; // that one: a scheme's `kind`
enum release_answer redis_release_checked(struct lock *lock);

// Maps 1, 0, -1 of a compare-and-delete to RELEASED, NOT_OWNER, GONE.
enum release_answer redis_release_answer(struct lock *lock, enum outcome outcome,
                                         const struct redis_answer *answer);

// What a renewal came to that was answered so, by 1 or a status if it was done: until `ends_ns`.
void redis_renewed(struct renewal *renewal, enum outcome outcome, const struct redis_answer *answer,
                   int64_t ends_ns);

#endif
