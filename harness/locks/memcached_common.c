#include "harness/locks/memcached_common.h"

#include <inttypes.h>
#include <string.h>

int memcached_lock_open(struct lock *lock, struct error *error)
{
    struct memcached_lock *state = lock->state;
    state->connection = memcached_open(lock->service, lock->options.request_ns, lock->actor, error);
    return state->connection == NULL ? -1 : 0;
}

void memcached_lock_close(struct lock *lock)
{
    memcached_close(memcached_lock_of(lock)->connection);
}

struct memcached_lock *memcached_lock_of(struct lock *lock)
{
    return lock->state;
}

enum outcome memcached_outcome(struct lock *lock, enum outcome outcome)
{
    if (outcome == OUTCOME_BROKEN)
        error_set(&lock->error, "%s", memcached_error(memcached_lock_of(lock)->connection));
    return outcome;
}

// The server counts in whole seconds of a clock that ticks once a second, so that an item may go up
// to a second early, and two where a tick comes late and skips one: rounded up, and two more, it is
// never gone before the lease is over. (More than 30 days would be taken for a date; a lease lasts
// an hour at most.)
static long long expiry_s(const struct lock *lock)
{
    return (lock->options.lease_ns + NS_PER_S - 1) / NS_PER_S + 2;
}

enum outcome memcached_try_acquire(struct lock *lock, struct grant *grant)
{
    struct memcached_lock *state = lock->state;
    struct memcached_answer answer;
    random_hex(lock->random, state->token, MEMCACHED_TOKEN_DIGITS);
    grant->valid_until_ns = lease_ends_ns(lock);
    enum outcome outcome = memcached_outcome(
        lock,
        memcached_request(state->connection, &answer, "add %s 0 %lld %d\r\n%s", lock->options.name,
                          expiry_s(lock), MEMCACHED_TOKEN_DIGITS, state->token));
    return outcome == OUTCOME_OK && strcmp(answer.word, "STORED") != 0 ? OUTCOME_NO : outcome;
}

enum release_answer memcached_release_checked(struct lock *lock)
{
    struct memcached_lock *state = lock->state;
    struct memcached_answer answer;
    enum outcome outcome = memcached_outcome(
        lock, memcached_request(state->connection, &answer, "gets %s", lock->options.name));
    if (outcome != OUTCOME_OK)
        return RELEASE_UNKNOWN;
    if (strcmp(answer.word, "VALUE") != 0)
        return RELEASE_GONE;
    if (strcmp(answer.value, state->token) != 0)
        return RELEASE_NOT_OWNER;
    outcome =
        memcached_outcome(lock, memcached_request(state->connection, &answer, "md %s C%" PRIu64,
                                                  lock->options.name, answer.cas));
    if (outcome != OUTCOME_OK)
        return RELEASE_UNKNOWN;
    if (strcmp(answer.word, "HD") == 0)
        return RELEASE_RELEASED;
    return strcmp(answer.word, "EX") == 0 ? RELEASE_NOT_OWNER : RELEASE_GONE;
}
