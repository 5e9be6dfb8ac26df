// A watchdog as it is often written: every 300 ms it looks how long the key has to live, and if
// that is less than a second it gives it 5 seconds, whoever's key it is by now. So it revives a
// stranger's lock, and goes on doing so. The first lease is the one that was asked for.
#include "harness/locks/redis_renewal.h"

#define LOOKS_EVERY_NS (300 * NS_PER_MS)
#define RENEWED_S 5

// TTL L; if less than 1, EXPIRE L 5.
static enum outcome renew(struct redis_renewal *renewal, const char *token, int64_t *valid_until_ns)
{
    (void)token; // the flaw
    const char *name = renewal->client->options.name;
    struct redis_answer answer;
    enum outcome outcome = redis_request(renewal->connection, &answer, "TTL %s", name);
    if (outcome != OUTCOME_OK)
        return outcome == OUTCOME_BROKEN ? OUTCOME_BROKEN : OUTCOME_UNKNOWN;
    if (answer.integer >= 1)
        return OUTCOME_OK; // as valid as before
    int64_t ends_ns = redis_renewal_ends_ns(renewal, RENEWED_S * NS_PER_S);
    outcome = redis_request(renewal->connection, &answer, "EXPIRE %s %d", name, RENEWED_S);
    if (outcome != OUTCOME_OK)
        return outcome == OUTCOME_BROKEN ? OUTCOME_BROKEN : OUTCOME_UNKNOWN;
    *valid_until_ns = ends_ns;
    return answer.integer == 1 ? OUTCOME_OK : OUTCOME_NO;
}

static const struct redis_renewal_kind renewal = {
    .interval_ns = LOOKS_EVERY_NS,
    .never_gives_up = true,
    .renew = renew,
};

static int open_client(struct lock_client *client, struct error *error)
{
    return redis_renewal_open(client, &renewal, error);
}

static enum outcome try_acquire(struct lock *lock, struct grant *grant)
{
    const char *token = redis_new_token(lock);
    grant->valid_until_ns = lease_ends_ns(lock);
    enum outcome outcome = redis_set_if_absent(lock, token);
    // No answer: the lock may be ours. If it is, give it back, and it was certainly not held.
    if (outcome == OUTCOME_UNKNOWN)
        return redis_release_checked(lock) == RELEASE_RELEASED ? OUTCOME_NO : OUTCOME_UNKNOWN;
    if (outcome == OUTCOME_OK)
        redis_renewal_begin(lock, grant);
    return redis_outcome(lock, outcome);
}

static enum release_answer release(struct lock *lock)
{
    redis_renewal_end(lock);
    return redis_release_checked(lock);
}

const struct lock_scheme redis_watchdog_unchecked_scheme = {
    .name = "redis-watchdog-unchecked",
    .summary = "SET NX PX with a token; a watchdog that does not check the owner renews",
    .breaks = "who has lost the lock renews whoever's it is now, and keeps all others out",
    .traits =
        (const char *const[]){"redis", "exclusive", "lease", "owner-checked", "renewed", NULL},
    .server = "redis",
    .topologies = redis_topologies,
    .open_client = open_client,
    .close_client = redis_renewal_close,
    .open = redis_lock_open_checked,
    .close = redis_lock_close,
    .try_acquire = try_acquire,
    .release = release,
};
