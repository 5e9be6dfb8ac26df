#include "harness/run/observer.h"

#include "harness/base/growing.h"
#include "harness/cluster/process.h"
#include "harness/history/event.h"
#include "harness/run/usage.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// Looks may cost one part in so many of the time: less where nothing strikes, for costs are
// measured there. One that has few threads is looked at as often beside others that have thousands,
// for which twice as much may be spent.
#define COST_SHARE 200
#define QUIET_COST_SHARE 1000
// Programs of clients are looked for so often, as they come and go.
#define DRIVERS_EVERY_NS NS_PER_S
// The observer is waited for so long, which may stand still with the machine.
#define FINISH_LIMIT_NS (20 * NS_PER_S)

struct observed {
    pid_t process; // 0: it has ended
    struct stall whose;
    struct process_look look;
    int64_t since_ns; // since when it stands still; 0: it does not
    int64_t cost_ns;  // of the last look; 0 until the second: the first one opens all
};

struct observer {
    const struct trial_state *state;
    pid_t conductor;
    const struct fault_client *clients; // shared: as they are, and as faults stop them
    int client_count;
    const struct cluster *servers;
    bool looks_for_drivers;
    bool stops_servers; // a fault may: nobody knows then whose doing it is that one stands still
    int64_t cost_share;
    int64_t drivers_ns; // when to look for them again
    struct observed *observed;
    size_t count, room;
    struct thread_watch threads;
    struct history_writer writer;
};

// --- the processes -------------------------------------------------------------------------------

static struct observed *observe(struct observer *observer, pid_t process, enum stalled of,
                                int number)
{
    struct observed *observed = NULL; // the place of one that has ended
    for (size_t i = 0; i < observer->count; i++) {
        if (observer->observed[i].process == process)
            return &observer->observed[i];
        if (observer->observed[i].process == 0)
            observed = &observer->observed[i];
    }
    if (observed == NULL)
        observed = APPEND(observer->observed, observer->count, observer->room);
    *observed = (struct observed){.process = process, .whose = {.of = of, .number = number}};
    return observed;
}

static bool is_of_family(const struct process_list *list, pid_t process, pid_t ancestor)
{
    for (size_t i = 0; i < list->count; i++) {
        if (list->items[i].id == process)
            return list->items[i].parent == ancestor ||
                   is_of_family(list, list->items[i].parent, ancestor);
    }
    return false;
}

static void look_for_drivers(struct observer *observer, int64_t now_ns)
{
    if (!observer->looks_for_drivers || now_ns < observer->drivers_ns)
        return;
    int64_t used_ns = thread_processor_ns();
    struct process_list list = process_list_read();
    for (size_t i = 0; i < list.count; i++) {
        for (int client = 0; client < observer->client_count; client++) {
            pid_t process = observer->clients[client].process; // 0: it has ended
            if (process != 0 && is_of_family(&list, list.items[i].id, process))
                observe(observer, list.items[i].id, STALLED_DRIVER, client + 1);
        }
    }
    free(list.items);
    int64_t rest_ns = observer->cost_share * (thread_processor_ns() - used_ns);
    observer->drivers_ns = now_ns + time_later(DRIVERS_EVERY_NS, rest_ns);
}

void observer_tell(struct control *control, const struct cluster *servers)
{
    for (int i = 0; i < servers->count && i < MAX_OBSERVED_SERVERS; i++) {
        const struct node *node = &servers->nodes[i]; // on another host, its agent looks
        atomic_store_explicit(&control->servers[i], node->remote == NULL ? node->server : 0,
                              memory_order_relaxed);
    }
}

// --- looking -------------------------------------------------------------------------------------

