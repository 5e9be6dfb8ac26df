#include "harness/run/conductor.h"

#include "faults/schedule.h"
#include "harness/base/file.h"
#include "harness/base/futex.h"
#include "harness/base/scope.h"
#include "harness/cluster/process.h"
#include "harness/history/follower.h"
#include "harness/run/client.h"
#include "harness/run/observer.h"
#include "harness/run/replay.h"
#include "harness/run/trial_state.h"
#include "harness/run/usage.h"
#include "harness/run/watch.h"
#include "harness/scenario/scenario.h"
#include "harness/wire/driver.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define CONNECT_LIMIT_NS (60 * NS_PER_S)
// What one look at the clients counts at most of the time that they have to end.
#define MOST_OF_A_LOOK_NS (50 * NS_PER_MS)
// How long a client that no fault holds may stand still, of that time.
#define STOPPED_LIMIT_NS (5 * NS_PER_S)
#define PROGRESS_EVERY_NS (100 * NS_PER_MS)
struct conductor {
    const struct trial *trial;
    const struct scenario *scenario;
    const struct sandbox *sandbox;
    const struct progress *progress;
    struct trial_state state;
    struct server_pool *pool;
    struct cluster nodes; // of the clients
    bool is_prepared;     // something is on the servers that must be removed
    struct history_writer writer;
    struct fault_client *clients;
    struct pollfd *ends; // pidfds of the clients: readable when one ends, -1 once it has
    int client_count;
    pid_t observer;
    struct fault_environment environment;
    struct schedule *schedule;
    struct history_follower *follower;
    struct watch watch;
    struct usage_watch usage;
    int64_t opened_ns; // the gate opened for everybody
    int64_t shown_ns;
};

static void show(struct conductor *conductor, const char *doing)
{
    const struct progress *progress = conductor->progress;
    conductor->shown_ns = clock_monotonic_ns();
    if (progress != NULL && progress->show != NULL)
        progress->show(progress->context, conductor->trial, doing,
                       conductor->state.history.header == NULL
                           ? 0
                           : history_events_about(&conductor->state.history));
}

// --- clients -------------------------------------------------------------------------------------

static int start_clients(struct conductor *conductor, struct error *error)
{
    for (int i = 0; i < conductor->client_count; i++) {
        char name[24];
        snprintf(name, sizeof name, "client-%d", i + 1);
        struct fault_client *client = &conductor->clients[i];
        history_writer_start(&client->writer, &conductor->state.history, i + 1, 0);
        pid_t id =
            client_start(&conductor->state, cluster_node(&conductor->nodes, name), i + 1, error);
        if (id < 0)
            return -1;
        client->process = id;
        client->leads_group = conductor->state.scheme->external_client != NULL;
        conductor->ends[i] =
            (struct pollfd){.fd = (int)syscall(SYS_pidfd_open, id, 0), .events = POLLIN};
    }
    conductor->observer = observer_start(&conductor->state, conductor->clients,
                                         conductor->client_count, &conductor->pool->cluster, error);
    return conductor->observer < 0 ? -1 : 0;
}

static int living_clients(const struct conductor *conductor)
{
    int living = 0;
    for (int i = 0; i < conductor->client_count; i++)
        living += conductor->clients[i].process != 0;
    return living;
}

// Takes note of what has ended: by no fault of ours, it says nothing about the lock.
static void reap(struct conductor *conductor)
{
    int status;
    char end[32];
    struct error error;
    siginfo_t ended = {0};
    // Of all processes that the conductor has started; one that is not a client is left for others.
    if (waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid != 0) {
        for (int i = 0; i < conductor->client_count; i++)
            client_reap(&conductor->state, &conductor->clients[i], i + 1);
        if (conductor->observer > 0 &&
            waitpid(conductor->observer, &status, WNOHANG) == conductor->observer) {
            conductor->observer = 0;
            state_break(
                &conductor->state,
                "the observer, which measures stalls, ended by %s, which no fault asked for",
                process_end(status, end, sizeof end));
        }
    }
    if (server_pool_check(conductor->pool, &error) != 0)
        state_break(&conductor->state, "%s", error.text);
}

// A history that is cut short says nothing about the lock.
static int check_disk(const struct conductor *conductor, struct error *error)
{
    char why[600];
    errno = history_file_no_room(&conductor->state.history);
    if (errno == 0)
        return 0;
    AUTO_FREE char *path = path_join(conductor->state.folder, "history.bin");
    error_set(error,
              "there is no room for the history %s: %s; make room, or name another folder "
              "with --out",
              path, file_reason(path, why, sizeof why));
    return -1;
}

