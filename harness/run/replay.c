#include "harness/run/replay.h"

#include "harness/base/scope.h"
#include "harness/cluster/exploration.h"
#include "harness/run/conductor.h"
#include "harness/run/explored_clients.h"
#include "harness/run/trial_state.h"
#include "harness/wire/parser.h"
#include "harness/wire/spare.h"

#include <stdlib.h>
#include <string.h>

// What every schedule's clocks show first, and how far they go with each move: far less than any
// lease, so that all of a schedule's moves together are no time.
#define ZERO_NS (1000 * NS_PER_S)
#define TICK_NS NS_PER_US
// Beyond a lease, for what clocks may differ by.
#define BEYOND_LEASE_NS (10 * NS_PER_MS)
// Of a lease, while all wait: nobody who keeps asking for the lock may keep it alive by that.
#define WAIT_SHARE 0.9
// How late a timer goes off: so late that no server thinks its time is still to come.
#define LATE_NS (2 * NS_PER_MS)
// Of threads, while all wait: those that ask again and again without a pause are left alone then.
#define MOST_STEPS_OF_WAIT 2000

struct replay {
    const struct trial *trial;
    struct trial_state state;
    struct cluster nodes;
    int64_t zero_ns, now_ns, last_ns; // zero_ns: when the schedule began
    int count;                        // of clients
    struct threads threads;
    bool has_stalled;                                    // a watchdog, in this schedule
    bool was_plain;                                      // the last move (replay_was_plain)
    struct text forgot, prolonged;                       // struct trial_model's; "": nothing
    struct gated_client *clients[MOST_EXPLORED_CLIENTS]; // NULL: never started
    struct history_writer deaths[MOST_EXPLORED_CLIENTS];
    int waits;
    struct explored_servers servers;
    struct clock_shift clock;           // the harness's, and its clients'
    struct text kept, lagging;          // room for what servers and lagging replicas keep
    bool is_kept_known;                 // that is what they keep now
    struct programs *programs;          // of a lock that is not ours, or NULL
    struct spare_clients *spare;        // of the lock's servers
    bool struck[MOST_EXPLORED_CLIENTS]; // by a fault
    struct history_writer writer;
    struct history history;
    struct trial_model model;
    bool is_judged;
};

// --- time ----------------------------------------------------------------------------------------

static void set_time(struct replay *replay, int64_t now_ns)
{
    struct explored_servers *servers = &replay->servers;
    struct error error = {0};
    replay->now_ns = now_ns;
    replay->is_kept_known = false;
    clock_freeze(&replay->clock, servers->zero_unix_ns, now_ns);
    if (replay->programs != NULL)
        programs_set_time(replay->programs, servers->zero_unix_ns, now_ns);
    if (servers->how->set_time == NULL)
        explored_set_clocks(servers, now_ns);
    else if (servers->how->set_time(servers, now_ns, &error) != 0)
        state_break(&replay->state, "%s", error.text);
}

// Who has been granted something before knows it to be older now.
static void pass_time_until(struct replay *replay, int64_t until_ns, const char *how)
{
    threads_hear(&replay->threads, how);
    set_time(replay, until_ns);
    // By a tenth of the lease: by nothing that our moves take.
    replay->has_stalled |=
        threads_are_late(&replay->threads, replay->trial->scenario->lock.lease_ns / 10);
    threads_settle(&replay->threads, true);
}

// Of timers that are due soon enough for leases; TIME_NEVER: there is none.
static int64_t next_timer_ns(const struct replay *replay)
{
    return threads_next_timer_ns(&replay->threads, 2 * replay->trial->scenario->lock.lease_ns);
}

// After which a lease is over for everybody.
static int64_t whole_lease_ns(const struct replay *replay)
{
    int64_t lease_ns = replay->trial->scenario->lock.lease_ns;
    return lease_ns + allowed_drift_ns(lease_ns) + replay->trial->server->late_expiry_ns +
           BEYOND_LEASE_NS;
}

static int64_t wait_ns(const struct replay *replay)
{
    return (int64_t)(WAIT_SHARE * (double)replay->trial->scenario->lock.lease_ns);
}

// So long nobody who could be granted the lock waits for it.
static int64_t until_stuck_ns(const struct replay *replay)
{
    const struct lock_settings *lock = &replay->trial->scenario->lock;
    return lock->stuck_after_ns + lock->lease_ns;
}