// Begins a stall, or goes on with one; what is over, or was long enough for a piece, is recorded.
static void note(struct observer *observer, struct observed *observed, bool stands_still,
                 int64_t now_ns)
{
    if (stands_still && observed->since_ns == 0)
        observed->since_ns = observed->look.looked_ns;
    if (observed->since_ns == 0)
        return;
    int64_t length_ns = now_ns - observed->since_ns;
    if (stands_still && length_ns < STALL_PIECE_NS)
        return;
    struct stall stall = observed->whose;
    stall.from_ns = observed->since_ns;
    stall.to_ns = now_ns;
    if (length_ns >= PROCESS_STALL_NS)
        history_append(&observer->writer, stall_event(&stall));
    observed->since_ns = stands_still ? now_ns : 0;
}

// True if a fault stops it, or may do so.
static bool by_fault(const struct observer *observer, const struct stall *whose)
{
    if (whose->of == STALLED_CLIENT || whose->of == STALLED_DRIVER)
        return atomic_load(&observer->clients[whose->number - 1].is_to_stop);
    return whose->of == STALLED_SERVER && observer->stops_servers;
}

static void look_at(struct observer *observer, struct observed *observed)
{
    int64_t now_ns = clock_monotonic_ns();
    bool may_be_stopped = by_fault(observer, &observed->whose);
    struct process_look look = observed->look;
    enum process_way way =
        process_look_again(&observer->threads, observed->process, may_be_stopped, now_ns, &look);
    note(observer, observed, way == PROCESS_STOOD_STILL, now_ns);
    observed->look = look;
    if (way == PROCESS_IS_GONE)
        observed->process = 0;
}

// When to look again, where all looks together cost that much: they take turns, but each process
// may cost its share.
static int64_t due_ns(const struct observer *observer, const struct observed *observed,
                      int64_t total_ns)
{
    int64_t share_ns = observed->cost_ns * (int64_t)observer->count;
    return observed->look.looked_ns + observer->cost_share * time_earlier(share_ns, total_ns);
}

static void *observe_others(void *context)
{
    struct observer *observer = context;
    history_writer_start(&observer->writer, &observer->state->history, 0, 2);
    observe(observer, observer->conductor, STALLED_CONDUCTOR, 0);
    for (int i = 0; i < observer->client_count; i++)
        observe(observer, observer->clients[i].process, STALLED_CLIENT, i + 1);
    for (;;) {
        int64_t began_ns = clock_monotonic_ns();
        int64_t next_ns = began_ns + DRIVERS_EVERY_NS, total_ns = 0;
        look_for_drivers(observer, began_ns);
        // Those that were restarted since are other processes.
        for (int i = 0; i < observer->servers->count && i < MAX_OBSERVED_SERVERS; i++) {
            pid_t process = atomic_load(&observer->state->control->servers[i]);
            if (process <= 0)
                continue;
            struct stall *whose = &observe(observer, process, STALLED_SERVER, i + 1)->whose;
            snprintf(whose->server, sizeof whose->server, "%.16s",
                     observer->servers->nodes[i].name);
        }
        FOR_EACH (observed, observed, observer->observed, observer->count)
            total_ns += observed->process != 0 ? observed->cost_ns : 0;
        for (size_t i = 0; i < observer->count; i++) {
            struct observed *observed = &observer->observed[i];
            if (observed->process == 0)
                continue;
            if (began_ns >= due_ns(observer, observed, total_ns)) {
                int64_t used_ns = thread_processor_ns();
                bool is_first = observed->look.looked_ns == 0;
                look_at(observer, observed);
                observed->cost_ns = is_first ? 0 : thread_processor_ns() - used_ns;
            }
            next_ns = time_earlier(next_ns, due_ns(observer, observed, total_ns));
        }
        clock_sleep_until_ns(time_later(began_ns + LOOK_EVERY_NS, next_ns));
    }
    return NULL;
}

// --- the machine ---------------------------------------------------------------------------------

