#include "harness/check/liveness.h"

#include "harness/base/clock.h"
#include "harness/base/growing.h"
#include "harness/base/rank.h"
#include "harness/base/scope.h"
#include "harness/check/by_lock.h"
#include "harness/check/faults.h"
#include "harness/check/sweep.h"
#include "harness/history/event.h"

#include <math.h>
#include <stdlib.h>

// --- the times at which somebody waited for the lock ---------------------------------------------

// A worker waits that asked for it, has not been granted it yet, is alive, and is neither stopped
// nor cut off by a fault.

// One acquire, from its invocation to its end.
struct wait {
    int64_t key; // of the lock
    int64_t who;
    const struct hold *acquire;
    struct span time;
    bool gave_up; // and its worker lives on
};

// All waits of a trial, each lock's together.
struct waits {
    struct wait *items;
    size_t count;
};

// Free `items`.
static struct waits waits_of(const struct trial_model *model)
{
    size_t count = acquire_count(model);
    struct wait *waits = memory_new(count * sizeof *waits);
    for (size_t i = 0; i < count; i++) {
        const struct hold *hold = acquire_at(model, i);
        bool is_granted = i < model->hold_count;
        int64_t to_ns =
            is_granted ? hold->granted_ns : time_earlier(hold->returned_ns, hold->killed_ns);
        if (to_ns == TIME_NEVER)
            to_ns = time_later(model->ended_ns, hold->invoked_ns);
        waits[i] = (struct wait){.key = hold->key,
                                 .who = worker_key(hold),
                                 .acquire = hold,
                                 .time = {hold->invoked_ns, to_ns},
                                 .gave_up = !is_granted && hold->returned_ns != TIME_NEVER};
    }
    if (model->attempt_count > 0) {
        SORT_BY(waits, count, time.from_ns);
        SORT_BY(waits, count, who);
    }
    // Those that gave up waited on until their worker asked again, if that was for the same lock:
    // it still wanted it.
    for (size_t i = 0; model->attempt_count > 0 && i + 1 < count; i++) {
        const struct wait *next = &waits[i + 1];
        if (waits[i].gave_up && waits[i].who == next->who && waits[i].key == next->key)
            waits[i].time.to_ns = time_later(waits[i].time.to_ns, next->time.from_ns);
    }
    SORT_BY(waits, count, key);
    return (struct waits){waits, count};
}

// Adds the wait without the times at which a fault held its worker up. The faults are in the order
// of the scenario, not of time, so a wait may be cut more than once.
static void add_wait(const struct trial_model *model, const struct wait *wait, struct span time,
                     size_t first_fault, struct spans *stretches)
{
    for (size_t i = first_fault; i < model->fault_count; i++) {
        const struct fault_record *record = &model->faults[i];
        if (record->in_effect_ns >= time.to_ns || record->healed_ns <= time.from_ns ||
            !fault_holds_up(model, record->instance, wait->acquire->client, wait->acquire->worker))
            continue;
        if (record->in_effect_ns > time.from_ns)
            add_wait(model, wait, (struct span){time.from_ns, record->in_effect_ns}, i + 1,
                     stretches);
        time.from_ns = time_earlier(record->healed_ns, time.to_ns);
    }
    if (time.to_ns > time.from_ns)
        span_add(stretches, time);
}

// The stretches of time in which somebody waited for the lock `key`. Free `items`.
static struct spans stretches_of_waiting(const struct trial_model *model, const struct waits *waits,
                                         int64_t key)
{
    struct spans stretches = {0};
    for (size_t i = FIRST_FROM(waits->items, waits->count, key, key);
         i < waits->count && waits->items[i].key == key; i++)
        add_wait(model, &waits->items[i], waits->items[i].time, 0, &stretches);
    spans_join(&stretches);
    return stretches;
}

// The stretch in which `at_ns` lies, its ends included, or NULL if nobody waited then.
static const struct span *stretch_at(const struct spans *stretches, int64_t at_ns)
{
    size_t next = FIRST_FROM(stretches->items, stretches->count, to_ns, at_ns);
    bool lasts = next < stretches->count && stretches->items[next].from_ns <= at_ns;
    return lasts ? &stretches->items[next] : NULL;
}

// --- the next grant ------------------------------------------------------------------------------

// Waits for the next grant, of all locks.
struct collection {
    int64_t *waits_ns;
    size_t count, room;
};

// What the figures of one lock are read from.
struct reader {
    const struct trial_model *model;
    struct spans waiting;
};

// How long after `from_ns` the hold `next` was granted; -1 if that says nothing.
static int64_t wait_ns(const struct reader *reader, int64_t from_ns, size_t next)
{
    const struct trial_model *model = reader->model;
    if (next >= model->hold_count)
        return -1;
    int64_t granted_ns = model->holds[next].granted_ns;
    const struct span *stretch = stretch_at(&reader->waiting, granted_ns);
    if (granted_ns < from_ns || granted_ns > model->ended_ns || stretch == NULL ||
        stretch->from_ns > from_ns)
        return -1;
    return granted_ns - from_ns;
}