// For how long a client has been stopped, where no fault is on: `stopped_ns` before, and since
// `from_ns`. While the conductor stands still, so may they.
static int64_t stopped_for_ns(const struct conductor *conductor, int64_t stopped_ns,
                              int64_t from_ns)
{
    struct process_entry entry;
    for (int i = 0; i < conductor->client_count; i++) {
        pid_t id = conductor->clients[i].process;
        if (id != 0 && process_read(id, &entry) && entry.state == 'T')
            return stopped_ns + time_earlier(clock_monotonic_ns() - from_ns, MOST_OF_A_LOOK_NS);
    }
    return 0;
}

static const char *who_stopped(int64_t stopped_ns)
{
    return stopped_ns > 0 ? ": its driver, or somebody else on this machine, sent a client a "
                            "SIGSTOP; no fault did"
                          : "";
}

// 0, -1 or TRIAL_INTERRUPTED.
static int wait_until_connected(struct conductor *conductor, struct error *error)
{
    struct control *control = conductor->state.control;
    uint32_t wanted =
        (uint32_t)(conductor->scenario->clients.processes * conductor->scenario->clients.threads);
    int64_t began_ns = clock_monotonic_ns(), looked_ns = began_ns, stopped_ns = 0;
    for (;;) {
        uint32_t ready = atomic_load(&control->ready);
        reap(conductor);
        if (state_broken(&conductor->state) != NULL)
            return error_set(error, "%s", state_broken(&conductor->state));
        if (ready >= wanted)
            return 0;
        if (sandbox_is_interrupted(conductor->sandbox)) {
            history_append(&conductor->writer,
                           (struct event){.kind = EVENT_STOP_ASKED, .detail = STOP_INTERRUPTED});
            return TRIAL_INTERRUPTED;
        }
        int64_t now_ns = clock_monotonic_ns();
        if (now_ns - began_ns > CONNECT_LIMIT_NS || stopped_ns > STOPPED_LIMIT_NS)
            return error_set(error, "only %u of %u workers connected within %d s%s%s", ready,
                             wanted, (int)((now_ns - began_ns) / NS_PER_S), who_stopped(stopped_ns),
                             client_suspect(conductor->trial));
        futex_wait_until_ns(&control->ready, ready, now_ns + MOST_OF_A_LOOK_NS);
        now_ns = clock_monotonic_ns();
        if (now_ns - looked_ns >= MOST_OF_A_LOOK_NS) {
            stopped_ns = stopped_for_ns(conductor, stopped_ns, looked_ns);
            looked_ns = now_ns;
        }
    }
}

// --- the run -------------------------------------------------------------------------------------

static void open_gate(struct conductor *conductor, enum gate gate)
{
    struct control *control = conductor->state.control;
    if (gate == GATE_OPEN) {
        conductor->opened_ns = clock_monotonic_ns();
        atomic_store(&control->opened_ns, conductor->opened_ns);
    }
    history_append(
        &conductor->writer,
        (struct event){
            .kind = EVENT_BARRIER_OPEN,
            .barrier_open = {.client = gate == GATE_LEAD
                                           ? conductor->scenario->clients.start_first.client
                                           : 0}});
    atomic_store(&control->gate, gate);
    futex_wake_all(&control->gate);
}

static void see(void *context, const struct event *event)
{
    struct conductor *conductor = context;
    watch_see(&conductor->watch, event);
    schedule_see(conductor->schedule, event);
}

// Ends the trial's time: what was to begin by now is known, whether it did or not.
static void stop(struct conductor *conductor, enum stop_reason reason)
{
    int64_t opened_ns = conductor->opened_ns;
    int64_t now_ns = clock_monotonic_ns();
    load_announce(&conductor->state.load, opened_ns, now_ns);
    history_append(&conductor->writer,
                   (struct event){.kind = EVENT_STOP_ASKED,
                                  .detail = (uint8_t)reason,
                                  .stop_asked = {.due = load_due(&conductor->state.load,
                                                                 now_ns - opened_ns)}});
    bool in_time = reason == STOP_DONE || reason == STOP_TIME || reason == STOP_LIMIT;
    state_stop(&conductor->state, in_time ? DRIVER_STOP_IN_TIME : 1);
}

