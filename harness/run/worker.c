#include "harness/run/worker.h"

#include "harness/base/futex.h"
#include "harness/base/text.h"
#include "harness/run/measure.h"

#include <stdlib.h>

static const struct scenario *scenario_of(const struct worker *worker)
{
    return worker->stage->trial->scenario;
}

static void prepare_keys(struct worker *worker, struct lock_client *clients)
{
    const struct stage *stage = worker->stage;
    const struct actor *actor = &worker->actor;
    struct key_range range = stage_keys_of(stage, actor->client, actor->worker);
    size_t first = stage_keys_of(stage, actor->client, 0).first;
    worker->keys = memory_zeroed(range.count, sizeof *worker->keys);
    worker->key_count = range.count;
    worker->key = &worker->keys[0];
    for (size_t i = 0; i < range.count; i++) {
        const struct stage_key *key = &stage->keys[range.first + i];
        struct lock_client *client = &clients[range.first + i - first];
        worker->keys[i].number = key->number;
        worker->keys[i].lock = (struct lock){.scheme = stage->scheme,
                                             .options = stage_lock_options(stage, key),
                                             .actor = &worker->actor,
                                             .random = &worker->random,
                                             .service = client->service,
                                             .client = client,
                                             .stop = &stage->control->stop};
        worker->keys[i].store =
            stage_store(stage, key, &worker->actor, stage->trial->scenario->lock.request_ns);
    }
}

void worker_prepare(struct worker *worker, const struct stage *stage, struct lock_client *clients,
                    int client_number, int number)
{
    const struct scenario *scenario = stage->trial->scenario;
    *worker = (struct worker){.stage = stage, .pace = pace_of(stage, client_number)};
    worker->is_optimistic = lock_scheme_has(stage->scheme, "optimistic");
    // A scheme that guards its own value ends its transaction by itself.
    if (stage->scheme->own_store == NULL && stage->store->begin != NULL)
        worker->boundary = scenario->workload.boundary;
    history_writer_start(&worker->history, &stage->history, client_number, number);
    random_start(&worker->random, stage->trial->seed,
                 (uint64_t)client_number << 16 | (uint64_t)number);
    worker->actor = (struct actor){.client = client_number,
                                   .worker = number,
                                   .phase = PHASE_NONE,
                                   .clock = clients[0].clock,
                                   .board = &stage->control->board,
                                   .history = &worker->history};
    prepare_keys(worker, clients);
}

void worker_release(struct worker *worker)
{
    free(worker->keys);
}

static void record(struct worker *worker, struct event event)
{
    history_append(&worker->history, event);
}

// The library's own times, where it says them.
static void record_return(struct worker *worker, struct event event)
{
    const struct library_call *call = &worker->key->lock.call;
    if (call->from_ns > 0)
        history_append(&worker->history, (struct event){.kind = EVENT_CALL,
                                                        .at_ns = call->from_ns,
                                                        .operation = event.operation});
    event.at_ns = call->to_ns;
    history_append(&worker->history, event);
}

static void report_if_broken(struct worker *worker)
{
    const char *text = worker->key->lock.error.text[0] ? worker->key->lock.error.text
                                                       : worker->key->store.error.text;
    if (text[0] != '\0')
        stage_break(worker->stage, "client-%d worker-%d, scheme %s: %s", worker->actor.client,
                    worker->actor.worker, worker->stage->scheme->name, text);
}

// The history's clock is the machine's, not the client's, which may have gone wrong since the lease
// was asked for.
static int64_t on_machine_clock(const struct worker *worker, int64_t valid_until_ns)
{
    const struct lock *lock = &worker->key->lock;
    return lease_ends_on_machine_ns(&lock->asked, valid_until_ns, lock->options.lease_ns);
}

enum acquired { ACQUIRED, REFUSED, UNDECIDED };

