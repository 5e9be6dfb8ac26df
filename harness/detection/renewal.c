// Mistakes in the renewal of a lease, and in entering a lock again.
#include "harness/detection/redis_variants.h"
#include "harness/locks/redisson_common.h"

// All that is not said otherwise in a variant of redis-watchdog.
#define VARIANT_OF_WATCHDOG                                                                        \
    .kind = redis_checked, .try_acquire = redis_set_token, .recover = redis_release_checked,       \
    .release = redis_release_checked, .reenter = reenter,                                          \
    .traits = LOCK_TRAITS("redis", "exclusive", "lease", "owner-checked", "renewed", "reentrant")

static enum outcome reenter(struct lock *lock, struct grant *grant)
{
    return redis_watchdog_scheme.reenter(lock, grant);
}

static enum release_answer leave(struct lock *lock)
{
    return redis_watchdog_scheme.leave(lock);
}

// --- the lease -----------------------------------------------------------------------------------

const struct lock_scheme never_renewed_variant = {
    .name = "broken-watchdog-never-renews",
    .summary = "no watchdog renews a hold",
    .breaks = "work that is longer than the lease",
    REDIS_SCHEME,
    VARIANT_OF_WATCHDOG,
    .leave = leave,
};

// A watchdog of its own, which no release stops.
struct restless {
    struct redis_client redis; // first, so that it is closed as one
    struct watchdog *watchdog;
};

// The key, whoever's it is by now: and so it never learns that there is nothing left to renew.
static void renew_unchecked(struct lock_client *client, struct actor *actor,
                            struct renewal *renewal, size_t count)
{
    const struct restless *state = client->state;
    struct redis_answer answer = {.integer = 0};
    (void)count;
    int64_t ends_ns = clock_now_ns(&actor->clock) + client->options.lease_ns;
    renewal->outcome = redis_request(state->redis.connection, &answer, "PEXPIRE %s %lld",
                                     client->options.name, lease_ms(renewal->lock));
    if (renewal->outcome == OUTCOME_OK && answer.integer == 1)
        renewal->valid_until_ns = ends_ns;
    else if (renewal->outcome != OUTCOME_BROKEN)
        renewal->outcome = OUTCOME_UNKNOWN;
}

static int open_restless(struct lock_client *client, struct error *error)
{
    static const struct watchdog_settings unchecked = {.never_gives_up = true,
                                                       .renew = renew_unchecked};
    struct restless *state = client->state;
    state->watchdog = watchdog_start(client, &unchecked, error);
    if (state->watchdog == NULL)
        return -1;
    state->redis.connection = redis_open(client->service, client->options.request_ns,
                                         watchdog_actor(state->watchdog), error);
    return state->redis.connection != NULL ? 0 : -1;
}

static void close_restless(struct lock_client *client)
{
    const struct restless *state = client->state;
    watchdog_stop(state->watchdog);
    redis_client_close(client);
    watchdog_free(state->watchdog);
}

static void close_watched(struct lock *lock)
{
    const struct restless *client = lock->client->state;
    watchdog_remove(client->watchdog, lock);
    redis_lock_close(lock);
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

const struct lock_scheme renews_anybodys_variant = {
    .name = "broken-watchdog-renews-anybodys",
    .summary = "the watchdog renews the key without looking whose it is, from a hold to the next",
    .breaks = "the crash of a holder: the watchdogs of the others keep its lock alive",
    .traits = LOCK_TRAITS("redis", "exclusive", "lease", "owner-checked", "renewed", "reentrant"),
    .server = "redis",
    .topologies = redis_topologies,
    .client_bytes = sizeof(struct restless),
    .open_client = open_restless,
    .close_client = close_restless,
    .lock_bytes = sizeof(struct redis_lock),
    .open = redis_lock_open,
    .close = close_watched,
    .kind = redis_checked,
    .try_acquire = acquire_renewed,
    .recover = redis_release_checked,
    .release = redis_release_checked,
    .reenter = reenter,
    .leave = leave,
};

// --- entering again ------------------------------------------------------------------------------

static void renew_soundly(struct lock_client *client, struct actor *actor, struct renewal *renewals,
                          size_t count)
{
    redis_watchdog_scheme.renewal->renew(client, actor, renewals, count);
}

static enum release_answer leave_for_good(struct lock *lock)
{
    watchdog_remove(lock->client->watchdog, lock);
    return redis_release_checked(lock);
}

const struct lock_scheme leave_frees_variant = {
    .name = "broken-watchdog-leave-frees",
    .summary = "leaving an inner hold frees the lock",
    .breaks = "entering it again",
    REDIS_RENEWED_SCHEME,
    VARIANT_OF_WATCHDOG,
    .open_client = redis_client_open,
    .renewal = &(const struct watchdog_settings){.renew = renew_soundly},
    .leave = leave_for_good,
};

// --- renewals of a fenced lock -------------------------------------------------------------------

// Whatever the server said, or did not say.
static void renew_hopefully(struct lock_client *client, struct actor *actor,
                            struct renewal *renewals, size_t count)
{
    int64_t asked_ns = clock_now_ns(&actor->clock);
    redisson_renew(client, actor, renewals, count);
    for (size_t i = 0; i < count; i++) {
        if (renewals[i].outcome == OUTCOME_BROKEN)
            continue;
        renewals[i].outcome = OUTCOME_OK;
        renewals[i].valid_until_ns = asked_ns + client->options.lease_ns;
    }
}

const struct lock_scheme renewal_failure_ignored_variant = {
    .name = "broken-redisson-renewal-failure-ignored",
    .summary = "a renewal that failed counts as done",
    .breaks = "a connection that is cut for longer than the lease",
    .traits = LOCK_TRAITS("redis", "exclusive", "lease", "owner-checked", "fenced", "renewed",
                          "reentrant"),
    REDISSON_HANDLES(&redisson_fenced),
    REDISSON_WAITS,
    .release = redisson_release,
    .reenter = redisson_reenter,
    .leave = redisson_leave,
    .renewal = &(const struct watchdog_settings){.never_gives_up = true, .renew = renew_hopefully},
};
