#include "harness/run/worker.h"

#include "harness/base/futex.h"

#include <stdlib.h>

static const struct scenario *scenario_of(const struct worker *worker)
{
    return worker->state->trial->scenario;
}

// --- turns ---------------------------------------------------------------------------------------

// What a worker does next, and when: as soon as it is free, or when the load of the trial says so.
//
// In an open loop a free worker takes the next operation that is to begin, whoever of all clients
// gets to it first, and waits for its time. If that is over, because nobody was free, it begins at
// once; what is due comes first also in a later phase, but not what a warm-up left undone. In a
// closed loop it has no time. What a client has taken waits with it if it is paused, and is lost if
// it dies, as with users who have been sent to that instance.

static int64_t next_of(_Atomic int64_t *counter)
{
    return atomic_fetch_add_explicit(counter, 1, memory_order_relaxed) + 1;
}

// False if there are no more.
static bool number(const struct worker *worker, struct turn *turn)
{
    struct control *control = worker->state->control;
    if (worker->operations > 0 && next_of(&control->begun_operations) > worker->operations)
        return false;
    turn->operation = next_of(&control->next_operation);
    return true;
}

// Gives the operation, which came to nothing, another number, for it to be tried once more. False
// if the next one is to be taken instead: in an open loop, in a workload that runs for a time, and
// once the trial ends.
static bool number_again(const struct worker *worker, struct turn *turn)
{
    if (worker->operations == 0 || turn->intended_ns > 0 || state_is_stopped(worker->state))
        return false;
    turn->operation = next_of(&worker->state->control->next_operation);
    return true;
}

// For a worker that does more than one operation at a time: takes up to `most` further ones, from
// *first on. Returns how many there are.
static int64_t reserve(const struct worker *worker, int64_t most, int64_t *first)
{
    struct control *control = worker->state->control;
    if (worker->operations > 0) {
        int64_t begun = atomic_fetch_add(&control->begun_operations, most);
        most = time_later(0, time_earlier(most, worker->operations - begun));
    }
    *first = atomic_fetch_add(&control->next_operation, most) + 1;
    return most;
}

// When the phase ends that is under way, or the trial's time; TIME_NEVER if nothing ends it.
static int64_t phase_ends_ns(const struct worker *worker)
{
    const struct load *load = &worker->state->load;
    int64_t opened_ns = atomic_load(&worker->state->control->opened_ns);
    int64_t for_ns = scenario_of(worker)->workload.for_ns;
    int64_t ends_ns = for_ns > 0 ? for_ns : TIME_NEVER;
    if (load->count > 0) {
        int64_t after_ns = opened_ns > 0 ? clock_monotonic_ns() - opened_ns : 0;
        size_t phase = load_phase_at(load, after_ns);
        ends_ns = load->begins_ns[phase < load->count ? phase + 1 : phase];
    }
    return ends_ns == TIME_NEVER || opened_ns == 0 ? TIME_NEVER : opened_ns + ends_ns;
}

enum step { STEP_BEGIN, STEP_WAIT, STEP_END };

// What to do at that time under a load of phases: to begin with `turn` at its time, or to wait
// until `until_ns` and look again.
static enum step step_at(const struct worker *worker, int64_t now_ns, struct turn *turn,
                         int64_t *until_ns)
{
    const struct load *load = &worker->state->load;
    int64_t opened_ns = atomic_load(&worker->state->control->opened_ns);
    // A client that leads begins before the gate is open to all.
    int64_t after_ns = opened_ns > 0 ? now_ns - opened_ns : 0;
    size_t phase = load_phase_at(load, after_ns);
    *turn = (struct turn){0};
    *until_ns = TIME_NEVER;
    if (phase == load->count)
        return STEP_WAIT; // the conductor ends the trial
    int64_t ends_ns = load->begins_ns[phase + 1];
    bool is_endless = ends_ns == TIME_NEVER;
    enum step wait = is_endless ? STEP_END : STEP_WAIT;
    if (!is_endless)
        *until_ns = opened_ns + ends_ns;
    if (!load_includes(load, phase, worker->actor.client))
        return wait;
    bool is_open = load->scenario->load[phase].rate > 0;
    int64_t at_ns = 0;
    if (load->arrivals != NULL && arrivals_take(load->arrivals, load_backlog_ns(load, phase),
                                                is_open ? ends_ns : after_ns, &at_ns) > 0)
        turn->intended_ns = opened_ns + at_ns;
    else if (is_open)
        return wait;
    return number(worker, turn) ? STEP_BEGIN : STEP_END;
}

