// Mistakes in Redisson's semaphore: how many permits there are, and who is woken for one.
#include "harness/detection/variants.h"
#include "harness/locks/catalogue.h"
#include "harness/locks/redisson_common.h"

#include <stdio.h>

// All that is not said otherwise.
#define VARIANT_OF_SEMAPHORE                                                                       \
    .server = "redis", .topologies = redis_topologies, .clean_up = redisson_clean_up,              \
    .open_client = open_client, .close_client = redisson_client_close,                             \
    .close = redisson_lock_close, .traits = (const char *const[])                                  \
    {                                                                                              \
        "redis", "exclusive", "permits", NULL                                                      \
    }

static int set_up(const struct service *service, const struct lock_options *options,
                  struct error *error)
{
    return redisson_semaphore_scheme.set_up(service, options, error);
}

static int open_client(struct lock_client *client, struct error *error)
{
    return redisson_semaphore_scheme.open_client(client, error);
}

static int open_lock(struct lock *lock, struct error *error)
{
    return redisson_semaphore_scheme.open(lock, error);
}

static enum release_answer release(struct lock *lock)
{
    return redisson_semaphore_scheme.release(lock);
}

// --- permits -------------------------------------------------------------------------------------

static int set_up_one_more(const struct service *service, const struct lock_options *options,
                           struct error *error)
{
    struct lock_options more = *options;
    more.permits++;
    return set_up(service, &more, error);
}

const struct lock_scheme one_permit_more_variant = {
    .name = "broken-semaphore-one-permit-more",
    .summary = "it has one permit more than it is said to have",
    .breaks = "plain contention",
    VARIANT_OF_SEMAPHORE,
    .set_up = set_up_one_more,
    .open = open_lock,
    .acquire = redisson_acquire,
    .release = release,
};

static enum release_answer release_until_answered(struct lock *lock)
{
    enum release_answer answer = RELEASE_UNKNOWN;
    for (int tries = 0; answer == RELEASE_UNKNOWN && tries < 10; tries++)
        answer = release(lock);
    return answer;
}

const struct lock_scheme permit_released_twice_variant = {
    .name = "broken-semaphore-permit-released-twice",
    .summary = "a release that was not answered is done again",
    .breaks = "a lost answer: if the first one was executed, there is a permit too many",
    VARIANT_OF_SEMAPHORE,
    .set_up = set_up,
    .open = open_lock,
    .acquire = redisson_acquire,
    .release = release_until_answered,
};

// --- waking --------------------------------------------------------------------------------------

// The check comes before the subscription, and nothing is checked after it.
static enum outcome check_then_subscribe(struct lock *lock, struct grant *grant, int64_t give_up_ns)
{
    enum outcome outcome = redisson_acquire(lock, grant, 0); // does not wait
    while (outcome == OUTCOME_NO && !lock_must_give_up(lock, give_up_ns)) {
        struct redis_subscription *subscription =
            redis_subscribe(redisson_client_of(lock)->subscriber, lock->actor,
                            redisson_of(lock)->channel, give_up_ns, lock->stop);
        if (subscription == NULL)
            return OUTCOME_NO;
        if (redis_subscription_wait(subscription, lock->actor, give_up_ns, lock->stop))
            outcome = redisson_acquire(lock, grant, 0);
        redis_unsubscribe(subscription, lock->actor);
    }
    return outcome;
}

const struct lock_scheme subscribed_too_late_variant = {
    .name = "broken-semaphore-subscribed-too-late",
    .summary = "who finds no permit subscribes, and waits for a message without looking again",
    .breaks = "a release between the look and the subscription: its message is lost",
    VARIANT_OF_SEMAPHORE,
    .set_up = set_up,
    .open = open_lock,
    .acquire = check_then_subscribe,
    .release = release,
};

// Listens to the channel of the locks, which has another name than that of the semaphores.
static int open_elsewhere(struct lock *lock, struct error *error)
{
    if (open_lock(lock, error) != 0)
        return -1;
    redisson_prefixed(redisson_of(lock)->channel, "redisson_lock__channel", lock->options.name);
    return 0;
}

// Publishes where nobody listens.
static enum release_answer release_to_others(struct lock *lock)
{
    struct redisson_lock *state = redisson_of(lock);
    char channel[REDISSON_NAME];
    snprintf(channel, sizeof channel, "%s", state->channel);
    redisson_prefixed(state->channel, "redisson_sc", lock->options.name);
    enum release_answer answer = release(lock);
    snprintf(state->channel, sizeof state->channel, "%s", channel);
    return answer;
}

const struct lock_scheme wrong_waiter_woken_variant = {
    .name = "broken-semaphore-wrong-waiter-woken",
    .summary = "a release wakes the listeners of another channel than that of the waiters",
    .breaks = "plain contention: those who wait are never woken",
    VARIANT_OF_SEMAPHORE,
    .set_up = set_up,
    .open = open_elsewhere,
    .acquire = redisson_acquire,
    .release = release_to_others,
};
