#include "harness/run/client.h"

#include "harness/base/scope.h"
#include "harness/cluster/process.h"
#include "harness/run/servers.h"
#include "harness/run/usage.h"
#include "harness/run/worker.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

// Enough for a request with its buffers; thousands of workers must fit.
#define WORKER_STACK_BYTES (256 * 1024)

// The first works in the calling thread: a process that has only one thread is quicker at every
// request, for neither the kernel nor the C library has to mind another.
static void run_workers(const struct trial_state *state, struct lock_client *clients, int number)
{
    size_t count = (size_t)state->trial->scenario->clients.threads;
    AUTO_FREE struct worker *workers = memory_zeroed(count, sizeof *workers);
    AUTO_FREE pthread_t *threads = memory_zeroed(count, sizeof *threads);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, WORKER_STACK_BYTES);
    size_t started = 1;
    worker_prepare(&workers[0], state, clients, number, 1);
    for (; started < count; started++) {
        worker_prepare(&workers[started], state, clients, number, (int)started + 1);
        int reason = pthread_create(&threads[started], &attributes, worker_run, &workers[started]);
        if (reason != 0) {
            state_break(state, "client-%d could not start worker %zu of %zu: %s", number,
                        started + 1, count, strerror(reason));
            break;
        }
    }
    worker_run(&workers[0]);
    for (size_t i = 1; i < started; i++)
        pthread_join(threads[i], NULL);
    for (size_t i = 0; i < count; i++)
        free(workers[i].keys);
    pthread_attr_destroy(&attributes);
}

// Of a queue the first lock stands for all.
static size_t used_of(const struct trial_state *state, const struct lock_client *clients)
{
    return trial_has_queue(state->trial) ? 1 : clients->keys;
}

struct lock_client *client_open(const struct trial_state *state, int number, bool has_proxy,
                                struct step_gate *gates,
                                const struct driver_exploration *exploration)
{
    struct key_range range = state_keys_of(state, number, 0);
    struct lock_client *clients = memory_zeroed(range.count, sizeof *clients);
    for (size_t i = 0; i < range.count; i++)
        clients[i] = (struct lock_client){
            .scheme = state->scheme,
            .options = state_lock_options(state, &state->keys[range.first + i]),
            .service = state->scheme->server != NULL ? &state->lock_service : NULL,
            .tag = state->tag,
            .number = number,
            .seed = state->trial->seed,
            .clock = {.shift = number <= MAX_SHIFTED_CLIENTS
                                   ? &state->control->client_clocks[number - 1]
                                   : NULL},
            .board = &state->control->board,
            .history = &state->history,
            .stop = &state->control->stop,
            .first = clients,
            .keys = range.count,
            .workers = (int)state->trial->scenario->clients.threads,
            .gates = gates,
            .has_proxy = has_proxy,
            .exploration = exploration,
            .folder = state->folder};
    for (size_t i = 0; i < used_of(state, clients); i++) {
        struct error error = {0};
        if (lock_client_open(&clients[i], &error) == 0)
            continue;
        state_break(state, "client-%d: %s", number, error.text);
        while (i-- > 0)
            lock_client_close(&clients[i]);
        free(clients);
        return NULL;
    }
    return clients;
}

void client_close(const struct trial_state *state, struct lock_client *clients)
{
    for (size_t i = used_of(state, clients); i-- > 0;)
        lock_client_close(&clients[i]);
}

static void be_client(const struct trial_state *state, const struct node *node, int number,
                      pid_t parent)
{
    prctl(PR_SET_NAME, node->name);
    // By default a sleep may be 50 us longer than asked for: too much where operations have times.
    if (state->load.arrivals != NULL)
        prctl(PR_SET_TIMERSLACK, 1);
    if (process_settle(parent, node->end.network_namespace, node->processor) != 0) {
        state_break(state, "%s could not settle on its node: %s", node->name, strerror(errno));
        _exit(1);
    }
    struct history_writer writer;
    history_writer_start(&writer, &state->history, number, 0);
    history_append(&writer,
                   (struct event){.kind = EVENT_PROCESS_START,
                                  .process_start = {.pid = getpid(), .cpu = node->processor}});
    struct lock_client *clients = client_open(
        state, number, state_has_proxy(state, node->end.network_namespace >= 0), NULL, NULL);
    if (clients == NULL)
        _exit(1);
    run_workers(state, clients, number);
    client_close(state, clients);
    for (size_t i = clients->keys; i-- > 0;) {
        if (clients[i].error.text[0] != '\0')
            state_break(state, "%s, scheme %s: %s", node->name, state->scheme->name,
                        clients[i].error.text);
    }
    free(clients);
    usage_record_own(&writer, number, node->end.network_namespace >= 0);
}

pid_t client_start(const struct trial_state *state, const struct node *node, int number,
                   struct error *error)
{
    pid_t parent = getpid();
    fflush(NULL); // the child must not flush what the conductor had buffered
    pid_t id = fork();
    if (id < 0)
        return error_set(error, "cannot fork a client: %s", strerror(errno));
    // By both, as whoever comes second may need it.
    if (state->scheme->external_client != NULL)
        setpgid(id, id);
    if (id == 0) {
        be_client(state, node, number, parent);
        _exit(0);
    }
    return id;
}

const char *client_suspect(const struct trial *trial)
{
    bool has_plugin = trial->external_client != NULL && trial->external_client->plugin != NULL;
    return has_plugin ? ": a call of the scheme's plug-in hangs; give its connections a time-out, "
                        "and come back when it must give up"
                      : "";
}

void client_reap(const struct trial_state *state, struct fault_client *client, int number)
{
    int status;
    struct error error;
    if (client->is_dying)
        return; // the fault that killed it sees to it
    if (client->process == 0 || waitpid(client->process, &status, WNOHANG) != client->process)
        return;
    pid_t ended = client->process;
    if (client->leads_group && process_group_kill(ended, &error) != 0)
        state_break(state, "client-%d has ended, but %s", number, error.text);
    client->process = 0;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return;
    int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    int exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    history_append(&client->writer,
                   (struct event){.kind = EVENT_PROCESS_DEATH,
                                  .process_death = {ended, signal, exit_status, 0}});
    const struct external_client *external_client = state->trial->external_client;
    bool has_plugin = external_client != NULL && external_client->plugin != NULL;
    char end[32];
    state_break(state, "client-%d ended by %s, which no fault asked for%s%s%s", number,
                process_end(status, end, sizeof end),
                signal == SIGBUS ? ": there is no room left on the disk for the history" : "",
                has_plugin ? "; what a plug-in crashes, it crashes its client with: " : "",
                has_plugin ? external_client->plugin : "");
}

void client_kill(const struct fault_client *client)
{
    struct error ignored;
    process_kill(client->process);
    if (client->process > 0 && client->leads_group)
        process_group_kill(client->process, &ignored);
}