// --- opening and closing -------------------------------------------------------------------------

static const struct server_exploration *exploration_of(const struct lock_scheme *scheme)
{
    const struct server_kind *kind =
        scheme->server != NULL ? server_kind_find(scheme->server) : NULL;
    return kind != NULL ? kind->exploration : NULL;
}

static bool can_be_replayed(const struct trial *trial, struct error *error)
{
    struct lock_scheme room;
    const struct lock_scheme *scheme = trial_scheme(trial, &room);
    const struct server_exploration *how = exploration_of(scheme);
    static const char *const single[] = {"single", NULL};
    const char *why = NULL;
    if (how == NULL)
        why = "no lock on its kind of server can be explored yet";
    else if (!text_is_one_of(trial_topology(trial),
                             how->topologies != NULL ? how->topologies : single))
        why = "its servers replicate and elect leaders at times that no schedule sets";
    else if (trial_is_external(trial))
        why = "its servers are not Lockpick's own, which alone it may empty";
    else if (trial->external_client != NULL && (how->only_ours || how->is_blocked != NULL))
        why = "no program that locks with servers of its kind can be explored yet";
    else if (trial->external_client != NULL && trial_has_queue(trial) && how->keep == NULL)
        why = "it is a queue of a program's, which only Redis can fill again for each schedule";
    else if (trial->external_client != NULL && trial->external_client->plugin != NULL)
        why = "it is a plug-in; `lockpick explore` has one loaded by a program, whose requests it "
              "sees";
    else if (external_client_host(trial->external_client, 1) != NULL ||
             scenario_server(trial->scenario, scheme->server)->hosts.count > 0)
        why = "it is on other hosts, whose time nobody sets";
    else if (trial->external_client != NULL && trial->external_client->renew)
        why = "it is asked to renew its lease in the background, which nobody holds yet";
    else if (trial->external_client == NULL && scheme->open_client != NULL && !how->holds_threads)
        why = "it has threads of its own (watchdog, subscription) whose steps nobody holds yet";
    else if (trial->external_client == NULL && !trial_has_queue(trial) &&
             scenario_key_count(trial->scenario) > 1 &&
             (scheme->renewal != NULL || scheme->open_client != NULL))
        why = "each of several locks has threads of its own, and those of one alone are held";
    else if (trial->scenario->clients.processes > MOST_EXPLORED_CLIENTS ||
             trial->scenario->clients.threads > 2)
        why = "it can be explored with up to 4 clients of up to 2 threads each";
    if (why != NULL)
        error_set(error, "%s cannot be explored: %s", trial->scheme, why);
    return why == NULL;
}

static void sleep_until(void *context, int64_t until_ns)
{
    struct replay *replay = context;
    set_time(replay, time_later(until_ns, replay->now_ns));
}

int replay_open(const struct trial *trial, struct server_pool *pool, const char *folder, int serial,
                struct replay **opened, struct error *error)
{
    *opened = NULL;
    if (!can_be_replayed(trial, error))
        return TRIAL_MEANINGLESS;
    struct replay *replay = memory_zeroed(1, sizeof *replay);
    struct trial_state *state = &replay->state;
    replay->trial = trial;
    replay->count = (int)trial->scenario->clients.processes;
    int result = state_open(state, trial, pool, folder, serial, &replay->nodes, error);
    if (result == 0 && state->scheme->is_possible != NULL &&
        !state->scheme->is_possible(&state->lock_service, error))
        result = TRIAL_IMPOSSIBLE;
    if (result == 0) {
        replay->servers = (struct explored_servers){
            .how = exploration_of(state->scheme),
            .service = &state->lock_service,
            .group = &pool->cluster.groups[0],
            .has_programs = trial->external_client != NULL,
            .zero_unix_ns = clock_realtime_ns() / NS_PER_S * NS_PER_S,
        };
        result = explored_open(&replay->servers, error);
    }
    if (result == 0 && trial->external_client != NULL) {
        replay->programs =
            programs_open(state, &replay->servers, &replay->clock, sleep_until, replay, error);
        result = replay->programs != NULL ? 0 : -1;
    }
    replay->spare = state->lock_service.spare = spare_clients_new();
    if (result != 0) {
        replay_close(replay);
        return result;
    }
    replay_follow_replicas(replay, true);
    state->history.last_ns = &replay->last_ns;
    replay->zero_ns = ZERO_NS;
    set_time(replay, ZERO_NS);
    clock_follow(&replay->clock);
    *opened = replay;
    return 0;
}

