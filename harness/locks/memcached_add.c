// add, which stores only what is not there. memcached-add is released by a plain delete, whoever's
// it is; memcached-add-cas by the meta command md with the item's unique number, which deletes it
// only if it is still the item that was looked at. memcached-watchdog, as a leader keeps its lease,
// renews that by cas, which stores the token anew on the same condition.
#include "harness/locks/watchdog.h"
#include "harness/wire/memcached.h"

#include <inttypes.h>
#include <string.h>

// The server counts in whole seconds of a clock that ticks once a second, so that an item may go up
// to a second early, and two where a tick comes late and skips one: rounded up, and two more, it is
// never gone before the lease is over. (More than 30 days would be taken for a date; a lease lasts
// an hour at most.)
static long long expiry_s(const struct lock *lock)
{
    return (lock->options.lease_ns + NS_PER_S - 1) / NS_PER_S + 2;
}

// add L 0 lease token: OK held, NO busy.
static enum outcome try_acquire(struct lock *lock, struct grant *grant)
{
    struct memcached_answer answer;
    const char *token = lock_new_token(lock, TOKEN_DIGITS);
    grant->valid_until_ns = lease_ends_ns(lock);
    enum outcome outcome = lock_noted(
        lock, memcached_request(lock->connection, &answer, "add %s 0 %lld %d\r\n%s",
                                lock->options.name, expiry_s(lock), TOKEN_DIGITS, token));
    return outcome == OUTCOME_OK && strcmp(answer.word, "STORED") != 0 ? OUTCOME_NO : outcome;
}

static enum release_answer release_unchecked(struct lock *lock)
{
    struct memcached_answer answer;
    enum outcome outcome = lock_noted(
        lock, memcached_request(lock->connection, &answer, "delete %s", lock->options.name));
    if (outcome != OUTCOME_OK)
        return RELEASE_UNKNOWN;
    return strcmp(answer.word, "DELETED") == 0 ? RELEASE_UNCHECKED : RELEASE_GONE;
}

// gets L; if it is ours, md L C<cas>: deleted only if nobody has written it since.
static enum release_answer release_checked(struct lock *lock)
{
    struct memcached_answer answer;
    enum outcome outcome = lock_noted(
        lock, memcached_request(lock->connection, &answer, "gets %s", lock->options.name));
    if (outcome != OUTCOME_OK)
        return RELEASE_UNKNOWN;
    if (strcmp(answer.word, "VALUE") != 0)
        return RELEASE_GONE;
    if (strcmp(answer.value, lock->token) != 0)
        return RELEASE_NOT_OWNER;
    outcome = lock_noted(lock, memcached_request(lock->connection, &answer, "md %s C%" PRIu64,
                                                 lock->options.name, answer.cas));
    if (outcome != OUTCOME_OK)
        return RELEASE_UNKNOWN;
    if (strcmp(answer.word, "HD") == 0)
        return RELEASE_RELEASED;
    return strcmp(answer.word, "EX") == 0 ? RELEASE_NOT_OWNER : RELEASE_GONE;
}

// gets L; if it is ours, cas L 0 lease <cas> token: STORED only if nobody has written it since.
static enum outcome renew(struct renewal *renewal)
{
    struct memcached_answer answer;
    const struct lock *lock = renewal->lock;
    struct memcached_connection *connection = lock->client->connection;
    enum outcome outcome = memcached_request(connection, &answer, "gets %s", lock->options.name);
    if (outcome != OUTCOME_OK)
        return outcome;
    if (strcmp(answer.word, "VALUE") != 0 || strcmp(answer.value, lock->token) != 0)
        return OUTCOME_NO;
    outcome = memcached_request(connection, &answer, "cas %s 0 %lld %d %" PRIu64 "\r\n%s",
                                lock->options.name, expiry_s(lock), TOKEN_DIGITS, answer.cas,
                                lock->token);
    return outcome == OUTCOME_OK && strcmp(answer.word, "STORED") != 0 ? OUTCOME_NO : outcome;
}

const struct lock_scheme memcached_add_scheme = {
    .name = "memcached-add",
    .summary = "add with an expiry; a plain delete releases",
    .breaks = "eviction, restart; the delete of one whose lease is over removes another's",
    .traits = LOCK_TRAITS("memcached", "exclusive", "lease"),
    .server = "memcached",
    .connector = &memcached_connector,
    .try_acquire = try_acquire,
    .recover = release_checked,
    .release = release_unchecked,
};

const struct lock_scheme memcached_add_cas_scheme = {
    .name = "memcached-add-cas",
    .summary = "add with a token and an expiry; gets, then md C<cas> releases",
    .breaks = "eviction, restart; a hold longer than the lease",
    .traits = LOCK_TRAITS("memcached", "exclusive", "lease", "owner-checked"),
    .server = "memcached",
    .connector = &memcached_connector,
    .try_acquire = try_acquire,
    .recover = release_checked,
    .release = release_checked,
};

const struct lock_scheme memcached_watchdog_scheme = {
    .name = "memcached-watchdog",
    .summary = "memcached-add-cas, whose watchdog renews the lease by cas at lease/3",
    .breaks = "eviction, restart; a pause of the whole process beyond the lease",
    .traits = LOCK_TRAITS("memcached", "exclusive", "lease", "owner-checked", "renewed"),
    .server = "memcached",
    .connector = &memcached_connector,
    .renewal = &(const struct watchdog_settings){.renew = renew},
    .try_acquire = try_acquire,
    .recover = release_checked,
    .release = release_checked,
};