// UNDECIDED: it came back without the lock long before its wait was over. That is no try of the
// operation: a lock that answers so at once would use up all of them before anybody could see
// whether it is stuck.
static enum acquired acquire(struct worker *worker, const struct turn *turn, struct grant *grant)
{
    int64_t operation = turn->operation;
    int64_t asked_ns = clock_monotonic_ns();
    int64_t wait_ns = worker->key->lock.options.wait_ns;
    worker->key->lock.operation = operation;
    record(worker, (struct event){.kind = EVENT_ACQUIRE_INVOKE,
                                  .detail = (uint8_t)worker->key->lock.mode,
                                  .acquire_invoke = {operation, asked_ns + wait_ns,
                                                     turn->intended_ns, worker->key->number}});
    enum outcome outcome = lock_acquire(&worker->key->lock, grant);
    record_return(worker,
                  (struct event){.kind = EVENT_ACQUIRE_RETURN,
                                 .outcome = (uint8_t)outcome,
                                 .detail = grant->is_unanchored,
                                 .acquire_return = {operation, grant->token,
                                                    on_machine_clock(worker, grant->valid_until_ns),
                                                    grant->attempts}});
    if (outcome == OUTCOME_OK)
        return ACQUIRED;
    return clock_monotonic_ns() - asked_ns < wait_ns / 2 ? UNDECIDED : REFUSED;
}

static void release(struct worker *worker, int64_t operation)
{
    record(worker, (struct event){.kind = EVENT_RELEASE_INVOKE,
                                  .release_invoke = {.operation = operation}});
    enum release_answer answer = lock_release(&worker->key->lock);
    record_return(worker, (struct event){.kind = EVENT_RELEASE_RETURN,
                                         .outcome = (uint8_t)release_outcome(answer),
                                         .detail = (uint8_t)answer,
                                         .release_return = {.operation = operation}});
}

// Locks once more, at `depth` (from 2). False if it is not the holder any more.
static bool reenter(struct worker *worker, int64_t operation, int64_t depth)
{
    struct grant grant = {0};
    record(worker, (struct event){.kind = EVENT_REENTER_INVOKE,
                                  .nested = {.operation = operation, .depth = depth}});
    enum outcome outcome = lock_reenter(&worker->key->lock, &grant);
    record_return(worker, (struct event){.kind = EVENT_REENTER_RETURN,
                                         .outcome = (uint8_t)outcome,
                                         .nested = {.operation = operation,
                                                    .depth = depth,
                                                    .valid_until_ns = on_machine_clock(
                                                        worker, grant.valid_until_ns)}});
    return outcome == OUTCOME_OK;
}

static void leave(struct worker *worker, int64_t operation, int64_t depth)
{
    record(worker, (struct event){.kind = EVENT_LEAVE_INVOKE,
                                  .nested = {.operation = operation, .depth = depth}});
    enum release_answer answer = lock_leave(&worker->key->lock);
    record_return(worker, (struct event){.kind = EVENT_LEAVE_RETURN,
                                         .outcome = (uint8_t)release_outcome(answer),
                                         .detail = (uint8_t)answer,
                                         .nested = {.operation = operation, .depth = depth}});
}

// Sleeps for that long, or until the trial ends.
static void rest(const struct worker *worker, int64_t duration_ns)
{
    if (duration_ns > 0)
        stage_rest_until(worker->stage, clock_monotonic_ns() + duration_ns);
}

// A scheme that guards a value of its own reads and writes it itself.
static enum outcome read_value(struct worker *worker, int64_t operation, int64_t token,
                               int64_t *seen)
{
    const struct lock_scheme *scheme = worker->stage->scheme;
    record(worker, (struct event){.kind = EVENT_READ_INVOKE,
                                  .access = {.operation = operation, .token = token}});
    worker->actor.phase = PHASE_READ;
    enum outcome outcome = scheme->read != NULL
                               ? scheme->read(&worker->key->lock, seen)
                               : worker->key->store.kind->read(&worker->key->store, token, seen);
    worker->actor.phase = PHASE_NONE;
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
    const struct lock_scheme *scheme = worker->stage->scheme;
    point(&worker->actor, POINT_BEFORE, "write");
    record(worker,
           (struct event){.kind = EVENT_WRITE_INVOKE, .access = {operation, token, written, seen}});
    worker->actor.phase = PHASE_WRITE;
    enum outcome outcome =
        scheme->write != NULL ? scheme->write(&worker->key->lock, written)
                              : worker->key->store.kind->write(&worker->key->store, token, written);
    worker->actor.phase = PHASE_NONE;
    record(worker, (struct event){.kind = EVENT_WRITE_RETURN,
                                  .outcome = (uint8_t)outcome,
                                  .access = {operation, token, written, seen}});
    point(&worker->actor, POINT_AFTER, "write");
    return outcome;
}

