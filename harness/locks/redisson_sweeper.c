#include "harness/locks/redisson_sweeper.h"

#include "harness/base/text.h"
#include "harness/wire/redis.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define MOST_KEYS 1000

struct redisson_sweeper {
    struct actor actor;
    struct history_writer writer;
    struct redis_connection *connection;
    pthread_t thread;
    bool is_started;
    pthread_mutex_t mutex; // guards what follows
    pthread_cond_t changed;
    char *keys[MOST_KEYS]; // a ring
    size_t first, count;
    bool stopping;
};

// False if the server did not answer.
static bool delete_first(struct redisson_sweeper *sweeper)
{
    struct redis_answer answer;
    char *key = sweeper->keys[sweeper->first];
    sweeper->first = (sweeper->first + 1) % MOST_KEYS;
    sweeper->count--;
    pthread_mutex_unlock(&sweeper->mutex);
    enum outcome outcome = redis_request(sweeper->connection, &answer, "DEL %s", key);
    free(key);
    pthread_mutex_lock(&sweeper->mutex);
    return outcome == OUTCOME_OK;
}

static void *sweep(void *context)
{
    struct redisson_sweeper *sweeper = context;
    bool answers = true;
    pthread_mutex_lock(&sweeper->mutex);
    while (!sweeper->stopping || (sweeper->count > 0 && answers)) {
        if (sweeper->count == 0)
            pthread_cond_wait(&sweeper->changed, &sweeper->mutex);
        else
            answers = delete_first(sweeper);
    }
    pthread_mutex_unlock(&sweeper->mutex);
    return NULL;
}

static int start(struct redisson_sweeper *sweeper, struct lock_client *client, struct error *error)
{
    sweeper->connection =
        redis_open(client->service, client->options.request_ns, &sweeper->actor, error);
    if (sweeper->connection == NULL)
        return -1;
    int reason = pthread_create(&sweeper->thread, NULL, sweep, sweeper);
    if (reason != 0)
        return error_set(error, "cannot start the thread that deletes latches: %s",
                         strerror(reason));
    sweeper->is_started = true;
    return 0;
}

struct redisson_sweeper *redisson_sweeper_start(struct lock_client *client, struct error *error)
{
    struct redisson_sweeper *sweeper = memory_zeroed(1, sizeof *sweeper);
    sweeper->actor = (struct actor){.client = client->number,
                                    .phase = PHASE_RELEASE,
                                    .clock = client->clock,
                                    .board = client->history != NULL ? client->board : NULL,
                                    .history = &sweeper->writer};
    if (client->history != NULL)
        history_writer_start(&sweeper->writer, client->history, client->number, 0);
    pthread_mutex_init(&sweeper->mutex, NULL);
    pthread_cond_init(&sweeper->changed, NULL);
    if (start(sweeper, client, error) == 0)
        return sweeper;
    redisson_sweeper_stop(sweeper);
    return NULL;
}

void redisson_sweeper_delete(struct redisson_sweeper *sweeper, const char *key)
{
    pthread_mutex_lock(&sweeper->mutex);
    if (sweeper->count < MOST_KEYS)
        sweeper->keys[(sweeper->first + sweeper->count++) % MOST_KEYS] = memory_string(key);
    pthread_mutex_unlock(&sweeper->mutex);
    pthread_cond_signal(&sweeper->changed);
}

void redisson_sweeper_stop(struct redisson_sweeper *sweeper)
{
    if (sweeper == NULL)
        return;
    if (sweeper->is_started) {
        pthread_mutex_lock(&sweeper->mutex);
        sweeper->stopping = true;
        pthread_mutex_unlock(&sweeper->mutex);
        pthread_cond_signal(&sweeper->changed);
        pthread_join(sweeper->thread, NULL);
    }
    while (sweeper->count > 0)
        free(sweeper->keys[(sweeper->first + --sweeper->count) % MOST_KEYS]);
    redis_close(sweeper->connection);
    pthread_cond_destroy(&sweeper->changed);
    pthread_mutex_destroy(&sweeper->mutex);
    free(sweeper);
}
