// Deletes keys without anybody waiting for it, as Redisson does with the latches of its unlocks:
// one thread of a client process.
#ifndef LOCKPICK_LOCKS_REDISSON_SWEEPER_H
#define LOCKPICK_LOCKS_REDISSON_SWEEPER_H

#include "harness/locks/lock.h"

struct redisson_sweeper;

// Connects and starts the thread. NULL with `error` set. `client` must live as long. The thread
// passes the points DEL, in release.
struct redisson_sweeper *redisson_sweeper_start(struct lock_client *client, struct error *error);

// Has the key deleted soon. If the server refuses or does not answer it stays, and so do those
// that find too many before them: they have a lease.
void redisson_sweeper_delete(struct redisson_sweeper *sweeper, const char *key);

// Ends the thread, once all is deleted or the server does not answer.
void redisson_sweeper_stop(struct redisson_sweeper *sweeper);

#endif