// Waits until the worker is to begin with its next operation. False if there is none left, or the
// trial ends.
static bool next_turn(const struct worker *worker, struct turn *turn)
{
    const struct trial_state *state = worker->state;
    *turn = (struct turn){0};
    if (state->load.count == 0) // as soon as it is free
        return !state_is_stopped(state) && number(worker, turn);
    while (!state_is_stopped(state)) {
        int64_t until_ns;
        int64_t now_ns = clock_monotonic_ns();
        enum step step = step_at(worker, now_ns, turn, &until_ns);
        if (step == STEP_END)
            return false;
        if (step == STEP_BEGIN)
            until_ns = turn->intended_ns;
        if (until_ns > now_ns)
            state_rest_until(state, until_ns);
        if (step == STEP_BEGIN)
            return !state_is_stopped(state);
    }
    return false;
}

// --- a worker ------------------------------------------------------------------------------------

static void use_key(struct worker *worker, size_t key)
{
    worker->key = &worker->keys[key];
    worker->lock = worker->has_queue ? &worker->keys[0].lock : &worker->key->lock;
}

void worker_prepare(struct worker *worker, const struct trial_state *state,
                    struct lock_client *clients, int client_number, int number)
{
    const struct scenario *scenario = state->trial->scenario;
    *worker = (struct worker){.state = state,
                              .operations = workload_operations(state->workload, scenario)};
    worker->is_optimistic = lock_scheme_has(state->scheme, "optimistic");
    worker->has_queue = trial_has_queue(state->trial);
    // A scheme that guards its own value ends its transaction by itself.
    if (state->scheme->own_store == NULL && state->store->begin != NULL)
        worker->boundary = scenario->workload.boundary;
    history_writer_start(&worker->history, &state->history, client_number, number);
    random_start(&worker->random, state->trial->seed,
                 (uint64_t)client_number << 16 | (uint64_t)number);
    worker->actor = (struct actor){.client = client_number,
                                   .worker = number,
                                   .phase = PHASE_NONE,
                                   .clock = clients[0].clock,
                                   .board = &state->control->board,
                                   .history = &worker->history};
    struct key_range range = state_keys_of(state, client_number, number);
    size_t first = state_keys_of(state, client_number, 0).first;
    worker->keys = memory_zeroed(range.count, sizeof *worker->keys);
    worker->key_count = range.count;
    for (size_t i = 0; i < range.count; i++) {
        struct lock_client *client = &clients[range.first + i - first];
        const struct trial_key *key = &state->keys[range.first + i];
        worker->keys[i].number = key->number;
        worker->keys[i].all_know_done = &key->account->is_done;
        worker->keys[i].lock =
            (struct lock){.client = client, .actor = &worker->actor, .random = &worker->random};
        worker->keys[i].store = state_store(state, key, &worker->actor, scenario->lock.request_ns);
    }
    use_key(worker, 0);
}

static void record(struct worker *worker, struct event event)
{
    history_append(&worker->history, event);
}

// The library's own times, where it says them.
static void record_return(struct worker *worker, struct event event)
{
    const struct library_call *call = &worker->lock->call;
    if (call->from_ns > 0)
        history_append(&worker->history, (struct event){.kind = EVENT_CALL,
                                                        .at_ns = call->from_ns,
                                                        .operation = event.operation});
    event.at_ns = call->to_ns;
    history_append(&worker->history, event);
}

