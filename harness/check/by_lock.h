// A trial with several locks, lock by lock. Names are independent: each lock has a history of its
// own, which is decided as if there were no other; and whoever waits for one says nothing of
// another.
#ifndef LOCKPICK_CHECK_BY_LOCK_H
#define LOCKPICK_CHECK_BY_LOCK_H

#include "harness/check/check.h"

// --- the digest, for figures about who was granted what when
// ---------------------------------------

// Goes from lock to lock:
//
//    by_lock_start(&locks, digest);
//    while (by_lock_next(&locks))
//        ... locks.part, locks.indices ...
//    by_lock_end(&locks);
struct by_lock {
    struct digest part; // holds and attempts of one lock, in their order; all else is the whole's
    const size_t *indices; // of the part's holds in the whole; NULL: as they are
    int64_t key;           // whose
    // The rest is its own: holds and attempts, each lock's together, and how many were gone
    // through.
    struct hold *holds;
    struct attempt *attempts;
    size_t *order, hold_count, attempt_count, next_hold, next_attempt;
    bool is_over;
};

// Without holds or attempts there is one part, the whole.
void by_lock_start(struct by_lock *locks, const struct digest *digest);
bool by_lock_next(struct by_lock *locks);
void by_lock_end(struct by_lock *locks);

// --- the history, for checks
// -----------------------------------------------------------------------

// Which events are whose.
struct key_split {
    const struct history *whole;
    size_t keys;    // 1: there is only one lock, or none that is told apart
    size_t *order;  // indices of events: those that are nobody's own, then each key's
    size_t *starts; // of each in `order`: nobody's at 0, key 1's at 1, ...; then the end
};

void key_split_make(const struct history *history, struct key_split *split);
void key_split_free(struct key_split *split);

// The history of one key (from 1): its own events and those that are nobody's, such as faults.
struct key_history {
    struct history history;
    size_t *indices; // of its events in the whole
};

void key_history_make(const struct key_split *split, size_t key, struct key_history *part);
void key_history_free(struct key_history *part);

// Makes the evidence of a finding that was made of `of` speak of the holds and accesses of `whole`.
void evidence_to_whole(const struct digest *whole, const struct digest *of,
                       const struct key_history *part, struct evidence *evidence);

// What the check finds in the digest of one key.
struct finding key_check(const struct check *check, const struct digest *digest);

// Adds what was found for another key: the worse stays, the counts are added. `key` is whose.
void finding_merge(struct finding *merged, const struct finding *finding, size_t key);

#endif
