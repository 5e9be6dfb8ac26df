// A mutex of the client process: right for the threads of one instance, useless across instances.
#include "harness/locks/catalogue.h"

#include "harness/base/text.h"

#include <pthread.h>
#include <stdlib.h>

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

static enum outcome try_acquire(struct lock *lock, struct grant *grant)
{
    grant->valid_until_ns = TIME_NEVER;
    return pthread_mutex_trylock(lock->client->state) == 0 ? OUTCOME_OK : OUTCOME_NO;
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
    .try_acquire = try_acquire,
    .release = release,
};