static void report_if_broken(struct worker *worker)
{
    const char *text =
        worker->lock->error.text[0] ? worker->lock->error.text : worker->key->store.error.text;
    if (text[0] != '\0')
        state_break(worker->state, "client-%d worker-%d, scheme %s: %s", worker->actor.client,
                    worker->actor.worker, worker->state->scheme->name, text);
}

// The history's clock is the machine's, not the client's, which may have gone wrong since the lease
// was asked for.
static int64_t on_machine_clock(const struct worker *worker, int64_t valid_until_ns)
{
    const struct lock *lock = worker->lock;
    return lease_ends_on_machine_ns(&lock->asked, valid_until_ns, lock->options.lease_ns);
}

enum acquired { ACQUIRED, REFUSED, UNDECIDED };

// BROKEN: there is no such job.
static enum outcome take_given(struct worker *worker, int64_t operation, int64_t job)
{
    if (job < 1 || job > (int64_t)worker->key_count) {
        error_set(
            &worker->lock->error,
            "it has the trait job-queue, and has given out the job %lld, of %zu: which of them it "
            "is must be said, counted from 1",
            (long long)job, worker->key_count);
        return OUTCOME_BROKEN;
    }
    use_key(worker, (size_t)job - 1);
    // Before the grant, which may be dated by a program.
    record(worker, (struct event){.kind = EVENT_GIVEN,
                                  .at_ns = worker->lock->call.to_ns,
                                  .given = {.operation = operation, .key = worker->key->number}});
    return OUTCOME_OK;
}

// A job that is gone is done, as far as its worker knows; and of a queue, all are.
static void note_gone(struct worker *worker)
{
    worker->key->is_done = true;
    for (size_t i = 0; worker->has_queue && i < worker->key_count; i++)
        worker->keys[i].is_done = true;
}

// UNDECIDED: it came back without the lock long before its wait was over. That is no try of the
// operation: a lock that answers so at once would use up all of them before anybody could see
// whether it is stuck.
static enum acquired acquire(struct worker *worker, const struct turn *turn, struct grant *grant)
{
    int64_t operation = turn->operation;
    int64_t asked_ns = clock_monotonic_ns();
    int64_t wait_ns = worker->lock->options.wait_ns;
    worker->lock->operation = operation;
    record(worker,
           (struct event){.kind = EVENT_ACQUIRE_INVOKE,
                          .detail = (uint8_t)worker->lock->mode,
                          .acquire_invoke = {operation, asked_ns + wait_ns, turn->intended_ns,
                                             worker->has_queue ? 0 : worker->key->number}});
    enum outcome outcome = lock_acquire(worker->lock, grant);
    if (outcome == OUTCOME_OK && worker->has_queue)
        outcome = take_given(worker, operation, grant->job);
    record_return(worker,
                  (struct event){.kind = EVENT_ACQUIRE_RETURN,
                                 .outcome = (uint8_t)outcome,
                                 .detail = (uint8_t)grant->detail,
                                 .acquire_return = {operation, grant->token,
                                                    on_machine_clock(worker, grant->valid_until_ns),
                                                    grant->attempts}});
    if (outcome == OUTCOME_OK)
        return ACQUIRED;
    if (grant->detail == ACQUIRE_GONE)
        note_gone(worker);
    return grant->detail != ACQUIRE_GONE && clock_monotonic_ns() - asked_ns < wait_ns / 2
               ? UNDECIDED
               : REFUSED;
}

// Locks once more, at `depth` (from 2). False if it is not the holder any more.
static bool reenter(struct worker *worker, int64_t operation, int64_t depth)
{
    struct grant grant = {0};
    record(worker, (struct event){.kind = EVENT_REENTER_INVOKE,
                                  .nested = {.operation = operation, .depth = depth}});
    enum outcome outcome = lock_reenter(worker->lock, &grant);
    record_return(worker, (struct event){.kind = EVENT_REENTER_RETURN,
                                         .outcome = (uint8_t)outcome,
                                         .nested = {.operation = operation,
                                                    .depth = depth,
                                                    .valid_until_ns = on_machine_clock(
                                                        worker, grant.valid_until_ns)}});
    return outcome == OUTCOME_OK;
}

