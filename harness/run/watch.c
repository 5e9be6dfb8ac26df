#include "harness/run/watch.h"

#include "harness/base/clock.h"
#include "harness/base/growing.h"
#include "harness/history/event.h"

#include <stdlib.h>

void watch_start(struct watch *watch, int clients, int threads, int lead, bool is_external)
{
    *watch = (struct watch){.clients = clients, .threads = threads, .lead = lead};
    watch->in[IDLE] = (size_t)clients * (size_t)threads;
    watch->workers = memory_zeroed((size_t)clients * (size_t)threads, sizeof *watch->workers);
    watch->answered = is_external ? memory_zeroed((size_t)clients, sizeof(bool)) : NULL;
}

void watch_free(struct watch *watch)
{
    free(watch->workers);
    free(watch->answered);
    free(watch->stalls);
}

static void become(struct watch *watch, struct watched *worker, enum doing doing)
{
    watch->in[worker->doing]--;
    worker->doing = doing;
    watch->in[doing]++;
}

// Of stalls that coincide each moment counts once, whichever of them ended, and was recorded,
// first.
static void add_stall(struct watch *watch, struct span span)
{
    span.from_ns = time_later(span.from_ns, watch->quiet_since_ns);
    if (span.to_ns <= span.from_ns)
        return;
    size_t first = watch->stall_count;
    while (first > 0 && watch->stalls[first - 1].to_ns >= span.from_ns)
        first--;
    for (size_t i = first; i < watch->stall_count; i++) {
        watch->stalled_ns -= watch->stalls[i].to_ns - watch->stalls[i].from_ns;
        span.from_ns = time_earlier(span.from_ns, watch->stalls[i].from_ns);
        span.to_ns = time_later(span.to_ns, watch->stalls[i].to_ns);
    }
    watch->stall_count = first;
    *APPEND(watch->stalls, watch->stall_count, watch->stall_room) = span;
    watch->stalled_ns += span.to_ns - span.from_ns;
}

// Something could have freed or granted the lock. Events of several writers come in no order.
static void stir(struct watch *watch, int64_t at_ns)
{
    if (at_ns <= watch->quiet_since_ns)
        return;
    size_t count = watch->stall_count;
    watch->quiet_since_ns = at_ns;
    watch->stall_count = 0;
    watch->stalled_ns = 0;
    for (size_t i = 0; i < count; i++)
        add_stall(watch, watch->stalls[i]);
}

// Its program answers: what its other workers wait for is the lock.
static void see_answer(struct watch *watch, int client)
{
    if (watch->answered == NULL || watch->answered[client - 1])
        return;
    watch->answered[client - 1] = true;
    struct watched *first = &watch->workers[(size_t)(client - 1) * (size_t)watch->threads];
    for (int i = 0; i < watch->threads; i++) {
        if (first[i].doing == OWED)
            become(watch, &first[i], WAITING);
    }
}

static void see_worker(struct watch *watch, struct watched *worker, const struct event *event)
{
    bool is_granted = event->outcome == OUTCOME_OK;
    if (!worker_step(&worker->state, event))
        return;
    if (event->kind == EVENT_ACQUIRE_INVOKE) {
        bool is_owed = watch->answered != NULL && !watch->answered[event->client - 1];
        if (watch->in[WAITING] + watch->in[OWED] + watch->in[GAVE_UP] == 0)
            stir(watch, event->at_ns);
        become(watch, worker, is_owed ? OWED : WAITING);
    } else if (event->kind == EVENT_ACQUIRE_RETURN) {
        see_answer(watch, event->client);
        become(watch, worker, is_granted ? HOLDING : GAVE_UP);
        if (is_granted && watch->quiet_since_ns > 0 && !watch->struck)
            watch->longest_wait_ns =
                time_later(watch->longest_wait_ns, event->at_ns - watch->quiet_since_ns);
        if (is_granted)
            stir(watch, event->at_ns);
        watch->granted |= is_granted;
        watch->lead_returned |= event->client == watch->lead;
    } else if (event->kind == EVENT_RELEASE_INVOKE || event->kind == EVENT_RELEASE_RETURN) {
        become(watch, worker, event->kind == EVENT_RELEASE_INVOKE ? RELEASING : IDLE);
        stir(watch, event->at_ns);
    }
}

static void see_fault(struct watch *watch, const struct event *event)
{
    stir(watch, event->at_ns);
    watch->struck = true;
    if (event->fault_number >= sizeof watch->faults_ns / sizeof *watch->faults_ns)
        return;
    int64_t *from_ns = &watch->faults_ns[event->fault_number];
    if (event->kind == EVENT_FAULT_IN_EFFECT)
        *from_ns = event->at_ns;
    else if (*from_ns > 0)
        watch->longest_fault_ns = time_later(watch->longest_fault_ns, event->at_ns - *from_ns);
}

void watch_see(struct watch *watch, const struct event *event)
{
    if (event->client == 0 || event->client > watch->clients) {
        if (event->kind == EVENT_FAULT_HEALED || event->kind == EVENT_FAULT_IN_EFFECT)
            see_fault(watch, event);
        else if (event->kind == EVENT_STALL) {
            // Whose they are is not asked: what the checks allow the worker that they decide by is
            // never more.
            const struct stall stall = stall_of(event);
            watch->longest_stall_ns =
                time_later(watch->longest_stall_ns, stall.to_ns - stall.from_ns);
            if (stall.of != STALLED_CONDUCTOR)
                add_stall(watch, (struct span){stall.from_ns, stall.to_ns});
        }
        return;
    }
    struct watched *first = &watch->workers[(size_t)(event->client - 1) * (size_t)watch->threads];
    if (event->worker >= 1 && event->worker <= watch->threads) {
        see_worker(watch, &first[event->worker - 1], event);
    } else if (event->kind == EVENT_PROCESS_DEATH) {
        for (int i = 0; i < watch->threads; i++) {
            become(watch, &first[i], IDLE);
            first[i].state = (struct worker_state){WORKER_IDLE, 0};
        }
        stir(watch, event->at_ns);
    }
}

int64_t watch_stalls_ns(const struct watch *watch)
{
    return watch->stalled_ns + watch->longest_stall_ns;
}

// True if nothing happened for so long, stalls apart.
static bool is_quiet_for(const struct watch *watch, int64_t now_ns, int64_t length_ns)
{
    return now_ns - watch->quiet_since_ns > length_ns + watch_stalls_ns(watch);
}

bool watch_is_stuck(const struct watch *watch, int64_t now_ns, int64_t stuck_after_ns)
{
    return watch->in[WAITING] > 0 && watch->in[HOLDING] + watch->in[RELEASING] == 0 &&
           is_quiet_for(watch, now_ns, stuck_after_ns);
}

bool watch_is_unanswered(const struct watch *watch, int64_t now_ns,
                         const struct lock_settings *lock)
{
    return watch->in[RELEASING] > 0 && watch->in[HOLDING] == 0 &&
           is_quiet_for(watch, now_ns, longest_release_ns(lock) + watch->longest_fault_ns);
}