// How far CLOCK_REALTIME is ahead of CLOCK_MONOTONIC; `before_ns` if the reading was disturbed.
// Both are slewed alike, so the difference moves only when somebody sets the clock.
static int64_t realtime_offset_ns(int64_t before_ns)
{
    int64_t from_ns = clock_monotonic_ns();
    int64_t realtime_ns = clock_realtime_ns();
    int64_t to_ns = clock_monotonic_ns();
    return to_ns - from_ns > NS_PER_MS / 10 ? before_ns : realtime_ns - from_ns;
}

static void observe_machine(const struct trial_state *state)
{
    int64_t every_ns = state->trial->scenario->fault_count == 0 ? WAKE_EVERY_NS : 2 * WAKE_EVERY_NS;
    struct history_writer writer;
    history_writer_start(&writer, &state->history, 0, 1);
    int64_t offset_ns = realtime_offset_ns(clock_realtime_ns() - clock_monotonic_ns());
    for (int64_t due_ns = clock_monotonic_ns() + every_ns;; due_ns += every_ns) {
        clock_sleep_until_ns(due_ns);
        int64_t step_ns = realtime_offset_ns(offset_ns) - offset_ns;
        if (step_ns > NS_PER_MS || step_ns < -NS_PER_MS) {
            history_append(&writer, (struct event){.kind = EVENT_CLOCK_STEP,
                                                   .clock_step = {.step_ns = step_ns}});
            offset_ns += step_ns;
        }
        int64_t now_ns = clock_monotonic_ns();
        if (now_ns - due_ns > STALL_NS) {
            history_append(&writer,
                           stall_event(&(struct stall){
                               .from_ns = due_ns, .to_ns = now_ns, .of = STALLED_MACHINE}));
            due_ns = now_ns;
        }
        atomic_store_explicit(&state->control->observed_ns, now_ns, memory_order_release);
    }
}

int observer_finish(const struct control *control, pid_t observer, struct error *error)
{
    int64_t asked_ns = clock_monotonic_ns();
    while (atomic_load_explicit(&control->observed_ns, memory_order_acquire) < asked_ns) {
        siginfo_t ended = {0};
        if (waitid(P_PID, (id_t)observer, &ended, WEXITED | WNOHANG | WNOWAIT) != 0 ||
            ended.si_pid != 0)
            return 0; // the caller, who reaps it, says so
        if (clock_monotonic_ns() > asked_ns + FINISH_LIMIT_NS)
            return error_set(error,
                             "the observer, which measures stalls, stands still since %d s or more",
                             (int)(FINISH_LIMIT_NS / NS_PER_S));
        clock_sleep_until_ns(clock_monotonic_ns() + NS_PER_MS);
    }
    return 0;
}

pid_t observer_start(const struct trial_state *state, const struct fault_client *clients,
                     int client_count, const struct cluster *servers, struct error *error)
{
    struct observer observer = {
        .state = state,
        .conductor = getpid(),
        .clients = clients,
        .client_count = client_count,
        .servers = servers,
        .looks_for_drivers = state->scheme->external_client != NULL,
        .cost_share = state->trial->scenario->fault_count == 0 ? QUIET_COST_SHARE : COST_SHARE};
    const struct scenario *scenario = trial_as_run(state->trial);
    for (size_t i = 0; i < scenario->fault_count; i++)
        observer.stops_servers |=
            scenario->faults[i].target.client == 0 && fault_can(&scenario->faults[i], FAULT_STOPS);
    observer_tell(state->control, servers);
    fflush(NULL); // the child must not flush what the conductor had buffered
    pid_t id = fork();
    if (id < 0)
        return error_set(error, "cannot fork the observer: %s", strerror(errno));
    if (id > 0)
        return id;
    prctl(PR_SET_NAME, "observer");
    process_settle(observer.conductor, -1, -1);
    pthread_t others;
    int reason =
        processes_can_be_read() ? pthread_create(&others, NULL, observe_others, &observer) : 0;
    if (reason != 0)
        state_break(state, "the observer could not start its thread: %s", strerror(reason));
    observe_machine(state);
    _exit(0);
}