// The lock itself, at depth 1, or what was locked once more at that depth.
static void give_back(struct worker *worker, int64_t operation, int64_t depth)
{
    bool is_nested = depth > 1;
    struct event asked = {.kind = is_nested ? EVENT_LEAVE_INVOKE : EVENT_RELEASE_INVOKE,
                          .nested = {.operation = operation, .depth = is_nested ? depth : 0}};
    record(worker, asked);
    worker->lock->is_done = worker->state->workload->form.has_jobs && worker->key->is_done;
    enum release_answer answer = is_nested ? lock_leave(worker->lock) : lock_release(worker->lock);
    asked.kind = is_nested ? EVENT_LEAVE_RETURN : EVENT_RELEASE_RETURN;
    asked.outcome = (uint8_t)release_outcome(answer);
    asked.detail = (uint8_t)answer;
    record_return(worker, asked);
}

// Sleeps for that long, or until the trial ends.
static void rest(const struct worker *worker, int64_t duration_ns)
{
    if (duration_ns > 0)
        state_rest_until(worker->state, clock_monotonic_ns() + duration_ns);
}

// A scheme that guards a value of its own reads and writes it itself.
static enum outcome read_value(struct worker *worker, int64_t operation, int64_t token,
                               int64_t *seen)
{
    const struct lock_scheme *scheme = worker->state->scheme;
    record(worker, (struct event){.kind = EVENT_READ_INVOKE,
                                  .access = {.operation = operation, .token = token}});
    worker->actor.phase = PHASE_READ;
    enum outcome outcome = scheme->read != NULL
                               ? scheme->read(worker->lock, seen)
                               : worker->key->store.kind->read(&worker->key->store, token, seen);
    worker->actor.phase = PHASE_NONE;
    if (worker->actor.gate != NULL)
        gate_hear(worker->actor.gate, seen, sizeof *seen);
    record(worker,
           (struct event){.kind = EVENT_READ_RETURN,
                          .outcome = (uint8_t)outcome,
                          .access = {.operation = operation, .token = token, .value = *seen}});
    point(&worker->actor, POINT_AFTER, "read");
    return outcome;
}

static enum outcome write_value(struct worker *worker, int64_t operation, int64_t token,
                                int64_t seen, int64_t written)
{
    const struct lock_scheme *scheme = worker->state->scheme;
    point(&worker->actor, POINT_BEFORE, "write");
    record(worker,
           (struct event){.kind = EVENT_WRITE_INVOKE, .access = {operation, token, written, seen}});
    worker->actor.phase = PHASE_WRITE;
    enum outcome outcome =
        scheme->write != NULL ? scheme->write(worker->lock, written)
                              : worker->key->store.kind->write(&worker->key->store, token, written);
    worker->actor.phase = PHASE_NONE;
    record(worker, (struct event){.kind = EVENT_WRITE_RETURN,
                                  .outcome = (uint8_t)outcome,
                                  .access = {operation, token, written, seen}});
    point(&worker->actor, POINT_AFTER, "write");
    return outcome;
}

// The guarded update: reads, works, writes back what the workload says. An optimistic write that
// came too late is done again from the start. NO: the store refuses it.
static enum outcome update(struct worker *worker, int64_t operation, int64_t token)
{
    const struct scenario *scenario = scenario_of(worker);
    const struct workload *workload = worker->state->workload;
    for (;;) {
        int64_t seen = 0, written = 0;
        enum outcome outcome = read_value(worker, operation, token, &seen);
        if (outcome != OUTCOME_OK || workload->next == NULL ||
            !workload->next(scenario, operation, seen, &written))
            return outcome;
        rest(worker, scenario->workload.hold_ns);
        outcome = write_value(worker, operation, token, seen, written);
        if (outcome != OUTCOME_NO || !worker->is_optimistic || state_is_stopped(worker->state))
            return outcome;
        worker->lock->give_up_ns = TIME_NEVER;
        lock_wait_before_retry(worker->lock);
    }
}

