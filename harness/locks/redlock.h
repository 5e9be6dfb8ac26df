// What one needs of Redlock to test its arithmetic, and to get it wrong.
#ifndef LOCKPICK_LOCKS_REDLOCK_H
#define LOCKPICK_LOCKS_REDLOCK_H

#include "harness/locks/redis_common.h"

// What one server answered to the last command of a round.
struct vote {
    enum outcome outcome; // OK: it answered `value`; NO: certainly not executed; UNKNOWN: no answer
    int64_t value;        // SET: 1 set, 0 nil; scripts: 1 done, 0 another's, -1 nobody's
};

struct votes {
    struct vote items[MAX_SERVERS];
    int count;
    int quorum; // a majority; a round of SET ends early once it cannot be had any more
};

// None yet: all NO.
struct votes votes_none(int count);

// How many servers answered that value, and how many gave no answer.
int votes_for(const struct votes *votes, int64_t value);
int votes_unknown(const struct votes *votes);

// One round with the lock's token, by the connections of its worker or of its client's watchdog:
// SET, or a script (if it is not NULL) with the token and the lease, to every server whose entry in
// `asked` is true (NULL: to all). Fills in the votes of those that it asks; `error` is set if one
// is BROKEN.
void redlock_ask(const struct lock *lock, struct redis_many *servers,
                 const struct redis_script *script, const bool *asked, struct votes *votes,
                 struct error *error);

// Until when the lock is held that was asked for at `asked_ns`: the lease less drift.
int64_t redlock_valid_until_ns(const struct lock_options *options, int64_t asked_ns);

// What an attempt without quorum came to after the unlock round: NO unless so many servers that may
// have granted it are unresolved that a quorum of them may hold it.
enum outcome redlock_refused(const struct votes *granted, const struct votes *unlocked);

// What a release round, and an extension round that ended at `now_ns`, came to.
enum release_answer redlock_released(const struct votes *votes);
enum outcome redlock_extended(const struct votes *votes, int64_t valid_until_ns, int64_t now_ns);

#endif
