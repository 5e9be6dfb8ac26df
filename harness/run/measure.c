#include "harness/run/measure.h"

#include <stdlib.h>

// A loop ends within that time, and with it the time in which nobody is told to stop.
#define LOOP_NS (250 * NS_PER_MS)
#define MOST_OPERATIONS_A_LOOP 4096
// Of a limited number of operations a worker takes its share in so many loops.
#define LOOPS_A_SHARE 4

bool measure_applies(const struct worker *worker)
{
    const struct stage *stage = worker->stage;
    const struct scenario *scenario = stage->trial->scenario;
    bool is_closed =
        stage->load.arrivals == NULL && (stage->load.count == 0 || scenario->workload.for_ns > 0);
    return stage->workload->only_locks && is_closed && worker->key_count == 1 &&
           stage->scheme->measures != NULL && stage->scheme->measures(&worker->key->lock);
}

static void record(struct worker *worker, struct event event, enum event_kind kind, int64_t at_ns)
{
    event.kind = (uint8_t)kind;
    event.at_ns = at_ns;
    history_append(&worker->history, event);
}

static void record_cycle(struct worker *worker, int64_t operation, const struct lock_cycle *cycle)
{
    const struct lock *lock = &worker->key->lock;
    int64_t give_up_ns = cycle->acquire_ns + lock->options.wait_ns;
    record(worker,
           (struct event){.acquire_invoke = {operation, give_up_ns, 0, worker->key->number}},
           EVENT_ACQUIRE_INVOKE, cycle->acquire_ns);
    record(worker,
           (struct event){.outcome = (uint8_t)cycle->outcome,
                          .detail = cycle->is_unanchored,
                          .acquire_return = {operation, 0, cycle->valid_until_ns, 1}},
           EVENT_ACQUIRE_RETURN, cycle->acquired_ns);
    if (cycle->outcome != OUTCOME_OK)
        return;
    record(worker, (struct event){.release_invoke = {.operation = operation}}, EVENT_RELEASE_INVOKE,
           cycle->release_ns);
    record(worker,
           (struct event){.outcome = (uint8_t)release_outcome(cycle->answer),
                          .detail = (uint8_t)cycle->answer,
                          .release_return = {.operation = operation}},
           EVENT_RELEASE_RETURN, cycle->released_ns);
}

// The program did not answer before the trial ended: what it did since then is not known.
static void record_unknown(struct worker *worker, int64_t operation, int64_t since_ns)
{
    const struct lock_cycle cycle = {
        .acquire_ns = since_ns, .acquired_ns = clock_monotonic_ns(), .outcome = OUTCOME_UNKNOWN};
    record_cycle(worker, operation, &cycle);
}

int64_t measure_operations(struct worker *worker, const struct turn *turn)
{
    const struct scenario *scenario = worker->stage->trial->scenario;
    int64_t operations = worker->pace.operations;
    int64_t share = operations / workload_workers(scenario) / LOOPS_A_SHARE;
    int64_t most =
        operations == 0 ? MOST_OPERATIONS_A_LOOP : time_earlier(share, MOST_OPERATIONS_A_LOOP);
    int64_t first = 0;
    int64_t count = 1 + pace_reserve(&worker->pace, most, &first);
    int64_t done = 0;
    int64_t ends_ns = pace_ends_ns(&worker->pace);
    int64_t now_ns = clock_monotonic_ns();
    while (done < count && now_ns < ends_ns && !stage_is_stopped(worker->stage)) {
        struct lock_measure measure = {.operations = count - done,
                                       .until_ns = time_earlier(now_ns + LOOP_NS, ends_ns),
                                       .hold_ns = scenario->workload.hold_ns,
                                       .think_ns = scenario->workload.think_ns};
        struct lock_cycle *cycles = NULL;
        size_t cycle_count = 0;
        struct lock *lock = &worker->key->lock;
        enum outcome outcome = lock->scheme->measure(lock, &measure, &cycles, &cycle_count);
        if (outcome == OUTCOME_UNKNOWN)
            record_unknown(worker, done == 0 ? turn->operation : first + done - 1, now_ns);
        if (outcome != OUTCOME_OK)
            break;
        for (size_t i = 0; i < cycle_count; i++, done++)
            record_cycle(worker, done == 0 ? turn->operation : first + done - 1, &cycles[i]);
        free(cycles);
        now_ns = clock_monotonic_ns();
    }
    return done;
}