// Updates, lets the next depth do the same under a lock of its own, and updates once more.
static void update_nested(struct worker *worker, int64_t operation, int64_t token, int64_t depth)
{
    update(worker, operation, token);
    if (depth > scenario_of(worker)->workload.depth || !reenter(worker, operation, depth))
        return;
    update_nested(worker, operation, token, depth + 1);
    give_back(worker, operation, depth);
    update(worker, operation, token);
}

// True while the worker leads, as far as it knows: it was not told that the lock is lost, and of a
// lease that nobody renews a tenth is left, in which it resigns.
static bool leads(const struct worker *worker, const struct grant *grant)
{
    const struct lock *lock = worker->lock;
    int64_t left_ns = grant->valid_until_ns - clock_now_ns(&worker->actor.clock);
    return atomic_load(&lock->lost) == LOST_NOT && !state_is_stopped(worker->state) &&
           (left_ns > lock->options.lease_ns / 10 || lock_scheme_has(lock->scheme, "renewed"));
}

// A term. A leader whose act is refused has a successor, by the store's word.
static void lead(struct worker *worker, int64_t operation, const struct grant *grant)
{
    const struct workload_settings *settings = &scenario_of(worker)->workload;
    for (int64_t act = 0; act < settings->acts && leads(worker, grant); act++) {
        int64_t next_ns = clock_monotonic_ns() + settings->every_ns;
        if (update(worker, operation, grant->token) == OUTCOME_NO)
            return;
        while (leads(worker, grant) && clock_monotonic_ns() < next_ns)
            rest(worker, time_earlier(next_ns - clock_monotonic_ns(), NS_PER_MS));
    }
}

static void work(struct worker *worker, int64_t operation, const struct grant *grant)
{
    if (worker->lock->mode == LOCK_SHARED) {
        // Looks again: under a shared lock nothing may have changed.
        int64_t seen = 0;
        if (read_value(worker, operation, grant->token, &seen) == OUTCOME_OK) {
            rest(worker, scenario_of(worker)->workload.hold_ns);
            read_value(worker, operation, grant->token, &seen);
        }
    } else if (worker->state->workload->nests)
        update_nested(worker, operation, grant->token, 2);
    else if (worker->state->workload->leads)
        lead(worker, operation, grant);
    else if (!worker->state->workload->only_locks &&
             update(worker, operation, grant->token) == OUTCOME_OK) {
        worker->key->is_done = true;
        if (worker->boundary == BOUNDARY_NONE) // else it may come to nothing yet
            atomic_store(worker->key->all_know_done, true);
    }
    if (worker->state->workload->next == NULL)
        rest(worker, scenario_of(worker)->workload.hold_ns);
}

// --- one operation -------------------------------------------------------------------------------

static void commit(struct worker *worker, int64_t operation)
{
    record(worker,
           (struct event){.kind = EVENT_COMMIT_INVOKE, .commit_invoke = {.operation = operation}});
    worker->actor.phase = PHASE_WRITE;
    enum outcome outcome = worker->key->store.kind->commit(&worker->key->store);
    worker->actor.phase = PHASE_NONE;
    record(worker, (struct event){.kind = EVENT_COMMIT_RETURN,
                                  .outcome = (uint8_t)outcome,
                                  .commit_return = {.operation = operation}});
}

// True if the worker's transactions are of that kind, and one has begun.
static bool begin(struct worker *worker, enum boundary boundary)
{
    struct store *store = &worker->key->store;
    return worker->boundary == boundary && store->kind->begin(store) == OUTCOME_OK;
}