void replay_close(struct replay *replay)
{
    if (replay == NULL)
        return;
    for (int i = 0; i < replay->count; i++)
        client_free_gated(replay->clients[i]);
    programs_close(replay->programs);
    clock_follow(NULL);
    if (replay->servers.how != NULL)
        explored_close(&replay->servers);
    text_free(&replay->kept);
    text_free(&replay->lagging);
    text_free(&replay->forgot);
    text_free(&replay->prolonged);
    threads_free(&replay->threads);
    spare_clients_free(replay->spare);
    state_close(&replay->state, &replay->nodes);
    free(replay);
}

// --- a schedule ----------------------------------------------------------------------------------

static int start_clients(struct replay *replay, struct error *error)
{
    // Of jobs as many as it takes until all are done: no more than a schedule has moves.
    int64_t operations = replay->state.workload->form.has_jobs
                             ? MOST_MOVES
                             : workload_explored_operations(replay->trial->scenario);
    for (int i = 0; i < replay->count; i++) {
        history_writer_start(&replay->deaths[i], &replay->state.history, i + 1, 0);
        history_append(&replay->deaths[i], (struct event){.kind = EVENT_PROCESS_START,
                                                          .process_start = {.pid = i + 1}});
        if (replay->clients[i] == NULL)
            replay->clients[i] = client_new_gated(&replay->state, replay->threads.gates[i], i + 1,
                                                  operations, error);
        if (replay->clients[i] == NULL)
            return -1;
        client_start_gated(replay->clients[i]);
        gate_await(&replay->threads.gates[i][THREAD_WORKER]);
    }
    threads_are_started(&replay->threads);
    replay->servers.part_ns = replay->threads.has_threads ? TIMER_PART_NS : 0;
    history_append(&replay->writer, (struct event){.kind = EVENT_BARRIER_OPEN});
    const char *broken = state_broken(&replay->state);
    return broken == NULL ? 0 : error_set(error, "%s", broken);
}

// A request has executed.
static void note_write(struct replay *replay)
{
    struct explored_servers *servers = &replay->servers;
    struct error error = {0};
    if (servers->are_followed && servers->how->note_write(servers, &error) != 0)
        state_break(&replay->state, "%s", error.text);
}

void replay_follow_replicas(struct replay *replay, bool may_take_over)
{
    struct explored_servers *servers = &replay->servers;
    servers->are_followed = may_take_over && servers->how->note_write != NULL;
    if (!may_take_over)
        memset(servers->lags, 0, sizeof servers->lags);
    replay->lagging.length = 0;
}

int replay_begin(struct replay *replay, struct error *error)
{
    // What broke the last schedule ended with it.
    atomic_store(&replay->state.control->broken, 0);
    atomic_store(&replay->state.control->stop, 0);
    threads_begin(&replay->threads, replay->count, &replay->servers, &replay->kept);
    // Programs live through many schedules: their time never goes back, but that of day, which each
    // begins at. Servers have timers that are due a second after the last one: they are over.
    if (replay->programs != NULL) {
        if (programs_begin(replay->programs, error) != 0)
            return -1;
        int64_t zero_ns = (replay->now_ns / NS_PER_S + 3) * NS_PER_S;
        replay->servers.zero_unix_ns -= zero_ns - replay->zero_ns;
        replay->zero_ns = zero_ns;
        programs_set_zero(replay->programs, replay->servers.zero_unix_ns + zero_ns);
    }
    memset(replay->servers.ahead_ns, 0, sizeof replay->servers.ahead_ns);
    set_time(replay, replay->zero_ns);
    memset(replay->servers.lags, 0, sizeof replay->servers.lags);
    memset(replay->struck, 0, sizeof replay->struck);
    for (int i = 0; i < replay->count; i++)
        clock_shift_clear(&replay->state.control->client_clocks[i], SHIFTED_REALTIME);
    replay->has_stalled = false;
    replay->forgot.length = replay->prolonged.length = 0;
    replay->waits = 0;
    // With the highest token that the store has seen.
    memset(replay->state.accounts, 0, replay->state.key_count * sizeof *replay->state.accounts);
    history_file_restart(&replay->state.history);
    replay->last_ns = replay->zero_ns;
    history_writer_start(&replay->writer, &replay->state.history, 0, 0);
    if (replay->servers.how->empty(&replay->servers, error) != 0)
        return -1;
    int64_t initial = workload_initial(replay->state.workload, replay->trial->scenario);
    if (state_prepare(&replay->state, initial, &replay->writer, error) != 0 ||
        start_clients(replay, error) != 0)
        return -1;
    note_write(replay);
    // What was there before the first step is everywhere.
    memset(replay->servers.lags, 0, sizeof replay->servers.lags);
    return 0;
}

