#include "harness/run/explored_clients.h"

#include "harness/base/file.h"
#include "harness/base/futex.h"
#include "harness/run/client.h"
#include "harness/run/threads.h"
#include "harness/run/worker.h"
#include "harness/wire/driver.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct gated_client {
    const struct trial_state *state;
    struct step_gate *gates; // the workers' first
    int number;
    int64_t operations; // of each worker
    struct random *random[THREAD_SECOND_WORKER + 1];
    _Atomic uint32_t stage; // enum stage; a futex
    pthread_t thread;
};

enum stage { STAGE_REST, STAGE_WORK, STAGE_END };

// One of its workers.
struct gated_worker {
    struct gated_client *client;
    struct lock_client *clients;
    enum client_thread thread;
};

static void *operate_gated(void *from)
{
    struct gated_worker *self = from;
    struct gated_client *client = self->client;
    struct worker worker;
    struct step_gate *gate = &client->gates[self->thread];
    int64_t workers = client->state->trial->scenario->clients.threads;
    int64_t first = ((client->number - 1) * workers + self->thread) * client->operations + 1;
    worker_prepare(&worker, client->state, self->clients, client->number, (int)self->thread + 1);
    client->random[self->thread] = &worker.random;
    worker.actor.gate = gate;
    worker.actor.clock.sleeper = &gate->sleeper;
    if (worker_connect(&worker) == 0) {
        gate->is_free = false;
        gate_stand(gate, GATE_AT_START);
        for (int64_t i = 0; i < client->operations && !state_is_stopped(client->state) &&
                            worker_choose_job(&worker);
             i++) {
            worker_operate(&worker, &(struct turn){.operation = first + i});
            gate_next_operation(gate);
            if (client->state->workload->form.has_jobs) // it counts none
                gate->operation = worker_jobs_known(&worker);
        }
    }
    gate_stand(gate, GATE_OVER);
    atomic_store(&gate->order, GATE_END);
    worker_disconnect(&worker);
    free(worker.keys);
    return NULL;
}

static void be_client(struct gated_client *client)
{
    const struct trial_state *state = client->state;
    struct lock_client *clients =
        state->programs != NULL ? state->programs[client->number - 1]
                                : client_open(state, client->number, false, client->gates, NULL);
    struct gated_worker first = {client, clients, THREAD_WORKER};
    struct gated_worker second = {client, clients, THREAD_SECOND_WORKER};
    struct step_gate *gate = &client->gates[THREAD_SECOND_WORKER];
    pthread_t thread;
    if (clients == NULL) {
        gate_stand(&client->gates[THREAD_WORKER], GATE_OVER);
        return;
    }
    // The second worker stands at its start before the first one is connected.
    if (gate->is_there && pthread_create(&thread, NULL, operate_gated, &second) != 0) {
        state_break(state, "client-%d could not start its second worker", client->number);
        gate->is_there = false;
    }
    if (gate->is_there)
        gate_await(gate);
    operate_gated(&first);
    if (gate->is_there)
        pthread_join(thread, NULL);
    if (state->programs == NULL) {
        client_close(state, clients);
        free(clients);
    }
}

static void enter_stage(struct gated_client *client, enum stage stage)
{
    atomic_store(&client->stage, stage);
    futex_wake_all(&client->stage);
}

static enum stage await_other_stage(struct gated_client *client, enum stage last)
{
    while (atomic_load(&client->stage) == last)
        futex_wait_until_ns(&client->stage, last, TIME_NEVER);
    return (enum stage)atomic_load(&client->stage);
}

static void *run_gated(void *from)
{
    struct gated_client *client = from;
    while (await_other_stage(client, STAGE_REST) == STAGE_WORK) {
        be_client(client);
        enter_stage(client, STAGE_REST);
    }
    return NULL;
}

struct gated_client *client_new_gated(const struct trial_state *state, struct step_gate *gates,
                                      int number, int64_t operations, struct error *error)
{
    struct gated_client *client = memory_new(sizeof *client);
    *client = (struct gated_client){
        .state = state, .gates = gates, .number = number, .operations = operations};
    int reason = pthread_create(&client->thread, NULL, run_gated, client);
    if (reason == 0)
        return client;
    error_set(error, "cannot start the thread of client-%d: %s", number, strerror(reason));
    free(client);
    return NULL;
}