static void look(struct conductor *conductor)
{
    struct error error;
    history_follow(conductor->follower, see, conductor);
    schedule_advance(conductor->schedule, clock_monotonic_ns());
    observer_tell(conductor->state.control, &conductor->pool->cluster); // some may be others now
    // What was healed just now has been written just now: it must be seen before anybody decides
    // that all is quiet.
    history_follow(conductor->follower, see, conductor);
    reap(conductor);
    if (check_disk(conductor, &error) != 0)
        state_break(&conductor->state, "%s", error.text);
    int lead = conductor->scenario->clients.start_first.client;
    bool led =
        conductor->watch.lead_returned || schedule_has_struck_client(conductor->schedule, lead);
    if (conductor->opened_ns == 0 && (led || living_clients(conductor) == 0))
        open_gate(conductor, GATE_OPEN);
    load_announce(&conductor->state.load, conductor->opened_ns, clock_monotonic_ns());
}

// Before the first grant, a slow first request is no sign of it if a fault still waits for its
// point.
static bool is_stuck(const struct conductor *conductor, int64_t now_ns)
{
    struct schedule_now faults = schedule_now(conductor->schedule);
    const struct lock_settings *lock = &conductor->scenario->lock;
    bool has_begun = conductor->watch.granted || faults.has_struck;
    // The check allows for a lease and for what the lock took before, and counts only the time in
    // which somebody waited: between two tries nobody does.
    int64_t enough_ns =
        time_later(lock->stuck_after_ns, lock->lease_ns + conductor->watch.longest_wait_ns);
    enough_ns += enough_ns / 20;
    // Of a process that stands still now nothing may be recorded yet, and the check will know.
    now_ns -= STALL_PIECE_NS + LOOK_EVERY_NS;
    if (faults.is_striking || (!has_begun && conductor->scenario->fault_count > 0))
        return false;
    return watch_is_stuck(&conductor->watch, now_ns, enough_ns) ||
           (watch_is_unanswered(&conductor->watch, now_ns, lock) && !faults.is_lasting);
}

// True if the workload has had its time; and where faults were drawn, if it is seen what comes of
// the last of them.
static bool time_is_up(const struct conductor *conductor, int64_t now_ns)
{
    const struct scenario *scenario = conductor->scenario;
    if (scenario->workload.for_ns == 0 || conductor->opened_ns == 0 ||
        now_ns < conductor->opened_ns + scenario->workload.for_ns)
        return false;
    schedule_close(conductor->schedule, now_ns);
    // As long as there were stalls, nobody can be seen to be stuck.
    int64_t bound_ns = 2 * scenario->lock.stuck_after_ns + watch_stalls_ns(&conductor->watch);
    return !scenario_was_drawn(scenario) ||
           schedule_has_settled(conductor->schedule, now_ns, bound_ns);
}

// Why the trial is to be ended now; STOP_DONE: it is not, unless everybody is done.
static enum stop_reason why_stop(const struct conductor *conductor, int64_t started_ns,
                                 int64_t now_ns)
{
    const struct scenario *scenario = conductor->scenario;
    if (atomic_load(&conductor->state.control->broken) != 0)
        return STOP_BROKEN;
    if (sandbox_is_interrupted(conductor->sandbox))
        return STOP_INTERRUPTED;
    if (time_is_up(conductor, now_ns))
        return STOP_TIME;
    if (is_stuck(conductor, now_ns))
        return STOP_STUCK;
    if (now_ns >= started_ns + scenario->limit_ns +
                      (scenario_was_drawn(scenario) ? 2 * scenario->lock.stuck_after_ns : 0))
        return STOP_LIMIT;
    return STOP_DONE;
}

static void forget_end(struct pollfd *end)
{
    if (end->fd >= 0)
        close(end->fd);
    end->fd = -1; // which poll passes over
}

// Sleeps until a client ends, or until the next thing is due.
static void rest(struct conductor *conductor, int64_t now_ns)
{
    int64_t until_ns = time_earlier(now_ns + 10 * NS_PER_MS, schedule_next_ns(conductor->schedule));
    int64_t ends_ns = conductor->opened_ns + conductor->scenario->workload.for_ns;
    if (conductor->opened_ns != 0 && ends_ns > now_ns)
        until_ns = time_earlier(until_ns, ends_ns);
    if (schedule_now(conductor->schedule).is_waiting || conductor->opened_ns == 0) {
        history_follower_wait(conductor->follower, until_ns);
        return;
    }
    for (int i = 0; i < conductor->client_count; i++) {
        if (conductor->clients[i].process == 0)
            forget_end(&conductor->ends[i]);
    }
    struct timespec limit = {.tv_nsec = time_later(until_ns - now_ns, 0)};
    ppoll(conductor->ends, (nfds_t)conductor->client_count, &limit, NULL);
}