// Until the next step, or until time passes, replay->kept is what the servers keep.
static int read_image(struct replay *replay, struct error *error)
{
    struct explored_servers *servers = &replay->servers;
    if (replay->is_kept_known)
        return 0;
    replay->kept.length = replay->lagging.length = 0;
    replay->is_kept_known = servers->how->image(servers, &replay->kept, error) == 0 &&
                            (!servers->are_followed ||
                             servers->how->lagging_image(servers, &replay->lagging, error) == 0);
    if (replay->is_kept_known && replay->programs != NULL) {
        programs_tell_image(replay->programs, &replay->kept);
        programs_tell_image(replay->programs, &replay->lagging);
    }
    return replay->is_kept_known ? 0 : -1;
}

// Who sleeps can go on once the servers keep something else.
static void know_for_sleepers(struct replay *replay)
{
    struct error error = {0};
    if (threads_sleep(&replay->threads) && read_image(replay, &error) != 0)
        state_break(&replay->state, "%s", error.text);
}

// Whether some server keeps the lock. A queue is always there.
static bool has_lock(struct replay *replay)
{
    struct error ignored;
    const char *name = replay->state.keys[0].lock_name;
    return trial_has_queue(replay->trial) ||
           (read_image(replay, &ignored) == 0 &&
            memmem(text_string(&replay->kept), replay->kept.length, name, strlen(name)) != NULL);
}

// How a server was set up tells whether it keeps anything; that it keeps all is also tried of one
// that was set up otherwise, for nothing else changes with it. What it has not, it cannot lose.
static bool can_server(struct replay *replay, struct move move)
{
    const struct server_exploration *how = replay->servers.how;
    const struct server_group *group = replay->servers.group;
    const struct server_kind *kind = group->nodes[0].kind;
    bool keeps = kind->keeps_data || group->settings.persistence != PERSISTENCE_NONE;
    if (move.server == 0 || move.server > replay_servers(replay))
        return false;
    if (move.kind == MOVE_EVICT) // whose name the keys of a queue need not have
        return how->evict != NULL && !trial_has_queue(replay->trial) && has_lock(replay);
    if (move.kind == MOVE_FAIL_OVER)
        return replay->servers.lags[move.server - 1];
    if (move.kind == MOVE_SERVER_AHEAD || move.kind == MOVE_SERVER_BACK)
        return explored_has_clock(&replay->servers, move.server - 1) && has_lock(replay);
    return how->restart != NULL &&
           (move.kind == MOVE_RESTART ? !kind->is_in_memory : !keeps && has_lock(replay));
}

static struct random *random_of(const struct replay *replay, struct move move)
{
    return client_random(replay->clients[move.client - 1], move.thread);
}

bool replay_can(struct replay *replay, struct move move)
{
    const struct threads *threads = &replay->threads;
    if (move.kind >= MOVE_FIRST_OF_SERVER)
        return can_server(replay, move);
    if (move.kind == MOVE_TIME || move.kind == MOVE_TIMER)
        return move.kind == MOVE_TIME || next_timer_ns(replay) != TIME_NEVER;
    if (move.kind == MOVE_WAIT) {
        struct move ignored;
        return !replay_is_stuck(replay) && !replay_is_over(replay) &&
               !threads_first(threads, (struct move){.client = 0}, &ignored);
    }
    if (move.client == 0 || move.client > replay->count || threads->crashed[move.client - 1])
        return false;
    if (move.kind == MOVE_STEP)
        return thread_can(threads, move);
    const struct step_gate *gate = &threads->gates[move.client - 1][move.thread];
    if (move.kind == MOVE_REFUSE &&
        (!replay->servers.how->refuses || move.thread == THREAD_SUBSCRIBER ||
         (replay->programs != NULL && parser_refused(replay->servers.service->kind) == NULL)))
        return false;
    if (move.kind == MOVE_CRASH)
        return move.thread == THREAD_WORKER && gate->place != GATE_AT_START &&
               !client_is_over(threads, move.client);
    if (move_sets_clock(move))
        return replay->programs == NULL && thread_can(threads, move);
    if (move.kind == MOVE_DRAW_ZERO &&
        (replay->programs != NULL || random_of(replay, move) == NULL))
        return false;
    return gate->is_there && gate->place == (move.kind == MOVE_LOSE_MESSAGE ? GATE_BEFORE_MESSAGE
                                                                            : GATE_BEFORE_REQUEST);
}

