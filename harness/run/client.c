#include "harness/run/client.h"

#include "harness/base/text.h"
#include "harness/cluster/process.h"
#include "harness/cluster/process_group.h"
#include "harness/run/fit.h"
#include "harness/run/usage.h"
#include "harness/run/worker.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

// Enough for a request with its buffers; thousands of workers must fit.
#define WORKER_STACK_BYTES (256 * 1024)

static void *run_worker(void *worker)
{
    worker_run(worker);
    return NULL;
}

// The first works in the calling thread: a process that has only one thread is quicker at every
// request, for neither the kernel nor the C library has to mind another.
static void run_workers(const struct stage *stage, struct lock_client *clients, int number)
{
    size_t count = (size_t)stage->trial->scenario->clients.threads;
    struct worker *workers = memory_zeroed(count, sizeof *workers);
    pthread_t *threads = memory_zeroed(count, sizeof *threads);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, WORKER_STACK_BYTES);
    size_t started = 1;
    worker_prepare(&workers[0], stage, clients, number, 1);
    for (; started < count; started++) {
        worker_prepare(&workers[started], stage, clients, number, (int)started + 1);
        int reason = pthread_create(&threads[started], &attributes, run_worker, &workers[started]);
        if (reason != 0) {
            stage_break(stage, "client-%d could not start worker %zu of %zu: %s", number,
                        started + 1, count, strerror(reason));
            break;
        }
    }
    worker_run(&workers[0]);
    for (size_t i = 1; i < started; i++)
        pthread_join(threads[i], NULL);
    for (size_t i = 0; i < count; i++)
        worker_release(&workers[i]);
    pthread_attr_destroy(&attributes);
    free(threads);
    free(workers);
}

// What the client's workers share, of each key that they use. Does not return if that fails.
static struct lock_client *open_clients(const struct stage *stage, const struct node *node,
                                        int number, struct key_range range)
{
    struct lock_client *clients = memory_zeroed(range.count, sizeof *clients);
    for (size_t i = 0; i < range.count; i++)
        clients[i] = (struct lock_client){
            .scheme = stage->scheme,
            .options = stage_lock_options(stage, &stage->keys[range.first + i]),
            .service = stage->scheme->server != NULL ? &stage->lock_service : NULL,
            .number = number,
            .seed = stage->trial->seed,
            .clock = stage_client_clock(stage, number),
            .board = &stage->control->board,
            .history = &stage->history,
            .stop = &stage->control->stop,
            .first = clients,
            .keys = range.count,
            .workers = (int)stage->trial->scenario->clients.threads,
            .has_relay = node->end.network_namespace >= 0 && stage->scheme->server != NULL &&
                         trial_needs_proxy(stage->trial),
            .folder = stage->folder};
    for (size_t i = 0; i < range.count; i++) {
        struct error error = {0};
        if (stage->scheme->open_client == NULL ||
            stage->scheme->open_client(&clients[i], &error) == 0)
            continue;
        stage_break(stage, "%s: %s", node->name, error.text);
        _exit(1);
    }
    return clients;
}

static void be_client(const struct stage *stage, const struct node *node, int number, pid_t parent)
{
    prctl(PR_SET_NAME, node->name);
    // By default a sleep may be 50 us longer than asked for: too much where operations have times.
    if (stage->load.arrivals != NULL)
        prctl(PR_SET_TIMERSLACK, 1);
    if (process_settle(parent, node->end.network_namespace, node->processor) != 0) {
        stage_break(stage, "%s could not settle on its node: %s", node->name, strerror(errno));
        _exit(1);
    }
    struct history_writer writer;
    history_writer_start(&writer, &stage->history, number, 0);
    history_append(&writer,
                   (struct event){.kind = EVENT_PROCESS_START,
                                  .process_start = {.pid = getpid(), .cpu = node->processor}});
    struct key_range range = stage_keys_of(stage, number, 0);
    struct lock_client *clients = open_clients(stage, node, number, range);
    run_workers(stage, clients, number);
    for (size_t i = 0; i < range.count && stage->scheme->close_client != NULL; i++) {
        stage->scheme->close_client(&clients[i]);
        if (clients[i].error.text[0] != '\0')
            stage_break(stage, "%s, scheme %s: %s", node->name, stage->scheme->name,
                        clients[i].error.text);
    }
    free(clients);
    usage_record_own(&writer, number, node->end.network_namespace >= 0);
}

pid_t client_start(const struct stage *stage, const struct node *node, int number,
                   struct error *error)
{
    pid_t parent = getpid();
    fflush(NULL); // the child must not flush what the conductor had buffered
    pid_t id = fork();
    if (id < 0)
        return error_set(error, "cannot fork a client: %s", strerror(errno));
    // By both, as whoever comes second may need it.
    if (stage->scheme->foreign != NULL)
        setpgid(id, id);
    if (id == 0) {
        be_client(stage, node, number, parent);
        _exit(0);
    }
    return id;
}

const char *client_suspect(const struct trial *trial)
{
    bool has_plugin = trial->foreign != NULL && trial->foreign->plugin != NULL;
    return has_plugin ? ": a call of the scheme's plug-in hangs; give its connections a time-out, "
                        "and come back when it must give up"
                      : "";
}

void client_reap(const struct stage *stage, struct fault_client *client, int number)
{
    int status;
    struct error error;
    if (client->is_dying)
        return; // the fault that killed it sees to it
    if (client->process == 0 || waitpid(client->process, &status, WNOHANG) != client->process)
        return;
    pid_t ended = client->process;
    if (client->leads_group && process_group_kill(ended, &error) != 0)
        stage_break(stage, "client-%d has ended, but %s", number, error.text);
    client->process = 0;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return;
    int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    int exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    history_append(&client->writer,
                   (struct event){.kind = EVENT_PROCESS_DEATH,
                                  .process_death = {ended, signal, exit_status, 0}});
    const struct foreign_settings *foreign = stage->trial->foreign;
    bool has_plugin = foreign != NULL && foreign->plugin != NULL;
    char end[32];
    stage_break(stage, "client-%d ended by %s, which no fault asked for%s%s%s", number,
                process_end(status, end, sizeof end),
                signal == SIGBUS ? ": there is no room left on the disk for the history" : "",
                has_plugin ? "; what a plug-in crashes, it crashes its client with: " : "",
                has_plugin ? foreign->plugin : "");
}

void client_kill(const struct fault_client *client)
{
    struct error ignored;
    process_kill(client->process);
    if (client->process > 0 && client->leads_group)
        process_group_kill(client->process, &ignored);
}