// The guarded update: reads, works, writes back what the workload says. An optimistic write that
// came too late is done again from the start.
static void update(struct worker *worker, int64_t operation, int64_t token)
{
    const struct scenario *scenario = scenario_of(worker);
    const struct workload *workload = worker->stage->workload;
    for (;;) {
        int64_t seen = 0;
        int64_t written = 0;
        if (read_value(worker, operation, token, &seen) != OUTCOME_OK || workload->next == NULL ||
            !workload->next(scenario, operation, seen, &written))
            return;
        rest(worker, scenario->workload.hold_ns);
        enum outcome outcome = write_value(worker, operation, token, seen, written);
        if (outcome != OUTCOME_NO || !worker->is_optimistic || stage_is_stopped(worker->stage))
            return;
        lock_wait_before_retry(&worker->key->lock, TIME_NEVER);
    }
}

// Reads, works, and looks again: under a shared lock nothing may have changed.
static void look_twice(struct worker *worker, int64_t operation, int64_t token)
{
    int64_t seen = 0;
    if (read_value(worker, operation, token, &seen) != OUTCOME_OK)
        return;
    rest(worker, scenario_of(worker)->workload.hold_ns);
    read_value(worker, operation, token, &seen);
}

// Updates, lets the next depth do the same under a lock of its own, and updates once more.
static void update_nested(struct worker *worker, int64_t operation, int64_t token, int64_t depth)
{
    update(worker, operation, token);
    if (depth > scenario_of(worker)->workload.depth || !reenter(worker, operation, depth))
        return;
    update_nested(worker, operation, token, depth + 1);
    leave(worker, operation, depth);
    update(worker, operation, token);
}

static void work(struct worker *worker, int64_t operation, int64_t token)
{
    if (worker->key->lock.mode == LOCK_SHARED)
        look_twice(worker, operation, token);
    else if (worker->stage->workload->nests)
        update_nested(worker, operation, token, 2);
    else if (!worker->stage->workload->only_locks)
        update(worker, operation, token);
    if (worker->stage->workload->next == NULL)
        rest(worker, scenario_of(worker)->workload.hold_ns);
}

// --- one operation -------------------------------------------------------------------------------

static bool begin_transaction(struct worker *worker)
{
    enum outcome outcome = worker->key->store.kind->begin(&worker->key->store);
    return outcome == OUTCOME_OK;
}

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

// The transaction inside the lock: committed before the release.
static void work_inside(struct worker *worker, int64_t operation, int64_t token)
{
    if (!begin_transaction(worker))
        return;
    work(worker, operation, token);
    commit(worker, operation);
}

// A lock of its own, or one of all.
static void choose_key(struct worker *worker)
{
    if (worker->key_count > 1)
        worker->key = &worker->keys[popularity_draw(&worker->stage->popularity, &worker->random)];
}

// False if the operation is to be tried again, as another.
static bool operate(struct worker *worker, const struct turn *turn)
{
    struct grant grant;
    enum acquired acquired = REFUSED;
    int64_t operation = turn->operation;
    enum boundary boundary = worker->boundary;
    const struct workload *workload = worker->stage->workload;
    bool only_reads =
        workload->only_reads != NULL && workload->only_reads(scenario_of(worker), &worker->random);
    choose_key(worker);
    worker->key->lock.mode = only_reads ? LOCK_SHARED : LOCK_EXCLUSIVE;
    // The lock inside the transaction: released before the commit.
    bool began = boundary == BOUNDARY_WRAPPED && begin_transaction(worker);
    if (began == (boundary == BOUNDARY_WRAPPED))
        acquired = acquire(worker, turn, &grant);
    if (acquired == ACQUIRED) {
        point(&worker->actor, POINT_AT, "holds");
        if (boundary == BOUNDARY_INNER)
            work_inside(worker, operation, grant.token);
        else
            work(worker, operation, grant.token);
        release(worker, operation);
    }
    if (began)
        commit(worker, operation);
    report_if_broken(worker);
    return acquired != UNDECIDED;
}