static void crash(struct replay *replay, int client)
{
    const struct server_exploration *how = replay->servers.how;
    struct error error = {0};
    replay->threads.crashed[client - 1] = true;
    history_append(
        &replay->deaths[client - 1],
        (struct event){
            .kind = EVENT_PROCESS_DEATH,
            .process_death = {.pid = client, .signal = 9, .killed_ns = clock_monotonic_ns()}});
    sessions_crash(&replay->threads, client);
    sessions_settle(&replay->threads);
    if (how->crash != NULL && how->crash(&replay->servers, client, &error) != 0)
        state_break(&replay->state, "%s", error.text);
    threads_settle(&replay->threads, how->crash != NULL);
}

// The thread goes on, and with it those that it rings for.
static void step(struct replay *replay, struct move move, enum gate_order order)
{
    struct threads *threads = &replay->threads;
    struct step_gate *gate = thread_gate(threads, move);
    const enum gate_place from = gate->place;
    bool is_try =
        (from == GATE_BEFORE_REQUEST || from == GATE_ANSWERED) && !replay_is_private(replay, move);
    bool may_publish = from == GATE_BEFORE_REQUEST && move.thread != THREAD_SUBSCRIBER;
    bool is_lost = order == GATE_LOSE_REQUEST || order == GATE_LOSE_REPLY || order == GATE_REFUSE;
    replay->struck[move.client - 1] |= is_lost;
    // A program sleeps until its clock says so; our worker before it asks for a job, for no time.
    if (replay->programs != NULL && from == GATE_SLEEPING && gate->until_ns != TIME_NEVER)
        set_time(replay, time_later(gate->until_ns, replay->now_ns));
    sessions_let_go(&replay->threads, gate, order);
    if (order == GATE_GO_AND_STAND) {
        replay->has_stalled = true; // its answer came too late
        threads->events++;
        pass_time_until(replay, replay->now_ns + whole_lease_ns(replay), "time");
    }
    if (gate->place == GATE_AFTER_REPLY)
        sessions_let_go(&replay->threads, gate, GATE_GO);
    sessions_settle(&replay->threads);
    threads_settle(threads, may_publish);
    note_write(replay);
    if (is_try && gate->place == GATE_SLEEPING)
        gate_tried_in_vain(gate);
    replay->is_kept_known = false;
    know_for_sleepers(replay);
    thread_stands(threads, move, from == GATE_SLEEPING, is_lost);
}

// If nothing is drawn in the step, what is drawn later is as it would have been.
static void step_drawing_zero(struct replay *replay, struct move move)
{
    struct random *random = random_of(replay, move);
    struct random before = *random;
    random_draw_zero(random);
    struct random zero = *random;
    step(replay, move, GATE_GO);
    replay->was_plain = memcmp(random, &zero, sizeof zero) == 0;
    if (replay->was_plain)
        *random = before;
}

// If nobody looks at the time of day in the step, it may as well jump later.
static void step_with_clock(struct replay *replay, struct move move)
{
    struct clock_shift *clock = &replay->state.control->client_clocks[move.client - 1];
    int leases = move.kind == MOVE_CLOCK_AHEAD ? 1 : -1;
    int64_t by_ns = leases * whole_lease_ns(replay);
    clock_shift_set(clock, SHIFTED_REALTIME, clock_realtime_ns(), by_ns, CLOCK_RATE_NORMAL);
    step(replay, move, GATE_GO);
    replay->was_plain = !clock_shift_was_shown(clock, SHIFTED_REALTIME);
    if (replay->was_plain)
        clock_shift_set(clock, SHIFTED_REALTIME, clock_realtime_ns(), -by_ns, CLOCK_RATE_NORMAL);
    else
        replay->threads.clock_leases[move.client - 1] += leases;
}

