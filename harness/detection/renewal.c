// Mistakes in the renewal of a lease, and in entering a lock again.
#include "harness/detection/variants.h"
#include "harness/locks/redisson_common.h"

// --- the lease -----------------------------------------------------------------------------------

const struct lock_scheme never_renewed_mistake = {
    .name = "broken-watchdog-never-renews",
    .summary = "no watchdog renews a hold",
    .breaks = "work that is longer than the lease",
    .renewal = &no_renewal,
};

// A watchdog of its own, which no release stops.
struct restless {
    struct redis_connection *connection;
    struct watchdog *watchdog;
};

// The key, whoever's it is by now: and so it never learns that there is nothing left to renew.
static enum outcome renew_unchecked(struct renewal *renewal)
{
    const struct restless *state = renewal->lock->client->state;
    struct redis_answer answer = {.integer = 0};
    enum outcome outcome = redis_request(state->connection, &answer, "PEXPIRE %s %lld",
                                         renewal->lock->options.name, lease_ms(renewal->lock));
    bool is_renewed = outcome == OUTCOME_OK && answer.integer == 1;
    return is_renewed || outcome == OUTCOME_BROKEN ? outcome : OUTCOME_UNKNOWN;
}

static int open_restless(struct lock_client *client, struct error *error)
{
    static const struct watchdog_settings unchecked = {.never_gives_up = true,
                                                       .renew = renew_unchecked};
    struct restless *state = client->state;
    state->watchdog = watchdog_start(client, &unchecked, error);
    if (state->watchdog == NULL)
        return -1;
    state->connection = redis_open(client->service, client->options.request_ns,
                                   watchdog_actor(state->watchdog), error);
    return state->connection != NULL ? 0 : -1;
}

static void close_restless(struct lock_client *client)
{
    const struct restless *state = client->state;
    watchdog_stop(state->watchdog);
    redis_close(state->connection);
    watchdog_free(state->watchdog);
}

static void close_watched(struct lock *lock)
{
    const struct restless *client = lock->client->state;
    watchdog_remove(client->watchdog, lock);
}

static enum outcome acquire_renewed(struct lock *lock, struct grant *grant)
{
    const struct restless *client = lock->client->state;
    enum outcome outcome = redis_set_token(lock, grant);
    if (outcome != OUTCOME_OK)
        return outcome;
    watchdog_remove(client->watchdog, lock);
    watchdog_add(client->watchdog, lock, grant->valid_until_ns);
    return OUTCOME_OK;
}

const struct lock_scheme renews_anybodys_mistake = {
    .name = "broken-watchdog-renews-anybodys",
    .summary = "the watchdog renews the key without looking whose it is, from a hold to the next",
    .breaks = "the crash of a holder: the watchdogs of the others keep its lock alive",
    .client_bytes = sizeof(struct restless),
    .open_client = open_restless,
    .close_client = close_restless,
    .close = close_watched,
    .renewal = &no_renewal,
    .try_acquire = acquire_renewed,
};

// --- entering again ------------------------------------------------------------------------------

static enum release_answer leave_for_good(struct lock *lock)
{
    watchdog_remove(lock->client->watchdog, lock);
    return redis_release_checked(lock);
}

const struct lock_scheme leave_frees_mistake = {
    .name = "broken-watchdog-leave-frees",
    .summary = "leaving an inner hold frees the lock",
    .breaks = "entering it again",
    .leave = leave_for_good,
};

// --- renewals of a fenced lock -------------------------------------------------------------------

// Whatever the server said, or did not say.
static void renew_hopefully(struct renewal *renewals, size_t count)
{
    redisson_renew(renewals, count);
    for (size_t i = 0; i < count; i++) {
        if (renewals[i].outcome != OUTCOME_BROKEN)
            renewals[i].outcome = OUTCOME_OK;
    }
}

const struct lock_scheme renewal_failure_ignored_mistake = {
    .name = "broken-redisson-renewal-failure-ignored",
    .summary = "a renewal that failed counts as done",
    .breaks = "a connection that is cut for longer than the lease",
    .renewal = &(const struct watchdog_settings){.never_gives_up = true,
                                                 .renew_batch = renew_hopefully,
                                                 .batch = 1},
};