bool worker_operate(struct worker *worker, const struct turn *turn)
{
    struct grant grant;
    enum acquired acquired = REFUSED;
    int64_t operation = turn->operation;
    enum boundary boundary = worker->boundary;
    const struct workload *workload = worker->state->workload;
    const struct step_gate *gate = worker->actor.gate; // of one that has it, every other reads
    bool only_reads = workload->only_reads != NULL &&
                      (gate != NULL ? gate->operation % 2 == 0
                                    : workload->only_reads(scenario_of(worker), &worker->random));
    if (worker->key_count > 1 && !workload->form.has_jobs)
        use_key(worker, key_distribution_draw(&worker->state->distribution, &worker->random));
    worker->lock->mode = only_reads ? LOCK_SHARED : LOCK_EXCLUSIVE;
    // The lock inside the transaction: released before the commit.
    bool began = begin(worker, BOUNDARY_WRAPPED);
    if (began == (boundary == BOUNDARY_WRAPPED))
        acquired = acquire(worker, turn, &grant);
    worker->refused = acquired == ACQUIRED ? 0 : worker->refused + 1;
    if (acquired == ACQUIRED) {
        point(&worker->actor, POINT_AT, "holds");
        // The transaction inside the lock: committed before the release.
        bool is_inside = begin(worker, BOUNDARY_INNER);
        if (is_inside || boundary != BOUNDARY_INNER)
            work(worker, operation, &grant);
        if (is_inside)
            commit(worker, operation);
        if (!workload->never_gives_back)
            give_back(worker, operation, 1);
    }
    if (began)
        commit(worker, operation);
    report_if_broken(worker);
    return acquired != UNDECIDED;
}

// --- loops of an external program ----------------------------------------------------------------

// A loop ends within that time, and with it the time in which nobody is told to stop.
#define LOOP_NS (250 * NS_PER_MS)
#define MOST_OPERATIONS_A_LOOP 4096
// Of a limited number of operations a worker takes its share in so many loops.
#define LOOPS_A_SHARE 4

// An external program that does operations by itself, a loop of many at a time, lets its lock be
// measured, and not our way to it. Its times become the same events as everybody's. Applies where
// there is nothing to do under the lock but to hold it, nothing of ours has to see the requests,
// the loop is closed, and the program can.
static bool measure_applies(const struct worker *worker)
{
    const struct trial_state *state = worker->state;
    const struct scenario *scenario = state->trial->scenario;
    bool is_closed =
        state->load.arrivals == NULL && (state->load.count == 0 || scenario->workload.for_ns > 0);
    return state->workload->only_locks && !state->workload->never_gives_back && is_closed &&
           worker->key_count == 1 && state->scheme->measures != NULL &&
           state->scheme->measures(worker->lock);
}

static void record_cycle(struct worker *worker, int64_t operation, const struct lock_cycle *cycle)
{
    int64_t give_up_ns = cycle->acquire_ns + worker->lock->options.wait_ns;
    record(worker,
           (struct event){.kind = EVENT_ACQUIRE_INVOKE,
                          .at_ns = cycle->acquire_ns,
                          .acquire_invoke = {operation, give_up_ns, 0, worker->key->number}});
    record(worker, (struct event){.kind = EVENT_ACQUIRE_RETURN,
                                  .at_ns = cycle->acquired_ns,
                                  .outcome = (uint8_t)cycle->outcome,
                                  .detail = cycle->is_unanchored,
                                  .acquire_return = {operation, 0, cycle->valid_until_ns, 1}});
    if (cycle->outcome != OUTCOME_OK)
        return;
    record(worker, (struct event){.kind = EVENT_RELEASE_INVOKE,
                                  .at_ns = cycle->release_ns,
                                  .release_invoke = {.operation = operation}});
    record(worker, (struct event){.kind = EVENT_RELEASE_RETURN,
                                  .at_ns = cycle->released_ns,
                                  .outcome = (uint8_t)release_outcome(cycle->answer),
                                  .detail = (uint8_t)cycle->answer,
                                  .release_return = {.operation = operation}});
}