// Whose timer is due goes on at once, and so do those that it rings for, until somebody has the
// lock.
static bool serve_timers_until(struct replay *replay, int64_t until_ns)
{
    struct threads *threads = &replay->threads;
    struct move move;
    for (int i = 0; i < MOST_STEPS_OF_WAIT; i++) {
        bool can = false;
        for (int number = 0; !can && threads_next(threads, &number, &move);)
            can = thread_can(threads, move) && thread_gate(threads, move)->place != GATE_SLEEPING;
        if (can) {
            set_time(replay, replay->now_ns + TICK_NS);
            step(replay, move, GATE_GO);
            const struct step_gate *gate = thread_gate(threads, move);
            bool waits_for_lock = gate->place != GATE_BEFORE_WRITE && gate->place != GATE_OVER &&
                                  gate->phase == PHASE_ACQUIRE;
            if (thread_is_worker(move.thread) && !waits_for_lock)
                return true;
            continue;
        }
        int64_t next_ns = next_timer_ns(replay);
        if (next_ns >= until_ns)
            break;
        pass_time_until(replay, next_ns + LATE_NS, "timer");
    }
    return false;
}

static void wait_long(struct replay *replay)
{
    int64_t until_ns = replay->now_ns + wait_ns(replay);
    replay->waits++;
    if (replay->threads.has_threads && serve_timers_until(replay, until_ns))
        replay->waits = 0;
    else
        pass_time_until(replay, time_later(until_ns, replay->now_ns), "time");
}

// Those whose timers are due then go on until they stand again.
static void pass_until_timer(struct replay *replay, int64_t timer_ns)
{
    struct threads *threads = &replay->threads;
    struct move move;
    pass_time_until(replay, timer_ns + LATE_NS, "timer");
    for (int number = 0; threads_next(threads, &number, &move);) {
        if (thread_can(threads, move) && thread_gate(threads, move)->place == GATE_WAITING)
            step(replay, move, GATE_GO);
    }
}

// A client learns of its loss when it sends next; until then the state tells it.
static void strike_server(struct replay *replay, struct move move)
{
    struct explored_servers *servers = &replay->servers;
    struct error error = {0};
    char cut[24];
    int result = 0;
    if (move.kind == MOVE_EVICT) {
        result =
            servers->how->evict(servers, move.server - 1, replay->state.keys[0].lock_name, &error);
    } else if (move.kind == MOVE_SERVER_AHEAD || move.kind == MOVE_SERVER_BACK) {
        bool is_ahead = move.kind == MOVE_SERVER_AHEAD;
        servers->ahead_ns[move.server - 1] +=
            is_ahead ? whole_lease_ns(replay) : -2 * until_stuck_ns(replay);
        set_time(replay, replay->now_ns);
    } else {
        clock_follow(NULL);
        result = servers->how->restart(servers, move.server - 1,
                                       move.kind == MOVE_RESTART   ? KEPT_ALL
                                       : move.kind == MOVE_AMNESIA ? KEPT_NOTHING
                                                                   : KEPT_REPLICATED,
                                       &error);
        clock_follow(&replay->clock);
        spare_clients_forget(replay->spare);
        snprintf(cut, sizeof cut, "cut %d", move.server);
        threads_hear(&replay->threads, cut);
        for (int i = 0; i < replay->count; i++)
            replay->struck[i] = true;
    }
    if (result != 0)
        state_break(&replay->state, "%s", error.text);
    if (move_forgets(move) && replay->forgot.length == 0)
        move_write(move, replay_stands(replay, move), &replay->forgot);
    if (move_prolongs(move) && replay->prolonged.length == 0)
        move_write(move, replay_stands(replay, move), &replay->prolonged);
    note_write(replay);
    threads_settle(&replay->threads, true);
}