static enum stop_reason run_until_stop(struct conductor *conductor)
{
    enum stop_reason reason = STOP_DONE;
    int64_t started_ns = clock_monotonic_ns();
    schedule_start(conductor->schedule, started_ns);
    conductor->usage = (struct usage_watch){.writer = &conductor->writer,
                                            .environment = &conductor->environment,
                                            .servers = &conductor->pool->cluster,
                                            .threads = &conductor->pool->threads,
                                            .observer = conductor->observer};
    usage_read_all(&conductor->usage);
    open_gate(conductor,
              conductor->scenario->clients.start_first.client != 0 ? GATE_LEAD : GATE_OPEN);
    while (living_clients(conductor) > 0) {
        int64_t now_ns = clock_monotonic_ns(); // before the look: what came after it is not quiet
        look(conductor);
        reason = why_stop(conductor, started_ns, now_ns);
        if (reason != STOP_DONE)
            break;
        usage_read_if_due(&conductor->usage, now_ns, conductor->state.load.announced);
        if (now_ns - conductor->shown_ns > PROGRESS_EVERY_NS)
            show(conductor, "running");
        rest(conductor, now_ns);
    }
    usage_read_all(&conductor->usage);
    return reason;
}

// After the stop: every client finishes what it does.
static void let_clients_end(struct conductor *conductor)
{
    const struct external_client *external_client = conductor->state.scheme->external_client;
    struct control *control = conductor->state.control;
    schedule_end(conductor->schedule);
    atomic_store(&control->gate, GATE_OPEN);
    futex_wake_all(&control->gate);
    const struct lock_settings *lock = &conductor->scenario->lock;
    int64_t left_ns =
        2 * lock->retry_ns + REQUESTS_PER_OPERATION * lock->request_ns + 10 * NS_PER_S;
    // A program that hangs is waited for until it is known to (see driver_wait).
    if (external_client != NULL && external_client->plugin == NULL)
        left_ns += lock->wait_ns + 20 * external_client->patience_ns;
    int64_t stopped_ns = 0;
    while (living_clients(conductor) > 0 && left_ns > 0 && stopped_ns < STOPPED_LIMIT_NS) {
        int64_t from_ns = clock_monotonic_ns();
        reap(conductor);
        rest(conductor, from_ns);
        left_ns -= time_earlier(clock_monotonic_ns() - from_ns, MOST_OF_A_LOOK_NS);
        stopped_ns = stopped_for_ns(conductor, stopped_ns, from_ns);
    }
    if (living_clients(conductor) > 0) {
        AUTO_TEXT struct text who = {0};
        for (int i = 0; i < conductor->client_count; i++) {
            const struct fault_client *client = &conductor->clients[i];
            if (client->process != 0)
                text_format(&who, "%sclient-%d, which %s%s", who.length > 0 ? "; " : "", i + 1,
                            client->is_dying ? "a fault killed, and " : "",
                            process_doing(client->process));
        }
        state_break(&conductor->state,
                    "%d of %d clients did not end after they were told to: %s%s%s",
                    living_clients(conductor), (int)conductor->scenario->clients.processes,
                    text_string(&who), who_stopped(stopped_ns), client_suspect(conductor->trial));
    }
}

static int perform(struct conductor *conductor, struct error *error)
{
    show(conductor, "connecting");
    if (start_clients(conductor, error) != 0)
        return -1;
    int connected = wait_until_connected(conductor, error);
    if (connected != 0)
        return connected;
    enum stop_reason reason = run_until_stop(conductor);
    stop(conductor, reason);
    let_clients_end(conductor);
    if (conductor->observer > 0 &&
        observer_finish(conductor->state.control, conductor->observer, error) != 0)
        return -1;
    reap(conductor);
    if (reason == STOP_INTERRUPTED) {
        // A value that cannot be read any more is missing, as after a kill.
        (void)state_record_values(&conductor->state, &conductor->writer, error);
        return TRIAL_INTERRUPTED;
    }
    if (atomic_load(&conductor->state.control->broken) == 1)
        return error_set(error, "a client failed, and died before it could say why");
    if (state_broken(&conductor->state) != NULL)
        return error_set(error, "%s", state_broken(&conductor->state));
    if (state_record_values(&conductor->state, &conductor->writer, error) != 0)
        return -1;
    residual_locks_record(&conductor->environment, conductor->state.keys, conductor->state.scheme,
                          conductor->scenario->lock.lease_ns, &conductor->writer);
    if (history_file_overflowed(&conductor->state.history))
        return error_set(error,
                         "the history is full; run for a shorter time or with fewer clients");
    return check_disk(conductor, error);
}