void client_free_gated(struct gated_client *client)
{
    if (client == NULL)
        return;
    enter_stage(client, STAGE_END);
    pthread_join(client->thread, NULL);
    free(client);
}

void client_start_gated(struct gated_client *client)
{
    const struct trial_state *state = client->state;
    struct step_gate *gates = client->gates;
    for (int thread = 0; thread < CLIENT_THREADS; thread++)
        gates[thread].is_there = false;
    gate_start(&gates[THREAD_WORKER], true);
    if (state->trial->scenario->clients.threads > 1)
        gate_start(&gates[THREAD_SECOND_WORKER], true);
    // Where every other operation only reads, clients take turns.
    if (state->workload->only_reads != NULL)
        gates[THREAD_WORKER].operation = gates[THREAD_SECOND_WORKER].operation =
            (client->number - 1) % 2;
    memset(client->random, 0, sizeof client->random);
    enter_stage(client, STAGE_WORK);
}

struct random *client_random(const struct gated_client *client, enum client_thread thread)
{
    return thread <= THREAD_SECOND_WORKER ? client->random[thread] : NULL;
}

void client_join_gated(struct gated_client *client)
{
    gates_end(client->gates);
    if (client->gates[THREAD_SECOND_WORKER].is_there)
        gate_send_off(&client->gates[THREAD_SECOND_WORKER], GATE_END);
    gate_send_off(&client->gates[THREAD_WORKER], GATE_END);
    await_other_stage(client, STAGE_WORK);
}

// --- programs ------------------------------------------------------------------------------------

// So many short sleeps are no lease: more than a schedule has moves.
#define SLEEPS_OF_LEASE 300

struct programs {
    struct trial_state *state;
    struct explored_servers *servers;
    int count;                         // of clients
    const struct clock_shift *follows; // the clock of this process
    struct clock_shift *clock;         // as they are shown it
    char *clock_path;
    struct driver_exploration explorations[MOST_EXPLORED_CLIENTS];
    struct lock_client *clients[MOST_EXPLORED_CLIENTS]; // NULL: its program is to be started
    bool was_struck[MOST_EXPLORED_CLIENTS]; // it may have lost its connection in the last schedule
    bool restarts;                          // such a one is started anew
    bool has_kept; // what the first one to be started has made when it was told hello
};

struct programs *programs_open(struct trial_state *state, struct explored_servers *servers,
                               const struct clock_shift *follows,
                               void (*sleep)(void *context, int64_t until_ns), void *context,
                               struct error *error)
{
    struct programs *programs = memory_zeroed(1, sizeof *programs);
    char *folder = realpath(state->folder, NULL);
    int64_t lease_ns = state->trial->scenario->lock.lease_ns;
    programs->state = state;
    programs->servers = servers;
    programs->count = (int)state->trial->scenario->clients.processes;
    programs->follows = follows;
    programs->clock_path = path_join(folder != NULL ? folder : state->folder, "programs.clock");
    programs->clock = clock_shift_create(programs->clock_path, error);
    state->programs = programs->clients;
    bool is_open = programs->clock != NULL;
    for (int i = 0; i < programs->count && is_open; i++) {
        struct driver_exploration *exploration = &programs->explorations[i];
        char name[32];
        snprintf(name, sizeof name, "program-%d.rest", i + 1);
        *exploration = (struct driver_exploration){
            .clock_path = programs->clock_path,
            .rest_path = path_join(folder != NULL ? folder : state->folder, name),
            .short_ns = lease_ns / SLEEPS_OF_LEASE,
            .part_ns = lease_ns / 2,
            .sleep = sleep,
            .context = context};
        exploration->rest = rest_create(exploration->rest_path, error);
        is_open = exploration->rest != NULL;
    }
    free(folder);
    if (is_open)
        return programs;
    programs_close(programs);
    return NULL;
}

// Programs start and end by the machine's time.
static void close_program(struct programs *programs, int client)
{
    if (programs->clients[client] == NULL)
        return;
    clock_follow(NULL);
    client_close(programs->state, programs->clients[client]);
    free(programs->clients[client]);
    clock_follow(programs->follows);
    programs->clients[client] = NULL;
}

