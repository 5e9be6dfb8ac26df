// What both memcached schemes share: a connection, the holder's token, and the add.
#ifndef LOCKPICK_LOCKS_MEMCACHED_COMMON_H
#define LOCKPICK_LOCKS_MEMCACHED_COMMON_H

#include "harness/locks/lock.h"
#include "harness/wire/memcached.h"

#define MEMCACHED_TOKEN_DIGITS 40

struct memcached_lock {
    struct memcached_connection *connection;
    char token[MEMCACHED_TOKEN_DIGITS + 1]; // of the current or last attempt
};

int memcached_lock_open(struct lock *lock, struct error *error);
void memcached_lock_close(struct lock *lock);
#define MEMCACHED_SCHEME                                                                           \
    .server = "memcached", .lock_bytes = sizeof(struct memcached_lock),                            \
    .open = memcached_lock_open, .close = memcached_lock_close,                                    \
    .try_acquire = memcached_try_acquire, .recover = memcached_release_checked

struct memcached_lock *memcached_lock_of(struct lock *lock);

// Passes an outcome on; BROKEN takes the connection's message along.
enum outcome memcached_outcome(struct lock *lock, enum outcome outcome);

// add L 0 lease token: OK held, NO busy.
enum outcome memcached_try_acquire(struct lock *lock, struct grant *grant);

// gets L; if it is ours, md L C<cas>: deleted only if nobody has written it since.
enum release_answer memcached_release_checked(struct lock *lock);

#endif