// --- the whole ----------------------------------------------------------------------------------

static int set_up(struct conductor *conductor, const char *folder, int serial, struct error *error)
{
    const struct scenario *scenario = conductor->scenario;
    struct trial_state *state = &conductor->state;
    show(conductor, "starting servers");
    if (state_open(state, conductor->trial, conductor->pool, folder, serial, &conductor->nodes,
                   error) != 0)
        return sandbox_is_interrupted(conductor->sandbox) ? TRIAL_INTERRUPTED : -1;
    if (state->scheme->is_possible != NULL &&
        !state->scheme->is_possible(&state->lock_service, error))
        return TRIAL_IMPOSSIBLE;
    fault_environment_open(&conductor->environment, state, conductor->pool, &conductor->nodes,
                           conductor->clients, conductor->client_count);
    for (int i = 0; i < conductor->client_count; i++)
        conductor->clients[i].driver =
            agent_address_of(conductor->trial->external_client, state->tag, i + 1);
    if (strikers_start(&conductor->environment, error) != 0)
        return -1;
    enum availability available = schedule_available(&conductor->environment, error);
    if (available != FAULT_AVAILABLE)
        return available == FAULT_MISSING ? TRIAL_IMPOSSIBLE : TRIAL_MEANINGLESS;
    history_writer_start(&conductor->writer, &state->history, 0, 0);
    cluster_watch(&conductor->pool->cluster, &conductor->writer);
    int64_t initial = workload_initial(state->workload, scenario);
    conductor->is_prepared = true;
    if (state_prepare(state, initial, &conductor->writer, error) != 0)
        return -1;
    conductor->follower = history_follower_new(&state->history);
    conductor->schedule = schedule_new(&conductor->environment, &conductor->writer);
    return 0;
}

static void tear_down(struct conductor *conductor)
{
    for (int i = 0; i < conductor->client_count; i++) {
        client_kill(&conductor->clients[i]);
        forget_end(&conductor->ends[i]);
    }
    cluster_watch(&conductor->pool->cluster, NULL);
    strikers_stop(&conductor->environment);
    process_kill(conductor->observer);
    struct error error;
    // What lies on servers that end with the trial need not be removed.
    bool removed = trial_strikes_servers(conductor->trial) && !trial_is_external(conductor->trial);
    if (conductor->is_prepared && !removed && state_clean_up(&conductor->state, &error) != 0)
        fprintf(stderr, "lockpick: %s: something may be left on its servers: %s\n",
                conductor->trial->name, error.text);
    history_follower_free(conductor->follower);
    schedule_free(conductor->schedule);
    fault_environment_close(&conductor->environment);
    watch_free(&conductor->watch);
    state_close(&conductor->state, &conductor->nodes);
    server_pool_release(conductor->pool, conductor->trial);
    munmap(conductor->clients, (size_t)conductor->client_count * sizeof *conductor->clients);
    free(conductor->ends);
}

int trial_conduct(const struct trial *trial, struct server_pool *pool, const char *folder,
                  int serial, const struct progress *progress, struct error *error)
{
    const struct clients_settings *clients = &trial_as_run(trial)->clients;
    if (trial->scenario->schedule.count > 0)
        return replay_conduct(trial, pool, folder, serial, error);
    struct conductor conductor = {.trial = trial,
                                  .scenario = trial_as_run(trial),
                                  .sandbox = pool->sandbox,
                                  .pool = pool,
                                  .progress = progress,
                                  .client_count = (int)clients->processes};
    // The observer looks there, too.
    conductor.clients = memory_shared((size_t)conductor.client_count * sizeof *conductor.clients);
    conductor.ends = memory_zeroed((size_t)conductor.client_count, sizeof *conductor.ends);
    for (int i = 0; i < conductor.client_count; i++)
        conductor.ends[i].fd = -1;
    const struct external_client *external_client = trial->external_client;
    watch_start(&conductor.watch, conductor.client_count, (int)clients->threads,
                clients->start_first.client,
                external_client != NULL && external_client->plugin == NULL);
    int result = set_up(&conductor, folder, serial, error);
    if (result == 0)
        result = perform(&conductor, error);
    tear_down(&conductor);
    // Servers of a trial that failed may be what failed it.
    if (result < 0)
        server_pool_clear(pool);
    return result;
}
