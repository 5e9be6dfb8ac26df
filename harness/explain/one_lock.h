// Of a trial with several locks, the history of the one that is to be told about: who waits for, or
// holds, another one has no part in it.
#ifndef LOCKPICK_EXPLAIN_ONE_LOCK_H
#define LOCKPICK_EXPLAIN_ONE_LOCK_H

#include "harness/check/by_lock.h"

struct one_lock {
    const struct digest *digest;       // to tell from; its indices are its own
    const struct judgement *judgement; // of that lock; the verdict is still that of all
    int64_t key; // which one; 0: there is only one, and the above are the whole's
    const struct digest *whole;
    struct key_history part; // the rest is its own
    struct digest of;
    struct judgement judged;
};

// Chooses the lock of the first violation; without one, all are told of together. Free with
// one_lock_end, before the whole.
void one_lock_start(const struct digest *digest, const struct judgement *judgement,
                    struct one_lock *one);
void one_lock_end(struct one_lock *one);

// Indices of the whole, from those of the lock's own digest: of an event; of a hold and an access.
// SIZE_MAX stays.
size_t one_lock_event(const struct one_lock *one, size_t event);
void one_lock_to_whole(const struct one_lock *one, size_t *hold, size_t *access);

#endif
