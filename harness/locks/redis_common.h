// What the single-Redis schemes share: a connection, the holder's token, its release, its renewal.
#ifndef LOCKPICK_LOCKS_REDIS_COMMON_H
#define LOCKPICK_LOCKS_REDIS_COMMON_H

#include "harness/locks/lock.h"
#include "harness/locks/watchdog.h"
#include "harness/wire/redis.h"

// Where one lock is one key, whatever stands behind it: single, sentinel, cluster.
extern const char *const redis_topologies[];

// `open`: loads the scripts that scheme->kind lists (NULL-terminated; NULL: none).
int redis_load_scripts(struct lock *lock, struct error *error);
#define REDIS_HANDLES .connector = &redis_connector, .open = redis_load_scripts
#define REDIS_SCHEME REDIS_HANDLES, .server = "redis", .topologies = redis_topologies

// Words of rights (lock_scheme.rights): the lock's keys, and what it takes to run scripts; with
// what is redis_compare_and_delete's.
#define REDIS_KEYS "~lockpick:* "
#define REDIS_SCRIPTS "+script|load +evalsha +eval "
#define REDIS_CHECKED_RIGHTS REDIS_KEYS REDIS_SCRIPTS "+get +del "

// `set_up` of a queue: its job becomes the last one of that list.
int redis_add_job(const struct service *service, const struct lock_options *options,
                  const char *list, struct error *error);

// A command about the lock, whose name is the first argument of its format. (The 0 stands for no
// arguments: it is one more than the format has.)
#define REDIS_ASK(lock, answer, ...) REDIS_ASK_OF(lock, answer, __VA_ARGS__, 0)
#define REDIS_ASK_OF(lock, answer, format, ...)                                                    \
    lock_noted(lock, redis_request((lock)->connection, answer, format, (lock)->options.name,       \
                                   __VA_ARGS__))

// GET L: if the answer is lost, nothing has happened all the same (NO).
enum outcome redis_read(struct lock *lock, struct redis_answer *answer);

// Runs a script with the keys L and, unless it is NULL, `other`; and the arguments token and lease.
enum outcome redis_run(struct redis_connection *connection, struct redis_answer *answer,
                       const struct lock_options *options, const struct redis_script *script,
                       const char *other, const char *token);

// One attempt with a new token: by a command, whose format takes the lock's name, the token and a
// number, OK unless it answers nil (busy); by SET L token NX PX lease; by a script with the keys L
// and `other`, whose answer *number is 0 if it is busy.
enum outcome redis_acquire_by(struct lock *lock, struct grant *grant, const char *format,
                              int64_t number);
enum outcome redis_set_token(struct lock *lock, struct grant *grant);
enum outcome redis_acquire_by_script(struct lock *lock, struct grant *grant,
                                     const struct redis_script *script, const char *other,
                                     int64_t *number);

// SETNX L 1: OK held, NO busy.
enum outcome redis_setnx(struct lock *lock, struct grant *grant);

// DEL, whoever's lock is there.
enum release_answer redis_release_unchecked(struct lock *lock);

// Deletes the key only if it holds the token: 1 deleted, 0 another's, -1 nobody's.
extern const struct redis_script redis_compare_and_delete;
extern const struct redis_script *const redis_checked[]; // that one: a scheme's `kind`
enum release_answer redis_release_checked(struct lock *lock);

// Maps 1, 0, -1 of a compare-and-delete to RELEASED, NOT_OWNER, GONE.
enum release_answer redis_release_answer(enum outcome outcome, const struct redis_answer *answer);

// What a renewal came to that was answered so, by 1 or a status if it was done; and one by a script
// with the arguments token and lease.
enum outcome redis_renewed(enum outcome outcome, const struct redis_answer *answer);
enum outcome redis_renew_by_script(const struct renewal *renewal,
                                   const struct redis_script *script);

#endif
