#include "harness/drive/client.h"

#include "harness/base/text.h"
#include "harness/cluster/process.h"
#include "harness/drive/worker.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

// Enough for a request with its buffers; thousands of workers must fit.
#define WORKER_STACK_BYTES (256 * 1024)

static void *run_worker(void *worker)
{
    worker_run(worker);
    return NULL;
}

static void run_workers(const struct stage *stage, struct lock_client *client, int number)
{
    size_t count = (size_t)stage->trial->scenario->clients.threads;
    struct worker *workers = memory_zeroed(count, sizeof *workers);
    pthread_t *threads = memory_zeroed(count, sizeof *threads);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, WORKER_STACK_BYTES);
    size_t started = 0;
    for (; started < count; started++) {
        worker_prepare(&workers[started], stage, client, number, (int)started + 1);
        int reason = pthread_create(&threads[started], &attributes, run_worker, &workers[started]);
        if (reason != 0) {
            stage_break(stage, "client-%d could not start worker %zu of %zu: %s", number,
                        started + 1, count, strerror(reason));
            break;
        }
    }
    for (size_t i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    pthread_attr_destroy(&attributes);
    free(threads);
    free(workers);
}

static void be_client(const struct stage *stage, const struct node *node, int number, pid_t parent)
{
    prctl(PR_SET_NAME, node->name);
    if (process_settle(parent, node->end.network_namespace, node->processor) != 0) {
        stage_break(stage, "%s could not settle on its node: %s", node->name, strerror(errno));
        _exit(1);
    }
    struct history_writer writer;
    history_writer_start(&writer, &stage->history, number, 0);
    history_append(
        &writer, (struct event){.kind = EVENT_PROCESS_START, .args = {getpid(), node->processor}});
    struct lock_client client = {.scheme = stage->scheme,
                                 .options = stage_lock_options(stage),
                                 .service =
                                     stage->scheme->server != NULL ? &stage->lock_service : NULL,
                                 .number = number,
                                 .seed = stage->trial->seed,
                                 .clock = stage_client_clock(stage, number),
                                 .board = &stage->control->board,
                                 .history = &stage->history,
                                 .stop = &stage->control->stop};
    struct error error = {0};
    if (stage->scheme->open_client != NULL && stage->scheme->open_client(&client, &error) != 0) {
        stage_break(stage, "%s: %s", node->name, error.text);
        _exit(1);
    }
    run_workers(stage, &client, number);
    if (stage->scheme->close_client != NULL)
        stage->scheme->close_client(&client);
}

// A child must not flush what the conductor had buffered, nor run its exit handlers.
static pid_t fork_child(struct error *error)
{
    fflush(NULL);
    pid_t id = fork();
    return id < 0 ? error_set(error, "cannot fork a client: %s", strerror(errno)) : id;
}

pid_t client_start(const struct stage *stage, const struct node *node, int number,
                   struct error *error)
{
    pid_t parent = getpid();
    pid_t id = fork_child(error);
    if (id == 0) {
        be_client(stage, node, number, parent);
        _exit(0);
    }
    return id;
}

// How far CLOCK_REALTIME is ahead of CLOCK_MONOTONIC; `before_ns` if the reading was disturbed.
// Both are slewed alike, so the difference moves only when somebody sets the clock.
static int64_t realtime_offset_ns(int64_t before_ns)
{
    int64_t from_ns = clock_monotonic_ns();
    int64_t realtime_ns = clock_realtime_ns();
    int64_t to_ns = clock_monotonic_ns();
    return to_ns - from_ns > NS_PER_MS / 10 ? before_ns : realtime_ns - from_ns;
}

static void be_observer(const struct stage *stage, pid_t parent)
{
    prctl(PR_SET_NAME, "observer");
    process_settle(parent, -1, -1);
    struct history_writer writer;
    history_writer_start(&writer, &stage->history, 0, 1);
    int64_t offset_ns = realtime_offset_ns(clock_realtime_ns() - clock_monotonic_ns());
    for (int64_t due_ns = clock_monotonic_ns() + NS_PER_MS;; due_ns += NS_PER_MS) {
        clock_sleep_until_ns(due_ns);
        int64_t step_ns = realtime_offset_ns(offset_ns) - offset_ns;
        if (step_ns > NS_PER_MS || step_ns < -NS_PER_MS) {
            history_append(&writer, (struct event){.kind = EVENT_CLOCK_STEP, .args = {step_ns}});
            offset_ns += step_ns;
        }
        int64_t late_ns = clock_monotonic_ns() - due_ns;
        if (late_ns > STALL_NS) {
            history_append(&writer, (struct event){.kind = EVENT_STALL, .args = {late_ns}});
            due_ns += late_ns;
        }
    }
}

pid_t observer_start(const struct stage *stage, struct error *error)
{
    pid_t parent = getpid();
    pid_t id = fork_child(error);
    if (id == 0) {
        be_observer(stage, parent);
        _exit(0);
    }
    return id;
}