void programs_close(struct programs *programs)
{
    if (programs == NULL)
        return;
    for (int i = 0; i < programs->count; i++) {
        close_program(programs, i);
        rest_close(programs->explorations[i].rest);
        free((void *)(size_t)programs->explorations[i].rest_path);
    }
    programs->state->programs = NULL;
    clock_shift_close(programs->clock);
    free(programs->clock_path);
    free(programs);
}

void programs_tell_image(const struct programs *programs, struct text *image)
{
    const struct driver_exploration *first = &programs->explorations[0];
    struct text told = {0};
    gate_name_times(text_string(image), image->length, first->began_unix_ns, first->part_ns, &told);
    image->length = 0;
    text_add_bytes(image, text_string(&told), told.length);
    text_free(&told);
}

void programs_tell_cut(const struct programs *programs, struct step_gate gates[][CLIENT_THREADS])
{
    for (int i = 0; i < programs->count; i++) {
        struct text *kept = &gates[i][THREAD_WORKER].kept;
        int cut = programs->clients[i] != NULL ? exec_count_cut(programs->clients[i]) : 0;
        kept->length = 0;
        if (cut > 0)
            text_format(kept, "cut %d", cut);
    }
}

void programs_set_zero(struct programs *programs, int64_t began_unix_ns)
{
    for (int i = 0; i < programs->count; i++)
        programs->explorations[i].began_unix_ns = began_unix_ns;
}

void programs_set_time(struct programs *programs, int64_t zero_unix_ns, int64_t now_ns)
{
    clock_freeze(programs->clock, zero_unix_ns, now_ns);
}

// Has it do one operation that nothing holds up, for which the lock is free.
static int warm_up(struct programs *programs, int number, struct error *error)
{
    struct trial_state *state = programs->state;
    struct step_gate gates[CLIENT_THREADS] = {{.is_there = false}};
    if (programs->servers->how->empty(programs->servers, error) != 0)
        return -1;
    struct gated_client *client = client_new_gated(state, gates, number, 1, error);
    if (client == NULL)
        return -1;
    client_start_gated(client);
    gate_await(&gates[THREAD_WORKER]);
    client_join_gated(client);
    client_free_gated(client);
    gate_free(&gates[THREAD_WORKER]);
    const char *broken = state_broken(state);
    return broken == NULL ? 0 : error_set(error, "%s", broken);
}

static int start(struct programs *programs, int number, struct error *error)
{
    struct trial_state *state = programs->state;
    struct driver_exploration *exploration = &programs->explorations[number - 1];
    const struct server_exploration *how = programs->servers->how;
    memset(exploration->rest, 0, sizeof *exploration->rest);
    if (how->empty(programs->servers, error) != 0)
        return -1;
    clock_follow(NULL);
    programs->clients[number - 1] = client_open(state, number, true, NULL, exploration);
    clock_follow(programs->follows);
    const char *broken = state_broken(state);
    if (programs->clients[number - 1] == NULL)
        return error_set(error, "%s", broken != NULL ? broken : "a program could not be started");
    if (!programs->has_kept && how->keep != NULL && how->keep(programs->servers, error) != 0)
        return -1;
    programs->has_kept = true;
    return warm_up(programs, number, error);
}

// One that fails then has not got over what struck it.
static void heal(struct programs *programs, int client)
{
    struct control *control = programs->state->control;
    struct error ignored;
    if (warm_up(programs, client + 1, &ignored) == 0)
        return;
    atomic_store(&control->broken, 0);
    atomic_store(&control->stop, 0);
    close_program(programs, client);
}

int programs_begin(struct programs *programs, struct error *error)
{
    int result = 0;
    for (int i = 0; i < programs->count && result == 0; i++) {
        if (programs->clients[i] != NULL && programs->was_struck[i])
            heal(programs, i);
        programs->was_struck[i] = false;
        result = programs->clients[i] == NULL ? start(programs, i + 1, error) : 0;
    }
    return result;
}

void programs_end(struct programs *programs, const bool *struck)
{
    for (int i = 0; i < programs->count; i++) {
        programs->was_struck[i] = struck[i];
        if (programs->clients[i] != NULL &&
            ((struck[i] && programs->restarts) || !exec_is_idle(programs->clients[i])))
            close_program(programs, i);
    }
}

void programs_restart(struct programs *programs, bool whenever_struck)
{
    for (int i = 0; programs != NULL && i < programs->count; i++) {
        programs->restarts |= whenever_struck;
        close_program(programs, i);
    }
}
