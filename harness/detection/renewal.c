// Mistakes in the renewal of a lease, and in entering a lock again.
#include "harness/detection/redis_variants.h"
#include "harness/locks/redis_renewal.h"
#include "harness/locks/redisson_common.h"

// All that is not said otherwise in a variant of redis-watchdog.
#define VARIANT_OF_WATCHDOG                                                                        \
    .server = "redis", .topologies = redis_topologies, .close_client = redis_renewal_close,        \
    .open = open_lock, .close = redis_lock_close, .reenter = reenter,                              \
    .traits = (const char *const[])                                                                \
    {                                                                                              \
        "redis", "exclusive", "lease", "owner-checked", "renewed", "reentrant", NULL               \
    }

static int open_sound_client(struct lock_client *client, struct error *error)
{
    return redis_watchdog_scheme.open_client(client, error);
}

static int open_lock(struct lock *lock, struct error *error)
{
    return redis_watchdog_scheme.open(lock, error);
}

static enum outcome try_acquire(struct lock *lock, struct grant *grant)
{
    return redis_watchdog_scheme.try_acquire(lock, grant);
}

static enum release_answer release(struct lock *lock)
{
    return redis_watchdog_scheme.release(lock);
}

static enum outcome reenter(struct lock *lock, struct grant *grant)
{
    return redis_watchdog_scheme.reenter(lock, grant);
}

static enum release_answer leave(struct lock *lock)
{
    return redis_watchdog_scheme.leave(lock);
}

// --- the lease -----------------------------------------------------------------------------------

static enum outcome acquire_unwatched(struct lock *lock, struct grant *grant)
{
    enum outcome outcome = try_acquire(lock, grant);
    redis_renewal_end(lock);
    return outcome;
}

const struct lock_scheme never_renewed_variant = {
    .name = "broken-watchdog-never-renews",
    .summary = "the watchdog forgets a hold as soon as it has begun",
    .breaks = "work that is longer than the lease",
    VARIANT_OF_WATCHDOG,
    .open_client = open_sound_client,
    .try_acquire = acquire_unwatched,
    .release = release,
    .leave = leave,
};

// The key, whoever's it is by now: and so it never learns that there is nothing left to renew.
static enum outcome renew_unchecked(struct redis_renewal *renewal, const char *token,
                                    int64_t *valid_until_ns)
{
    (void)token; // the mistake
    const struct lock_options *options = &renewal->client->options;
    struct redis_answer answer = {.integer = 0};
    int64_t ends_ns = redis_renewal_ends_ns(renewal, options->lease_ns);
    enum outcome outcome = redis_request(renewal->connection, &answer, "PEXPIRE %s %lld",
                                         options->name, (long long)(options->lease_ns / NS_PER_MS));
    if (outcome == OUTCOME_OK && answer.integer == 1)
        *valid_until_ns = ends_ns;
    else if (outcome != OUTCOME_BROKEN)
        outcome = OUTCOME_UNKNOWN;
    return outcome;
}

static const struct redis_renewal_kind unchecked = {.never_gives_up = true,
                                                    .renew = renew_unchecked};

static int open_unchecked_client(struct lock_client *client, struct error *error)
{
    return redis_renewal_open(client, &unchecked, error);
}

static enum outcome acquire_renewed(struct lock *lock, struct grant *grant)
{
    enum outcome outcome = acquire_by(lock, grant, "SET %s %s NX PX %lld", lease_ms(lock));
    if (outcome == OUTCOME_OK) {
        redis_renewal_end(lock);
        redis_renewal_begin(lock, grant);
        redis_lock_of(lock)->depth = 1;
    }
    return outcome;
}

const struct lock_scheme renews_anybodys_variant = {
    .name = "broken-watchdog-renews-anybodys",
    .summary = "the watchdog renews the key without looking whose it is, from a hold to the next",
    .breaks = "the crash of a holder: the watchdogs of the others keep its lock alive",
    VARIANT_OF_WATCHDOG,
    .open_client = open_unchecked_client,
    .try_acquire = acquire_renewed,
    .release = redis_release_checked,
    .leave = leave,
};

// --- entering again ------------------------------------------------------------------------------

const struct lock_scheme leave_frees_variant = {
    .name = "broken-watchdog-leave-frees",
    .summary = "leaving an inner hold frees the lock",
    .breaks = "entering it again",
    VARIANT_OF_WATCHDOG,
    .open_client = open_sound_client,
    .try_acquire = try_acquire,
    .release = release,
    .leave = release,
};

// --- renewals of a fenced lock -------------------------------------------------------------------

typedef void renew_function(void *context, struct actor *actor, struct renewal *renewals,
                            size_t count);

// The sound client, with another watchdog.
static int open_client_renewing(struct lock_client *client, renew_function *renew,
                                struct error *error)
{
    if (redisson_fenced_scheme.open_client(client, error) != 0)
        return -1;
    struct redisson_client *state = client->state;
    const struct watchdog_settings settings = {.interval_ns = client->options.lease_ns / 3,
                                               .batch = 1,
                                               .never_gives_up = true,
                                               .renew = renew,
                                               .context = state};
    watchdog_stop(state->watchdog);
    redis_close(state->renewer);
    state->renewer = NULL;
    state->watchdog = watchdog_start(client, &settings, error);
    if (state->watchdog != NULL)
        state->renewer = redis_open(client->service, client->options.request_ns,
                                    watchdog_actor(state->watchdog), error);
    if (state->renewer != NULL &&
        redis_script_load(state->renewer, &redisson_renewal_script, error) == 0)
        return 0;
    redisson_client_close(client);
    return -1;
}

static int open_fenced_lock(struct lock *lock, struct error *error)
{
    return redisson_fenced_scheme.open(lock, error);
}

#define VARIANT_OF_FENCED                                                                          \
    .server = "redis", .topologies = redis_topologies, .clean_up = redisson_clean_up,              \
    .close_client = redisson_client_close, .open = open_fenced_lock, .close = redisson_lock_close, \
    .acquire = redisson_acquire, .release = redisson_release, .reenter = redisson_reenter,         \
    .leave = redisson_leave, .traits = (const char *const[])                                       \
    {                                                                                              \
        "redis", "exclusive", "lease", "owner-checked", "fenced", "renewed", "reentrant", NULL     \
    }

// Whatever the server said, or did not say.
static void renew_hopefully(void *context, struct actor *actor, struct renewal *renewals,
                            size_t count)
{
    int64_t asked_ns = clock_now_ns(&actor->clock);
    redisson_renew(context, actor, renewals, count);
    for (size_t i = 0; i < count; i++) {
        if (renewals[i].outcome == OUTCOME_BROKEN)
            continue;
        renewals[i].outcome = OUTCOME_OK;
        renewals[i].valid_until_ns = asked_ns + renewals[i].lock->options.lease_ns;
    }
}

static int open_hopeful_client(struct lock_client *client, struct error *error)
{
    return open_client_renewing(client, renew_hopefully, error);
}

const struct lock_scheme renewal_failure_ignored_variant = {
    .name = "broken-redisson-renewal-failure-ignored",
    .summary = "a renewal that failed counts as done",
    .breaks = "a connection that is cut for longer than the lease",
    VARIANT_OF_FENCED,
    .open_client = open_hopeful_client,
};