static void collect(struct collection *collection, int64_t waited_ns)
{
    if (waited_ns >= 0)
        *APPEND(collection->waits_ns, collection->count, collection->room) = waited_ns;
}

// Frees the collection.
static struct wait_figures figures_of(struct collection *collection)
{
    AUTO_FREE int64_t *waits_ns = collection->waits_ns;
    size_t count = collection->count;
    struct wait_figures figures = {.count = count};
    sort_values(waits_ns, count);
    figures.p50_ns = percentile_of_sorted(waits_ns, count, 500);
    figures.p99_ns = percentile_of_sorted(waits_ns, count, 990);
    figures.max_ns = percentile_of_sorted(waits_ns, count, 1000);
    return figures;
}

// --- when a lock became free ---------------------------------------------------------------------

// By what a lock became free.
enum end { END_RELEASE, END_CRASH, END_EXPIRY, END_COUNT };

// When the hold ended so; TIME_NEVER: it did not.
static int64_t ended_at(const struct hold *hold, enum end end)
{
    bool is_freed = hold->answer == RELEASE_RELEASED || hold->answer == RELEASE_UNCHECKED;
    switch (end) {
    case END_RELEASE:
        return hold->returned_ns != TIME_NEVER && is_freed ? hold->released_ns : TIME_NEVER;
    case END_CRASH:
        return hold->died ? hold->released_ns : hold->died_ns;
    default:
        return hold->release_invoked && hold->released_ns <= hold->valid_until_ns
                   ? TIME_NEVER
                   : time_later(hold->valid_until_ns, hold->granted_ns);
    }
}

// Of an exclusive lock, the next grant must be the very next one: if somebody was granted it before
// the hold came to its end, that end freed nothing. Permits come free one by one.
static void collect_after(const struct reader *reader, enum end end, struct collection *collection)
{
    const struct trial_model *model = reader->model;
    bool is_exclusive = trial_model_permits(model) == 1;
    for (size_t i = 0; i < model->hold_count; i++) {
        const struct hold *hold = &model->holds[i];
        int64_t from_ns = ended_at(hold, end);
        if (from_ns >= model->ended_ns || hold->shared)
            continue;
        collect(collection,
                wait_ns(reader, from_ns, is_exclusive ? i + 1 : first_grant(model, from_ns)));
    }
}

// `longest_ns` has room for each fault: the longest of any lock so far, -1 if there is none.
static void collect_heals(const struct reader *reader, int64_t *longest_ns,
                          struct collection *collection)
{
    const struct trial_model *model = reader->model;
    for (size_t i = 0; i < model->fault_count; i++) {
        const struct fault_record *record = &model->faults[i];
        bool is_over = record->healed_ns < model->ended_ns &&
                       (record->heal_reason == HEAL_CAUSE || record->heal_reason == HEAL_BOUND);
        if (!is_over)
            continue;
        int64_t waited_ns =
            wait_ns(reader, record->healed_ns, first_grant(model, record->healed_ns));
        collect(collection, waited_ns);
        longest_ns[i] = time_later(longest_ns[i], waited_ns);
    }
}

// --- waits ---------------------------------------------------------------------------------------

int64_t longest_wait_ns(const struct trial_model *model, bool only_counted)
{
    int64_t longest_ns = 0;
    FOR_EACH_HOLD (hold, model) {
        if (!only_counted || counted_hold(model, hold))
            longest_ns = time_later(longest_ns, hold->granted_ns - hold_acquire_began_ns(hold));
    }
    FOR_EACH_ATTEMPT (attempt, model) {
        int64_t until_ns = attempt->returned_ns;
        // The dead wait for nothing.
        if (until_ns == TIME_NEVER)
            until_ns = time_earlier(attempt->killed_ns, model->ended_ns);
        if (!only_counted || counted_hold(model, attempt))
            longest_ns = time_later(longest_ns, until_ns - attempt->invoked_ns);
    }
    return longest_ns;
}

static int64_t unserved_ns(const struct reader *reader)
{
    const struct trial_model *model = reader->model;
    const struct span *stretch = stretch_at(&reader->waiting, model->ended_ns);
    if (stretch == NULL)
        return 0;
    size_t next = first_grant(model, model->ended_ns);
    int64_t since_ns = time_later(stretch->from_ns, model->started_ns);
    if (next > 0)
        since_ns = time_later(since_ns, model->holds[next - 1].granted_ns);
    return time_later(model->ended_ns - since_ns, 0);
}

