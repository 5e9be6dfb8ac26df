// Mistakes in Redisson's semaphore: how many permits there are, and who is woken for one.
#include "harness/detection/variants.h"
#include "harness/locks/redisson_common.h"

#include <stdio.h>

#define TRAITS LOCK_TRAITS("redis", "exclusive", "permits")

// --- permits -------------------------------------------------------------------------------------

static int set_up_one_more(const struct service *service, const struct lock_options *options,
                           struct error *error)
{
    struct lock_options more = *options;
    more.permits++;
    return redisson_semaphore_scheme.set_up(service, &more, error);
}

const struct lock_scheme one_permit_more_mistake = {
    .name = "broken-semaphore-one-permit-more",
    .summary = "it has one permit more than it is said to have",
    .breaks = "plain contention",
    .traits = TRAITS,
    .set_up = set_up_one_more,
};

static enum release_answer release_until_answered(struct lock *lock)
{
    enum release_answer answer = RELEASE_UNKNOWN;
    for (int tries = 0; answer == RELEASE_UNKNOWN && tries < 10; tries++)
        answer = redisson_release(lock);
    return answer;
}

const struct lock_scheme permit_released_twice_mistake = {
    .name = "broken-semaphore-permit-released-twice",
    .summary = "a release that was not answered is done again",
    .breaks = "a lost answer: if the first one was executed, there is a permit too many",
    .traits = TRAITS,
    .release = release_until_answered,
};

// --- waking --------------------------------------------------------------------------------------

// The check comes before the subscription, and nothing is checked after it.
static bool wait_without_looking(struct lock *lock)
{
    struct redis_subscription *subscription =
        redis_subscribe(redisson_client_of(lock)->subscriber, lock->actor,
                        redisson_of(lock)->words[WORD_OWN_CHANNEL], lock->give_up_ns, lock->stop);
    if (subscription == NULL)
        return false;
    bool is_woken =
        redis_subscription_wait(subscription, lock->actor, lock->give_up_ns, lock->stop);
    redis_unsubscribe(subscription, lock->actor);
    return is_woken;
}

const struct lock_scheme subscribed_too_late_mistake = {
    .name = "broken-semaphore-subscribed-too-late",
    .summary = "who finds no permit subscribes, and waits for a message without looking again",
    .breaks = "a release between the look and the subscription: its message is lost",
    .traits = TRAITS,
    .wait = wait_without_looking,
};

// Listens to the channel of the locks, which has another name than that of the semaphores: a
// release publishes where nobody listens.
static int open_elsewhere(struct lock *lock, struct error *error)
{
    int result = redisson_lock_open(lock, error);
    snprintf(redisson_of(lock)->words[WORD_OWN_CHANNEL], REDISSON_NAME,
             "redisson_lock__channel:%.200s", redisson_of(lock)->words[WORD_TAGGED]);
    return result;
}

const struct lock_scheme wrong_waiter_woken_mistake = {
    .name = "broken-semaphore-wrong-waiter-woken",
    .summary = "a release wakes the listeners of another channel than that of the waiters",
    .breaks = "plain contention: those who wait are never woken",
    .traits = TRAITS,
    .open = open_elsewhere,
};
