// The digest of a trial with several locks, lock by lock, for figures about who was granted what
// when: names are independent, so whoever waits for one lock says nothing of another.
//
// (by_key.h parts the history itself, for checks.)
#ifndef LOCKPICK_CHECK_BY_LOCK_H
#define LOCKPICK_CHECK_BY_LOCK_H

#include "harness/base/rank.h"
#include "harness/check/check.h"

// Goes from lock to lock:
//
//    by_lock_start(&locks, digest);
//    while (by_lock_next(&locks))
//        ... locks.part, locks.indices ...
//    by_lock_end(&locks);
struct by_lock {
    const struct digest *whole;
    struct digest part; // holds and attempts of one lock, in their order; all else is the whole's
    const size_t *indices;           // of the part's holds in the whole; NULL: as they are
    int64_t key;                     // whose
    struct ranked *holds, *attempts; // keys, and whose they are; the rest is its own
    size_t next_hold, next_attempt;
    size_t *room;
    bool is_over;
};

// Without holds or attempts there is one part, the whole.
void by_lock_start(struct by_lock *locks, const struct digest *digest);
bool by_lock_next(struct by_lock *locks);
void by_lock_end(struct by_lock *locks);

#endif