// Does the turn's operation, and others that it takes besides; returns how many. What fails is in
// the error of the worker's lock.
static int64_t measure_operations(struct worker *worker, const struct turn *turn)
{
    const struct scenario *scenario = worker->state->trial->scenario;
    int64_t operations = worker->operations;
    int64_t share = operations / workload_workers(scenario) / LOOPS_A_SHARE;
    int64_t most =
        operations == 0 ? MOST_OPERATIONS_A_LOOP : time_earlier(share, MOST_OPERATIONS_A_LOOP);
    int64_t first = 0;
    int64_t count = 1 + reserve(worker, most, &first);
    int64_t done = 0;
    int64_t ends_ns = phase_ends_ns(worker);
    int64_t now_ns = clock_monotonic_ns();
    while (done < count && now_ns < ends_ns && !state_is_stopped(worker->state)) {
        struct lock_measure measure = {.operations = count - done,
                                       .until_ns = time_earlier(now_ns + LOOP_NS, ends_ns),
                                       .hold_ns = scenario->workload.hold_ns,
                                       .think_ns = scenario->workload.think_ns};
        struct lock_cycle *cycles = NULL;
        size_t cycle_count = 0;
        struct lock *lock = worker->lock;
        enum outcome outcome = lock->scheme->measure(lock, &measure, &cycles, &cycle_count);
        // The program did not answer before the trial ended: what it did since is not known.
        if (outcome == OUTCOME_UNKNOWN)
            record_cycle(worker, done == 0 ? turn->operation : first + done - 1,
                         &(struct lock_cycle){.acquire_ns = now_ns,
                                              .acquired_ns = clock_monotonic_ns(),
                                              .outcome = outcome});
        if (outcome != OUTCOME_OK)
            break;
        for (size_t i = 0; i < cycle_count; i++, done++)
            record_cycle(worker, done == 0 ? turn->operation : first + done - 1, &cycles[i]);
        free(cycles);
        now_ns = clock_monotonic_ns();
    }
    return done;
}

// --- from the first to the last ------------------------------------------------------------------

static int64_t wakeups_of(const struct actor *actor)
{
    return actor->are_wakeups_uncounted ? -1 : actor->wakeups;
}

// Takes down what was sent so far where a warm-up begins or ends for this worker, so that its
// requests can be told apart.
static void note_warm_up(struct worker *worker, const struct turn *turn)
{
    const struct load *load = &worker->state->load;
    if (load->count == 0)
        return;
    int64_t at_ns = turn->intended_ns > 0 ? turn->intended_ns : clock_monotonic_ns();
    size_t phase = load_phase_at(load, at_ns - atomic_load(&worker->state->control->opened_ns));
    bool warms_up = phase < load->count && scenario_of(worker)->load[phase].warm_up;
    if (warms_up == worker->is_warming_up)
        return;
    const struct actor *actor = &worker->actor;
    worker->is_warming_up = warms_up;
    record(worker, (struct event){.kind = EVENT_WORKER_LOAD,
                                  .sent = {!warms_up, actor->requests[PHASE_ACQUIRE],
                                           actor->requests[PHASE_RELEASE], wakeups_of(actor)}});
}

int worker_connect(struct worker *worker)
{
    struct error error = {0};
    while (worker->opened < worker->key_count) {
        struct worker_key *key = &worker->keys[worker->opened++];
        bool is_used = worker->opened == 1 || !worker->has_queue;
        if ((!is_used || lock_open(&key->lock, &error) == 0) &&
            store_open(&key->store, &error) == 0)
            continue;
        state_break(worker->state, "client-%d worker-%d, scheme %s: %s", worker->actor.client,
                    worker->actor.worker, worker->state->scheme->name, error.text);
        return -1;
    }
    return 0;
}

