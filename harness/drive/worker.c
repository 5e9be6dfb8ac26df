#include "harness/drive/worker.h"

#include "harness/base/futex.h"

static const struct scenario *scenario_of(const struct worker *worker)
{
    return worker->stage->trial->scenario;
}

void worker_prepare(struct worker *worker, const struct stage *stage, struct lock_client *client,
                    int client_number, int number)
{
    const struct scenario *scenario = stage->trial->scenario;
    *worker = (struct worker){.stage = stage, .client = client};
    history_writer_start(&worker->history, &stage->history, client_number, number);
    random_start(&worker->random, stage->trial->seed,
                 (uint64_t)client_number << 16 | (uint64_t)number);
    worker->actor = (struct actor){.client = client_number,
                                   .worker = number,
                                   .phase = PHASE_NONE,
                                   .board = &stage->control->board,
                                   .history = &worker->history};
    worker->lock = (struct lock){.scheme = stage->scheme,
                                 .options = {.name = "lockpick:lock",
                                             .lease_ns = scenario->lock.lease_ns,
                                             .wait_ns = scenario->lock.wait_ns,
                                             .retry_ns = scenario->lock.retry_ns,
                                             .request_ns = scenario->lock.request_ns,
                                             .fenced = scenario->workload.fenced},
                                 .actor = &worker->actor,
                                 .random = &worker->random,
                                 .service = &stage->lock_service,
                                 .client = client,
                                 .stop = &stage->control->stop};
    worker->store = (struct store){.kind = stage->store,
                                   .actor = &worker->actor,
                                   .fenced = scenario->workload.fenced,
                                   .request_ns = scenario->lock.request_ns,
                                   .service = &stage->store_service,
                                   .shared = &stage->control->account};
}

static int64_t record(struct worker *worker, enum event_kind kind, enum outcome outcome,
                      unsigned detail, int64_t a, int64_t b, int64_t c, int64_t d)
{
    return history_append(&worker->history, (struct event){.kind = (uint8_t)kind,
                                                           .outcome = (uint8_t)outcome,
                                                           .detail = (uint8_t)detail,
                                                           .args = {a, b, c, d}});
}

static void report_if_broken(struct worker *worker)
{
    const char *text =
        worker->lock.error.text[0] ? worker->lock.error.text : worker->store.error.text;
    if (text[0] != '\0')
        stage_break(worker->stage, "client-%d worker-%d, scheme %s: %s", worker->actor.client,
                    worker->actor.worker, worker->stage->scheme->name, text);
}

static bool acquire(struct worker *worker, int64_t operation, struct grant *grant)
{
    record(worker, EVENT_ACQUIRE_INVOKE, OUTCOME_OK, 0, operation,
           clock_monotonic_ns() + worker->lock.options.wait_ns, 0, 0);
    enum outcome outcome = lock_acquire(&worker->lock, grant);
    // The history's clock is the machine's, not the client's.
    int64_t valid_until_ns = grant->valid_until_ns == TIME_NEVER
                                 ? TIME_NEVER
                                 : grant->valid_until_ns - worker->actor.clock.offset_ns;
    record(worker, EVENT_ACQUIRE_RETURN, outcome, 0, operation, grant->token, valid_until_ns,
           grant->attempts);
    return outcome == OUTCOME_OK;
}

static void release(struct worker *worker, int64_t operation)
{
    record(worker, EVENT_RELEASE_INVOKE, OUTCOME_OK, 0, operation, 0, 0, 0);
    enum release_answer answer = lock_release(&worker->lock);
    enum outcome outcome = OUTCOME_OK;
    if (answer == RELEASE_UNKNOWN)
        outcome = OUTCOME_UNKNOWN;
    else if (answer == RELEASE_NOT_OWNER || answer == RELEASE_GONE)
        outcome = OUTCOME_NO;
    record(worker, EVENT_RELEASE_RETURN, outcome, answer, operation, 0, 0, 0);
}

// Sleeps for that long, or until the trial ends.
static void rest(const struct worker *worker, int64_t duration_ns)
{
    _Atomic uint32_t *stop = &worker->stage->control->stop;
    if (duration_ns == 0)
        return;
    int64_t until_ns = clock_monotonic_ns() + duration_ns;
    while (atomic_load(stop) == 0 && futex_wait_until_ns(stop, 0, until_ns))
        continue;
}

// The guarded update: reads, works, writes back what the workload says.
static void update(struct worker *worker, int64_t operation, int64_t token)
{
    struct actor *actor = &worker->actor;
    int64_t seen = 0;
    record(worker, EVENT_READ_INVOKE, OUTCOME_OK, 0, operation, token, 0, 0);
    actor->phase = PHASE_READ;
    enum outcome outcome = worker->store.kind->read(&worker->store, token, &seen);
    actor->phase = PHASE_NONE;
    record(worker, EVENT_READ_RETURN, outcome, 0, operation, token, seen, 0);
    point(actor, POINT_AFTER, "read");
    int64_t written = 0;
    if (outcome != OUTCOME_OK || !worker->stage->workload->next(seen, &written))
        return;
    rest(worker, scenario_of(worker)->workload.hold_ns);
    point(actor, POINT_BEFORE, "write");
    record(worker, EVENT_WRITE_INVOKE, OUTCOME_OK, 0, operation, token, written, seen);
    actor->phase = PHASE_WRITE;
    outcome = worker->store.kind->write(&worker->store, token, written);
    actor->phase = PHASE_NONE;
    record(worker, EVENT_WRITE_RETURN, outcome, 0, operation, token, written, seen);
    point(actor, POINT_AFTER, "write");
}

static void operate(struct worker *worker, int64_t operation)
{
    struct grant grant;
    if (acquire(worker, operation, &grant)) {
        point(&worker->actor, POINT_AT, "holds");
        update(worker, operation, grant.token);
        release(worker, operation);
    }
    report_if_broken(worker);
}

static bool is_stopped(const struct worker *worker)
{
    return atomic_load_explicit(&worker->stage->control->stop, memory_order_relaxed) != 0;
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
    if (lock_open(&worker->lock, &error) == 0 && store_open(&worker->store, &error) == 0)
        return 0;
    stage_break(worker->stage, "client-%d worker-%d, scheme %s: %s", worker->actor.client,
                worker->actor.worker, worker->stage->scheme->name, error.text);
    return -1;
}

void worker_run(struct worker *worker)
{
    struct control *control = worker->stage->control;
    int64_t operations = worker->stage->workload->operations(&scenario_of(worker)->workload);
    int connected = connect_all(worker);
    atomic_fetch_add(&control->ready, 1);
    futex_wake_all(&control->ready);
    wait_at_gate(worker);
    int64_t done = 0;
    record(worker, EVENT_WORKER_START, OUTCOME_OK, 0, 0, 0, 0, 0);
    while (connected == 0 && !is_stopped(worker)) {
        int64_t operation =
            atomic_fetch_add_explicit(&control->next_operation, 1, memory_order_relaxed) + 1;
        if (operations > 0 && operation > operations)
            break;
        operate(worker, operation);
        done++;
        rest(worker, scenario_of(worker)->workload.think_ns);
    }
    record(worker, EVENT_WORKER_END, OUTCOME_OK, 0, done, 0, 0, 0);
    store_close(&worker->store);
    lock_close(&worker->lock);
}
