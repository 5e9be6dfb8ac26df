// A mutex of the client process: right for the threads of one instance, useless across instances.
#include "harness/locks/lock.h"

#include <pthread.h>
#include <time.h>

#define LOOK_UP_EVERY_NS (50 * NS_PER_MS)

static int open_client(struct lock_client *client, struct error *error)
{
    (void)error;
    return pthread_mutex_init(client->state, NULL);
}

static void close_client(struct lock_client *client)
{
    pthread_mutex_destroy(client->state);
}

// Sleeps in the mutex's own queue, looking up now and then whether the trial goes on. (By the real
// clock for one look at a time, because the sanitizers do not know the monotonic variant.)
static enum outcome try_acquire(struct lock *lock, struct grant *grant)
{
    (void)grant;
    for (;;) {
        int64_t left_ns = lock->give_up_ns - clock_now_ns(&lock->actor->clock);
        int64_t until_ns = clock_realtime_ns() + time_earlier(left_ns, LOOK_UP_EVERY_NS);
        struct timespec until = {.tv_sec = (time_t)(until_ns / NS_PER_S),
                                 .tv_nsec = (long)(until_ns % NS_PER_S)};
        if (pthread_mutex_timedlock(lock->client->state, &until) == 0)
            return OUTCOME_OK;
        if (lock_must_give_up(lock))
            return OUTCOME_NO;
    }
}

static enum release_answer release(struct lock *lock)
{
    pthread_mutex_unlock(lock->client->state);
    return RELEASE_RELEASED;
}

const struct lock_scheme process_mutex_scheme = {
    .name = "process-mutex",
    .summary = "a mutex inside each client process",
    .breaks = "a second process: it excludes only the threads of its own",
    .traits = LOCK_TRAITS("local"),
    .client_bytes = sizeof(pthread_mutex_t),
    .open_client = open_client,
    .close_client = close_client,
    .try_acquire = try_acquire,
    .release = release,
};