void worker_disconnect(struct worker *worker)
{
    for (size_t i = 0; i < worker->opened; i++) {
        store_close(&worker->keys[i].store);
        if (i == 0 || !worker->has_queue)
            lock_close(&worker->keys[i].lock);
    }
}

// What is explored goes on once anything has changed.
static void rest_before_job(const struct worker *worker)
{
    if (worker->actor.gate != NULL)
        clock_sleep_ns(&worker->actor.clock, worker->lock->options.retry_ns);
    else
        rest(worker, worker->lock->options.retry_ns);
}

bool worker_choose_job(struct worker *worker)
{
    size_t open = 0;
    if (!worker->state->workload->form.has_jobs)
        return true;
    for (size_t i = 0; i < worker->key_count; i++)
        open += !worker->keys[i].is_done;
    if (open == 0)
        return false;
    bool waits = worker->refused >= (worker->has_queue ? 1 : open);
    if (waits)
        rest_before_job(worker);
    if (worker->has_queue)
        return !waits || !state_jobs_are_done(worker->state);
    while (worker->keys[worker->place % worker->key_count].is_done)
        worker->place++;
    use_key(worker, worker->place++ % worker->key_count);
    worker->lock->options.wait_ns = waits ? worker->lock->client->options.wait_ns : 0;
    return true;
}

int64_t worker_jobs_known(const struct worker *worker)
{
    size_t known = worker->place % worker->key_count;
    for (size_t i = 0; i < worker->key_count; i++)
        known = 2 * known + worker->keys[i].is_done;
    return (int64_t)(known * (worker->key_count + 1)) +
           time_earlier((int64_t)worker->refused, (int64_t)worker->key_count);
}

static void wait_for_gate(struct control *control, enum gate enough)
{
    for (uint32_t gate; (gate = atomic_load(&control->gate)) < enough;)
        futex_wait_until_ns(&control->gate, gate, TIME_NEVER);
}

void *worker_run(void *context)
{
    struct worker *worker = context;
    struct control *control = worker->state->control;
    int connected = worker_connect(worker);
    atomic_fetch_add(&control->ready, 1);
    futex_wake_all(&control->ready);
    bool is_first = scenario_of(worker)->clients.start_first.client == worker->actor.client;
    wait_for_gate(control, is_first ? GATE_LEAD : GATE_OPEN);
    const struct lock_settings *lock = &scenario_of(worker)->lock;
    int64_t done = 0;
    struct turn turn;
    bool measures = connected == 0 && measure_applies(worker);
    int way = worker->lock->client->has_proxy ? 0 : WAY_STRAIGHT;
    way |= measures ? WAY_OWN_LOOP : 0;
    record(worker, (struct event){.kind = EVENT_WORKER_START, .detail = (uint8_t)way});
    while (connected == 0 && worker_choose_job(worker) && next_turn(worker, &turn)) {
        note_warm_up(worker, &turn);
        if (measures) {
            done += measure_operations(worker, &turn);
            report_if_broken(worker);
            continue;
        }
        for (done++; !worker_operate(worker, &turn) && number_again(worker, &turn); done++)
            rest(worker, time_later(lock->retry_ns, lock->wait_ns / 100));
        if (turn.intended_ns == 0)
            rest(worker, scenario_of(worker)->workload.think_ns);
        // Who leads is done with one, and not with all, when the others begin, however late they
        // are let go.
        wait_for_gate(control, GATE_OPEN);
    }
    const struct actor *actor = &worker->actor;
    // UNKNOWN: of what it has sent, some is not counted.
    record(worker, (struct event){.kind = EVENT_WORKER_END,
                                  .outcome = actor->is_uncounted ? OUTCOME_UNKNOWN : OUTCOME_OK,
                                  .sent = {done, actor->requests[PHASE_ACQUIRE],
                                           actor->requests[PHASE_RELEASE], wakeups_of(actor)}});
    worker_disconnect(worker);
    return NULL;
}
