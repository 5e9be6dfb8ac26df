// SET NX PX with a token, renewed at a third of the lease while the holder works: a script compares
// the token and sets the expiry anew. The same holder may lock again: that is counted in the
// client.
#include "harness/locks/redis_renewal.h"

#include <stdio.h>

static const struct redis_script renew_script = {"if redis.call('GET', KEYS[1]) == ARGV[1] then "
                                                 "return redis.call('PEXPIRE', KEYS[1], ARGV[2]) "
                                                 "else return 0 end"};

// The script: 1 renewed, 0 another's or nobody's.
static enum outcome renew(struct redis_renewal *renewal, const char *token, int64_t *valid_until_ns)
{
    const struct lock_options *options = &renewal->client->options;
    char lease[24];
    snprintf(lease, sizeof lease, "%lld", (long long)(options->lease_ns / NS_PER_MS));
    const char *const keys[] = {options->name, NULL};
    const char *const arguments[] = {token, lease, NULL};
    struct redis_answer answer;
    int64_t ends_ns = redis_renewal_ends_ns(renewal, options->lease_ns);
    enum outcome outcome = redis_eval(renewal->connection, &answer, &renew_script, keys, arguments);
    // What was certainly not executed is not yet a loss: the next renewal may come in time.
    if (outcome != OUTCOME_OK)
        return outcome == OUTCOME_BROKEN ? OUTCOME_BROKEN : OUTCOME_UNKNOWN;
    *valid_until_ns = ends_ns;
    return answer.integer == 1 ? OUTCOME_OK : OUTCOME_NO;
}

static const struct redis_renewal_kind renewal = {.script = &renew_script, .renew = renew};

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
    if (outcome == OUTCOME_OK) {
        redis_lock_of(lock)->depth = 1;
        redis_renewal_begin(lock, grant);
    }
    return redis_outcome(lock, outcome);
}

static enum release_answer release(struct lock *lock)
{
    redis_renewal_end(lock);
    redis_lock_of(lock)->depth = 0;
    return redis_release_checked(lock);
}

// Nothing goes over the wire: who has lost the lock and has not been told does not notice.
static enum outcome reenter(struct lock *lock, struct grant *grant)
{
    (void)grant;
    enum outcome outcome = lock_still_held(lock);
    redis_lock_of(lock)->depth += outcome == OUTCOME_OK;
    return outcome;
}

static enum release_answer leave(struct lock *lock)
{
    redis_lock_of(lock)->depth--;
    return RELEASE_RELEASED;
}

const struct lock_scheme redis_watchdog_scheme = {
    .name = "redis-watchdog",
    .summary = "SET NX PX with a token; a watchdog that checks the owner renews at lease/3",
    .breaks = "a pause of the whole process beyond the lease; a failover",
    .traits = (const char *const[]){"redis", "exclusive", "lease", "owner-checked", "renewed",
                                    "reentrant", NULL},
    .server = "redis",
    .topologies = redis_topologies,
    .open_client = open_client,
    .close_client = redis_renewal_close,
    .open = redis_lock_open_checked,
    .close = redis_lock_close,
    .try_acquire = try_acquire,
    .release = release,
    .reenter = reenter,
    .leave = leave,
};