void replay_move(struct replay *replay, struct move move)
{
    static const enum gate_order orders[MOVE_KINDS] = {[MOVE_LOSE_REQUEST] = GATE_LOSE_REQUEST,
                                                       [MOVE_LOSE_REPLY] = GATE_LOSE_REPLY,
                                                       [MOVE_LOSE_MESSAGE] = GATE_LOSE_REPLY,
                                                       [MOVE_REFUSE] = GATE_REFUSE,
                                                       [MOVE_TIME_INSIDE] = GATE_GO_AND_STAND};
    int64_t timer_ns = move.kind == MOVE_TIMER ? next_timer_ns(replay) : 0;
    replay->was_plain = false;
    set_time(replay, replay->now_ns + TICK_NS);
    replay->threads.events +=
        move.client == 0 || (move.kind == MOVE_CRASH && !replay_is_private(replay, move));
    if (move.kind >= MOVE_FIRST_OF_SERVER)
        strike_server(replay, move);
    else if (move.kind == MOVE_TIME)
        pass_time_until(replay, replay->now_ns + whole_lease_ns(replay), "time");
    else if (move.kind == MOVE_TIMER)
        pass_until_timer(replay, timer_ns);
    else if (move.kind == MOVE_WAIT)
        wait_long(replay);
    else if (move.kind == MOVE_CRASH)
        crash(replay, move.client);
    else if (move_sets_clock(move))
        step_with_clock(replay, move);
    else if (move.kind == MOVE_DRAW_ZERO)
        step_drawing_zero(replay, move);
    else
        step(replay, move, orders[move.kind]);
    know_for_sleepers(replay);
    if (replay->threads.error.text[0] != '\0')
        state_break(&replay->state, "cannot follow the sessions of clients: %s",
                    replay->threads.error.text);
}

bool replay_was_plain(const struct replay *replay)
{
    return replay->was_plain;
}

bool replay_is_over(const struct replay *replay)
{
    bool is_over = true;
    for (int i = 0; i < replay->count; i++)
        is_over &= client_is_over(&replay->threads, i + 1);
    return is_over;
}

bool replay_is_stuck(const struct replay *replay)
{
    return replay->waits * wait_ns(replay) >= until_stuck_ns(replay);
}

bool replay_has_stalled(const struct replay *replay)
{
    return replay->has_stalled;
}

bool replay_has_thread(const struct replay *replay, enum client_thread thread)
{
    return replay->threads.gates[0][thread].is_there;
}

bool replay_usual(struct replay *replay, struct move last, struct move *move)
{
    if (threads_first(&replay->threads, last, move))
        return true;
    *move = (struct move){.kind = MOVE_WAIT};
    return replay_can(replay, *move);
}

bool replay_is_private(const struct replay *replay, struct move move)
{
    const struct server_exploration *how = replay->servers.how;
    return (move.kind == MOVE_CRASH || move.kind == MOVE_LOSE_REQUEST ||
            move.kind == MOVE_REFUSE) &&
           how->is_blocked == NULL && how->crash == NULL;
}

static bool can_without_lock(const struct threads *threads, struct move step)
{
    return thread_can(threads, step) && thread_gate(threads, step)->place != GATE_BEFORE_WRITE;
}

bool replay_only_holders_can(const struct replay *replay)
{
    struct move step;
    bool are_holders = true;
    for (int number = 0; threads_next(&replay->threads, &number, &step);)
        are_holders &= !thread_is_worker(step.thread) || !can_without_lock(&replay->threads, step);
    return are_holders;
}

bool replay_crowding(struct replay *replay, struct move last, bool last_waits, struct move *move)
{
    const struct threads *threads = &replay->threads;
    *move = (struct move){.kind = MOVE_STEP, .client = last.client, .thread = last.thread};
    if (last.client != 0 && !last_waits && can_without_lock(threads, *move))
        return true;
    for (int number = 0; threads_next(threads, &number, move);) {
        if (!(last_waits && move_is_of_same(*move, last)) && can_without_lock(threads, *move))
            return true;
    }
    return replay_usual(replay, last, move);
}

// --- states --------------------------------------------------------------------------------------

