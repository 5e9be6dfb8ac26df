// A mutex of the client process: right for the threads of one instance, useless across instances.
#include "harness/locks/lock.h"

#include "harness/base/text.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#define LOOK_UP_EVERY_NS (50 * NS_PER_MS)

static int open_client(struct lock_client *client, struct error *error)
{
    (void)error;
    pthread_mutex_t *mutex = memory_new(sizeof *mutex);
    pthread_mutex_init(mutex, NULL);
    client->state = mutex;
    return 0;
}

static void close_client(struct lock_client *client)
{
    pthread_mutex_destroy(client->state);
    free(client->state);
}

// Sleeps in the mutex's own queue, looking up now and then whether the trial goes on. (By the real
// clock for one look at a time, because the sanitizers do not know the monotonic variant.)
static enum outcome acquire(struct lock *lock, struct grant *grant, int64_t give_up_ns)
{
    grant->attempts = 1;
    for (;;) {
        int64_t left_ns = give_up_ns - clock_now_ns(&lock->actor->clock);
        int64_t wait_ns = left_ns < LOOK_UP_EVERY_NS ? left_ns : LOOK_UP_EVERY_NS;
        int64_t until_ns = clock_realtime_ns() + wait_ns;
        struct timespec until = {.tv_sec = (time_t)(until_ns / NS_PER_S),
                                 .tv_nsec = (long)(until_ns % NS_PER_S)};
        if (pthread_mutex_timedlock(lock->client->state, &until) == 0)
            return OUTCOME_OK;
        if (lock_must_give_up(lock, give_up_ns))
            return OUTCOME_NO;
    }
}

static enum release_answer release(struct lock *lock)
{
    pthread_mutex_unlock(lock->client->state);
    return RELEASE_RELEASED;
}

static const char *const traits[] = {"local", NULL};

const struct lock_scheme process_mutex_scheme = {
    .name = "process-mutex",
    .summary = "a mutex inside each client process",
    .breaks = "a second process: it excludes only the threads of its own",
    .traits = traits,
    .open_client = open_client,
    .close_client = close_client,
    .acquire = acquire,
    .release = release,
};
