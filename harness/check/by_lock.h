// A trial with several locks, lock by lock. Names are independent: each lock is decided as if there
// were no other, and whoever waits for one says nothing of another.
#ifndef LOCKPICK_CHECK_BY_LOCK_H
#define LOCKPICK_CHECK_BY_LOCK_H

#include "harness/base/rank.h"
#include "harness/check/check.h"

// Goes from lock to lock: FOR_EACH_LOCK (locks, model) ... locks.part, locks.indices ...; what
// leaves it before its end calls by_lock_end.
#define FOR_EACH_LOCK(locks, model)                                                                \
    for (struct by_lock locks = by_lock_start(model); by_lock_next(&locks);)

struct by_lock {
    // What workers did with one lock, in its order, and its ends; all else is the whole's. Good
    // until the next one is asked for.
    struct trial_model part;
    size_t *indices; // of the part's holds in the whole; NULL: as they are
    int64_t key;     // whose
    // The rest is its own: what is of which lock, and how much of it was gone through.
    const struct trial_model *whole;
    struct ranked *acquires, *reentries;
    size_t next_acquire, next_reentry;
    size_t of_any;  // acquires, the first ones, that are of any job of a queue
    size_t *places; // of the whole's holds in their parts
    int64_t next_key, last_key;
};

// Where there is one lock only, or none that is told apart, there is one part, the whole. Behind
// the last one by_lock_next ends it.
struct by_lock by_lock_start(const struct trial_model *model);
bool by_lock_next(struct by_lock *locks);
void by_lock_end(struct by_lock *locks);

// Makes indices of the part those of the whole; SIZE_MAX stays.
void by_lock_to_whole(const struct by_lock *locks, size_t *hold, size_t *access);

// When the job that the model is of, if that is a queue's, was done, or was given out for the last
// time before it is given up: from then on nobody waits for it. TIME_NEVER: of any other lock.
int64_t job_over_ns(const struct trial_model *model);

#endif