int replay_state(struct replay *replay, uint64_t *state, struct error *error)
{
    const struct trial_state *trial = &replay->state;
    AUTO_TEXT struct text names = {0}, all = {0}, told = {0};
    if (read_image(replay, error) != 0)
        return -1;
    gate_name_tokens(text_string(&replay->kept), replay->kept.length, &names, &all);
    text_format(&all, "\n%zu %zu\n", replay->kept.length, replay->lagging.length);
    gate_name_tokens(text_string(&replay->lagging), replay->lagging.length, &names, &all);
    if (replay->programs != NULL)
        programs_tell_cut(replay->programs, replay->threads.gates);
    threads_tell(&replay->threads, &names, &all);
    // How long ago it is matters, and not when the schedule began. Each step takes a tick: what
    // went by fewer of them to the same state has the same times to a millisecond.
    gate_name_times(text_string(&all), all.length, replay->servers.zero_unix_ns + replay->now_ns,
                    NS_PER_MS, &told);
    for (size_t i = 0; i < trial->key_count; i++)
        text_add_bytes(&told, (const char *)trial->accounts[i].account.halves,
                       sizeof trial->accounts[i].account.halves);
    text_format(&told, "%d %d", replay->waits, replay->has_stalled);
    for (int i = 0; i < replay_servers(replay); i++)
        text_format(&told, " %d",
                    (replay->servers.ahead_ns[i] > 0) - (replay->servers.ahead_ns[i] < 0));
    *state = UINT64_C(14695981039346656037); // FNV-1a (Fowler, Noll, Vo), 64 bits
    for (size_t i = 0; i < told.length; i++)
        *state = (*state ^ (unsigned char)told.bytes[i]) * UINT64_C(1099511628211);
    return 0;
}

int replay_ranked(const struct replay *replay, int rank)
{
    return rank < replay->count ? replay->threads.ranked[rank] : 0;
}

void replay_remember(struct replay *replay)
{
    threads_remember(&replay->threads);
    programs_restart(replay->programs, true);
}

void replay_renew(struct replay *replay)
{
    programs_restart(replay->programs, false);
}

int replay_servers(const struct replay *replay)
{
    return replay->servers.service->server_count;
}

const char *replay_stands(const struct replay *replay, struct move move)
{
    if (move.client == 0)
        return move.server > 0 && move.server <= replay_servers(replay)
                   ? replay->servers.group->nodes[move.server - 1].name
                   : "";
    const struct step_gate *gate = &replay->threads.gates[move.client - 1][move.thread];
    static const char *const names[GATE_OVER + 1] = {
        [GATE_AT_START] = "start", [GATE_BEFORE_WRITE] = "write", [GATE_SLEEPING] = "retry",
        [GATE_WAITING] = "wakes",  [GATE_ANSWERED] = "answer",    [GATE_OVER] = "end"};
    return names[gate->place] != NULL ? names[gate->place] : gate->what;
}

// --- verdicts ------------------------------------------------------------------------------------

int replay_judge(struct replay *replay, const struct trial_model **model,
                 struct judgement *judgement, struct error *error)
{
    history_append(&replay->writer,
                   (struct event){.kind = EVENT_STOP_ASKED,
                                  .detail = replay_is_stuck(replay) ? STOP_STUCK : STOP_DONE});
    if (state_broken(&replay->state) != NULL)
        return error_set(error, "%s", state_broken(&replay->state));
    if (state_record_values(&replay->state, &replay->writer, error) != 0)
        return -1;
    replay->last_ns = TIME_NEVER; // nothing comes after this
    history_file_finish(&replay->state.history);
    history_load_finished(&replay->state.history, &replay->history);
    trial_model_make(&replay->history, replay->trial, &replay->model);
    replay->model.forgot = replay->forgot.length > 0 ? replay->forgot.bytes : NULL;
    replay->model.prolonged = replay->prolonged.length > 0 ? replay->prolonged.bytes : NULL;
    judge(&replay->model, judgement);
    replay->is_judged = true;
    *model = &replay->model;
    return 0;
}

const struct trial_model *replay_model(const struct replay *replay)
{
    return &replay->model;
}

void replay_end(struct replay *replay)
{
    if (replay->is_judged) {
        trial_model_free(&replay->model);
        history_free(&replay->history);
    }
    replay->is_judged = false;
    sessions_end(&replay->threads);
    atomic_store(&replay->state.control->stop, 1);
    // Programs go on until they have answered, and find the lock free.
    struct error ignored;
    if (replay->programs != NULL)
        replay->servers.how->empty(&replay->servers, &ignored);
    for (int i = 0; i < replay->count && replay->clients[i] != NULL; i++)
        client_join_gated(replay->clients[i]);
    if (replay->programs != NULL)
        programs_end(replay->programs, replay->struck);
}