void liveness_measure(const struct trial_model *model, struct liveness *liveness)
{
    struct collection ends[END_COUNT] = {0}, heals = {0};
    AUTO_FREE int64_t *longest_ns = memory_new(model->fault_count * sizeof *longest_ns);
    AUTO_FREE struct waits waits = waits_of(model);
    *liveness = (struct liveness){.longest_wait_ns = longest_wait_ns(model, false),
                                  .left = model->ends.left};
    for (size_t i = 0; i < model->fault_count; i++)
        longest_ns[i] = -1;
    FOR_EACH_LOCK (locks, model) {
        struct reader reader = {.model = &locks.part,
                                .waiting = stretches_of_waiting(model, &waits, locks.key)};
        liveness->unserved_ns = time_later(liveness->unserved_ns, unserved_ns(&reader));
        // An optimistic lock is never taken, and so never becomes free.
        for (enum end end = 0; end < END_COUNT && trial_model_excludes(model); end++)
            collect_after(&reader, end, &ends[end]);
        collect_heals(&reader, longest_ns, &heals);
        free(reader.waiting.items);
    }
    liveness->after_release = figures_of(&ends[END_RELEASE]);
    liveness->after_crash = figures_of(&ends[END_CRASH]);
    liveness->after_expiry = figures_of(&ends[END_EXPIRY]);
    liveness->after_heal = figures_of(&heals);
    for (size_t i = 0; i < model->fault_count && liveness->heal_count < MOST_FAULTS; i++) {
        if (longest_ns[i] >= 0)
            liveness->heals[liveness->heal_count++] =
                (struct heal_wait){model->faults[i].instance->number, longest_ns[i]};
    }
}

// === what a grant costs ==========================================================================

// One worker. What it tells counts up from its beginning.
struct worker_account {
    bool warms_up;
    int64_t acquire_requests, release_requests, wakeups; // when its warm-up began or ended
};

// One client.
struct account {
    bool told;
    bool is_uncounted; // it cannot tell of all that it sent
    bool is_partial;   // it was killed, or some of it is lost
    bool hides_wakeups;
    struct herd sum; // of its workers
    struct worker_account *workers;
    size_t worker_count;
};

static void tell(struct account *client, struct worker_account *worker, const struct event *event)
{
    if (!worker->warms_up) {
        client->sum.acquire_requests += event->sent.acquire_requests - worker->acquire_requests;
        client->sum.release_requests += event->sent.release_requests - worker->release_requests;
        client->sum.wakeups += event->sent.wakeups - worker->wakeups;
    }
    client->hides_wakeups |= event->sent.wakeups < 0;
    worker->acquire_requests = event->sent.acquire_requests;
    worker->release_requests = event->sent.release_requests;
    worker->wakeups = event->sent.wakeups;
}

static void see(struct account *client, const struct trial_model *model, const struct event *event)
{
    client->workers =
        reaching(client->workers, &client->worker_count, event->worker, sizeof *client->workers);
    struct worker_account *worker = &client->workers[event->worker];
    switch (event->kind) {
    case EVENT_PROCESS_DEATH:
    case EVENT_GAP:
        client->is_partial = true;
        break;
    case EVENT_ACQUIRE_RETURN:
        client->sum.grants += event->outcome == OUTCOME_OK && !worker->warms_up;
        break;
    case EVENT_RENEW_INVOKE:
        client->sum.renewals += counted_at(model, event->at_ns);
        break;
    case EVENT_WORKER_LOAD:
        tell(client, worker, event);
        worker->warms_up = event->worker_load.counts == 0;
        break;
    case EVENT_WORKER_END:
        tell(client, worker, event);
        client->told = true;
        client->is_uncounted |= event->outcome != OUTCOME_OK;
        break;
    default:
        break;
    }
}

void herd_measure(const struct trial_model *model, struct herd *herd)
{
    const struct history *history = model->history;
    AUTO_FREE struct account *clients = NULL;
    size_t client_count = 0;
    for (size_t i = 0; history != NULL && i < history->count; i++) {
        const struct event *event = &history->events[i];
        clients = reaching(clients, &client_count, event->client, sizeof *clients);
        see(&clients[event->client], model, event);
    }
    *herd = (struct herd){0};
    bool is_counted = true, tells_wakeups = true;
    for (size_t i = 0; i < client_count; i++) {
        const struct account *client = &clients[i];
        free(client->workers);
        if (i == 0 || !client->told || client->is_partial)
            continue;
        is_counted = is_counted && !client->is_uncounted;
        tells_wakeups = tells_wakeups && !client->hides_wakeups;
        herd->grants += client->sum.grants;
        herd->acquire_requests += client->sum.acquire_requests;
        herd->release_requests += client->sum.release_requests;
        herd->renewals += client->sum.renewals;
        herd->wakeups += client->sum.wakeups;
    }
    if (!tells_wakeups)
        herd->wakeups = -1;
    herd->is_known = herd->acquire_requests > 0 && is_counted;
}

double herd_per_grant(const struct herd *herd, int64_t count)
{
    return herd->grants > 0 && count >= 0 ? (double)count / (double)herd->grants : NAN;
}
