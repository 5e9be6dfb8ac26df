// Of a trial with several locks, the one that is to be told about: who waits for, or holds, another
// one has no part in it.
#ifndef LOCKPICK_EXPLAIN_ONE_LOCK_H
#define LOCKPICK_EXPLAIN_ONE_LOCK_H

#include "harness/check/by_lock.h"

struct one_lock {
    const struct digest *digest;       // to tell from; its indices are its own, but those of events
    const struct judgement *judgement; // of that lock; the verdict is still that of all
    int64_t key;          // which one; 0: there is only one, and the above are the whole's
    struct by_lock locks; // makes indices those of the whole (by_lock_to_whole)
    struct judgement judged;
};

// Chooses the lock of the first violation; without one, all are told of together. Free with
// one_lock_end, before the whole.
void one_lock_start(const struct digest *digest, const struct judgement *judgement,
                    struct one_lock *one);
void one_lock_end(struct one_lock *one);

#endif
