// A mutex of the client process: right for the threads of one instance, useless across instances.
#include "harness/locks/catalogue.h"

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

// Sleeps in the mutex's own queue, looking up now and then whether the trial goes on.
static enum outcome acquire(struct lock *lock, struct grant *grant, int64_t give_up_ns)
{
    grant->attempts = 1;
    for (;;) {
        int64_t look_ns = clock_monotonic_ns() + LOOK_UP_EVERY_NS;
        int64_t end_ns = give_up_ns - lock->actor->clock.offset_ns;
        int64_t until_ns = end_ns < look_ns ? end_ns : look_ns;
        struct timespec until = {.tv_sec = (time_t)(until_ns / NS_PER_S),
                                 .tv_nsec = (long)(until_ns % NS_PER_S)};
        if (pthread_mutex_clocklock(lock->client->state, CLOCK_MONOTONIC, &until) == 0)
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