static int64_t wakeups_of(const struct actor *actor)
{
    return actor->are_wakeups_uncounted ? -1 : actor->wakeups;
}

// Takes down what was sent so far where a warm-up begins or ends for this worker, so that its
// requests can be told apart.
static void note_warm_up(struct worker *worker, const struct turn *turn)
{
    const struct load *load = &worker->stage->load;
    if (load->count == 0)
        return;
    int64_t at_ns = turn->intended_ns > 0 ? turn->intended_ns : clock_monotonic_ns();
    size_t phase = load_phase_at(load, at_ns - atomic_load(&worker->stage->control->opened_ns));
    bool warms_up = phase < load->count && scenario_of(worker)->load[phase].warm_up;
    if (warms_up == worker->is_warming_up)
        return;
    const struct actor *actor = &worker->actor;
    worker->is_warming_up = warms_up;
    record(worker, (struct event){.kind = EVENT_WORKER_LOAD,
                                  .sent = {!warms_up, actor->requests[PHASE_ACQUIRE],
                                           actor->requests[PHASE_RELEASE], wakeups_of(actor)}});
}

static void wait_at_gate(const struct worker *worker)
{
    _Atomic uint32_t *gate = &worker->stage->control->gate;
    uint32_t enough =
        scenario_of(worker)->clients.lead.client == worker->actor.client ? GATE_LEAD : GATE_OPEN;
    for (uint32_t state = atomic_load(gate); state < enough; state = atomic_load(gate))
        futex_wait_until_ns(gate, state, TIME_NEVER);
}

static int connect_all(struct worker *worker)
{
    struct error error = {0};
    while (worker->opened < worker->key_count) {
        struct worker_key *key = &worker->keys[worker->opened++];
        if (lock_open(&key->lock, &error) == 0 && store_open(&key->store, &error) == 0)
            continue;
        stage_break(worker->stage, "client-%d worker-%d, scheme %s: %s", worker->actor.client,
                    worker->actor.worker, worker->stage->scheme->name, error.text);
        return -1;
    }
    return 0;
}

static void disconnect_all(struct worker *worker)
{
    for (size_t i = 0; i < worker->opened; i++) {
        store_close(&worker->keys[i].store);
        lock_close(&worker->keys[i].lock);
    }
}

void worker_run(struct worker *worker)
{
    struct control *control = worker->stage->control;
    int connected = connect_all(worker);
    atomic_fetch_add(&control->ready, 1);
    futex_wake_all(&control->ready);
    wait_at_gate(worker);
    const struct lock_settings *lock = &scenario_of(worker)->lock;
    int64_t done = 0;
    struct turn turn;
    bool measures = connected == 0 && measure_applies(worker);
    const struct lock_client *client = worker->key->lock.client;
    record(worker, (struct event){.kind = EVENT_WORKER_START,
                                  .detail = (uint8_t)((client->has_relay ? 0 : WAY_STRAIGHT) |
                                                      (measures ? WAY_OWN_LOOP : 0))});
    while (connected == 0 && pace_next(&worker->pace, &turn)) {
        note_warm_up(worker, &turn);
        if (measures) {
            done += measure_operations(worker, &turn);
            report_if_broken(worker);
            continue;
        }
        for (done++; !operate(worker, &turn) && pace_again(&worker->pace, &turn); done++)
            rest(worker, time_later(lock->retry_ns, lock->wait_ns / 100));
        if (turn.intended_ns == 0)
            rest(worker, scenario_of(worker)->workload.think_ns);
    }
    const struct actor *actor = &worker->actor;
    // UNKNOWN: of what it has sent, some is not counted.
    record(worker, (struct event){.kind = EVENT_WORKER_END,
                                  .outcome = actor->is_uncounted ? OUTCOME_UNKNOWN : OUTCOME_OK,
                                  .sent = {done, actor->requests[PHASE_ACQUIRE],
                                           actor->requests[PHASE_RELEASE], wakeups_of(actor)}});
    disconnect_all(worker);
}
