// What both Redlocks share: the arithmetic of quorum and validity, and what an attempt, a release
// and an extension come to once each server has said what it knows.
// Algorithm: "Distributed Locks with Redis", redis.io, the Redlock algorithm.
#ifndef LOCKPICK_LOCKS_REDLOCK_COMMON_H
#define LOCKPICK_LOCKS_REDLOCK_COMMON_H

#include "harness/locks/lock.h"
#include "harness/locks/redis_common.h"
#include "harness/wire/redis.h"

// What one server answered to the last command of a round.
struct vote {
    enum outcome outcome; // OK: it answered `value`; NO: certainly not executed; UNKNOWN: no answer
    int64_t value;        // SET: 1 set, 0 nil; scripts: 1 done, 0 another's, -1 nobody's
};

struct votes {
    struct vote items[MAX_SERVERS];
    int count;
};

int redlock_quorum(const struct votes *votes);

// How many servers answered that value, and how many gave no answer.
int votes_for(const struct votes *votes, int64_t value);
int votes_unknown(const struct votes *votes);

// The time-out of one server: much shorter than the lease, so that servers that are down do not use
// it up: a twentieth of it, at least 5 ms, at most options.request_ns.
int64_t redlock_server_ns(const struct lock_options *options);

// Until when the lock is held that was asked for at `asked_ns`: the lease less drift.
int64_t redlock_valid_until_ns(const struct lock_options *options, int64_t asked_ns);

// What an attempt without quorum came to after the unlock round: NO unless so many servers that may
// have granted it are unresolved that a quorum of them may hold it.
enum outcome redlock_refused(const struct votes *granted, const struct votes *unlocked);

// What a release round, and an extension round that ended at `now_ns`, came to.
enum release_answer redlock_released(const struct votes *votes);
enum outcome redlock_extended(const struct votes *votes, int64_t valid_until_ns, int64_t now_ns);

extern const struct redis_script redlock_unlock_script; // 1 deleted, 0 another's, -1 nobody's
extern const struct redis_script redlock_extend_script; // 1 extended, 0 another's, -1 nobody's
extern const char *const redlock_topologies[];

#endif
