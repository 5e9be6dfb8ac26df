#include "harness/check/liveness.h"

#include "harness/base/clock.h"
#include "harness/base/growing.h"
#include "harness/base/rank.h"
#include "harness/check/by_lock.h"
#include "harness/check/faults.h"
#include "harness/history/event.h"

#include <math.h>
#include <stdlib.h>

// --- the times at which somebody waited for the lock ---------------------------------------------

// A worker waits that asked for it, has not been granted it yet, is alive, and is neither stopped
// nor cut off by a fault.

// A time during all of which at least one worker waited.
struct stretch {
    int64_t from_ns;
    int64_t to_ns;
};

// In the order of time; no two touch.
struct stretches {
    struct stretch *items;
    size_t count;
};

// One acquire, from its invocation to its end.
struct wait {
    int64_t key; // of the lock
    int client;
    int worker;
    int64_t from_ns;
    int64_t to_ns;
    bool gave_up; // and its worker lives on
};

// All waits of a trial, each lock's together.
struct waits {
    struct wait *items;
    size_t count;
};

static struct wait wait_of_attempt(const struct digest *digest, const struct attempt *attempt)
{
    struct wait wait = {.key = attempt->key,
                        .client = attempt->client,
                        .worker = attempt->worker,
                        .from_ns = attempt->invoked_ns,
                        .to_ns = time_earlier(attempt->returned_ns, attempt->killed_ns),
                        .gave_up = attempt->returned_ns != TIME_NEVER};
    if (wait.to_ns == TIME_NEVER)
        wait.to_ns = time_later(digest->ended_ns, wait.from_ns);
    return wait;
}

static int compare_waits(const void *left, const void *right)
{
    const struct wait *a = left;
    const struct wait *b = right;
    if (a->client != b->client)
        return a->client < b->client ? -1 : 1;
    if (a->worker != b->worker)
        return a->worker < b->worker ? -1 : 1;
    return (a->from_ns > b->from_ns) - (a->from_ns < b->from_ns);
}

// Those that gave up waited on until their worker asked again.
static void join_retries(struct wait *waits, size_t count)
{
    qsort(waits, count, sizeof *waits, compare_waits);
    for (size_t i = 0; i + 1 < count; i++) {
        const struct wait *next = &waits[i + 1];
        if (waits[i].gave_up && waits[i].client == next->client &&
            waits[i].worker == next->worker && waits[i].key == next->key)
            waits[i].to_ns = time_later(waits[i].to_ns, next->from_ns);
    }
}

// Between an acquire that gave up and its worker's next one, the worker counts as waiting too, if
// that is for the same lock: it still wants it. Free `items`.
static struct waits waits_of(const struct digest *digest)
{
    size_t count = digest->hold_count + digest->attempt_count;
    struct wait *waits = memory_new(count * sizeof *waits);
    for (size_t i = 0; i < digest->hold_count; i++) {
        const struct hold *hold = &digest->holds[i];
        waits[i] = (struct wait){hold->key,        hold->client,     hold->worker,
                                 hold->invoked_ns, hold->granted_ns, .gave_up = false};
    }
    for (size_t i = 0; i < digest->attempt_count; i++)
        waits[digest->hold_count + i] = wait_of_attempt(digest, &digest->attempts[i]);
    if (digest->attempt_count > 0)
        join_retries(waits, count);
    sort_by_key(waits, count, sizeof *waits);
    return (struct waits){waits, count};
}

// --- all of them together ------------------------------------------------------------------------

// Where waits begin, and where they end.
struct edges {
    int64_t *from_ns;
    int64_t *to_ns;
    size_t count, room;
};

static void add_edges(struct edges *edges, int64_t from_ns, int64_t to_ns)
{
    if (to_ns <= from_ns)
        return;
    if (edges->count == edges->room) {
        edges->room = edges->room > 0 ? edges->room * 2 : 64;
        edges->from_ns = memory_resized(edges->from_ns, edges->room * sizeof *edges->from_ns);
        edges->to_ns = memory_resized(edges->to_ns, edges->room * sizeof *edges->to_ns);
    }
    edges->from_ns[edges->count] = from_ns;
    edges->to_ns[edges->count++] = to_ns;
}

// Adds the wait without the times at which a fault held its worker up. The faults are in the order
// of the scenario, not of time, so a wait may be cut more than once.
static void add_wait(const struct digest *digest, struct wait wait, size_t first_fault,
                     struct edges *edges)
{
    for (size_t i = first_fault; i < digest->fault_count; i++) {
        const struct fault_record *record = &digest->faults[i];
        if (record->in_effect_ns >= wait.to_ns || record->healed_ns <= wait.from_ns ||
            !fault_holds_up(digest, record->step, wait.client, wait.worker))
            continue;
        struct wait before = wait;
        before.to_ns = record->in_effect_ns;
        if (before.to_ns > before.from_ns)
            add_wait(digest, before, i + 1, edges);
        wait.from_ns = time_earlier(record->healed_ns, wait.to_ns);
    }
    add_edges(edges, wait.from_ns, wait.to_ns);
}

// Sweeps over the edges in the order of time: somebody waits while more waits have begun than
// ended.
static struct stretches merge(struct edges *edges)
{
    struct stretches stretches = {memory_new(edges->count * sizeof *stretches.items), 0};
    sort_values(edges->from_ns, edges->count);
    sort_values(edges->to_ns, edges->count);
    size_t begun = 0;
    for (size_t ended = 0; ended < edges->count; ended++) {
        if (begun == ended) {
            struct stretch *last =
                stretches.count > 0 ? &stretches.items[stretches.count - 1] : NULL;
            if (last == NULL || last->to_ns < edges->from_ns[begun])
                stretches.items[stretches.count++] = (struct stretch){edges->from_ns[begun], 0};
        }
        while (begun < edges->count && edges->from_ns[begun] <= edges->to_ns[ended])
            begun++;
        stretches.items[stretches.count - 1].to_ns = edges->to_ns[ended];
    }
    return stretches;
}

// The stretches in which somebody waited for the lock `key`. Free `items`.
static struct stretches stretches_of_waiting(const struct digest *digest, const struct waits *waits,
                                             int64_t key)
{
    struct edges edges = {0};
    for (size_t i = FIRST_FROM(waits->items, waits->count, key, key);
         i < waits->count && waits->items[i].key == key; i++)
        add_wait(digest, waits->items[i], 0, &edges);
    struct stretches stretches = merge(&edges);
    free(edges.from_ns);
    free(edges.to_ns);
    return stretches;
}

// The stretch in which `at_ns` lies, its ends included, or NULL if nobody waited then.
static const struct stretch *stretch_at(const struct stretches *stretches, int64_t at_ns)
{
    size_t next = FIRST_FROM(stretches->items, stretches->count, to_ns, at_ns);
    bool lasts = next < stretches->count && stretches->items[next].from_ns <= at_ns;
    return lasts ? &stretches->items[next] : NULL;
}

// --- figures -------------------------------------------------------------------------------------

// Waits for the next grant, of all locks.
struct collection {
    int64_t *waits_ns;
    size_t count, room;
};

// What the figures of one lock are read from.
struct reader {
    const struct digest *digest;
    struct stretches waiting;
};

// --- the next grant ------------------------------------------------------------------------------

// The first hold that was granted at `at_ns` or later; hold_count if none was.
static size_t next_grant(const struct digest *digest, int64_t at_ns)
{
    return FIRST_FROM(digest->holds, digest->hold_count, granted_ns, at_ns);
}

// How long after `from_ns` the hold `next` was granted; -1 if that says nothing.
static int64_t wait_ns(const struct reader *reader, int64_t from_ns, size_t next)
{
    const struct digest *digest = reader->digest;
    if (next >= digest->hold_count)
        return -1;
    int64_t granted_ns = digest->holds[next].granted_ns;
    const struct stretch *stretch = stretch_at(&reader->waiting, granted_ns);
    if (granted_ns < from_ns || granted_ns > digest->ended_ns || stretch == NULL ||
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
    int64_t *waits_ns = collection->waits_ns;
    size_t count = collection->count;
    struct wait_figures figures = {.count = count};
    sort_values(waits_ns, count);
    figures.p50_ns = percentile_of_sorted(waits_ns, count, 500);
    figures.p99_ns = percentile_of_sorted(waits_ns, count, 990);
    figures.max_ns = percentile_of_sorted(waits_ns, count, 1000);
    free(waits_ns);
    return figures;
}

// --- when a lock became free ---------------------------------------------------------------------

static int64_t released_at(const struct hold *hold)
{
    bool is_freed = hold->returned_ns != TIME_NEVER &&
                    (hold->answer == RELEASE_RELEASED || hold->answer == RELEASE_UNCHECKED);
    return is_freed ? hold->released_ns : TIME_NEVER;
}

static int64_t crashed_at(const struct hold *hold)
{
    return hold->died ? hold->released_ns : hold->died_ns;
}

static int64_t expired_at(const struct hold *hold)
{
    bool is_over = hold->release_invoked && hold->released_ns <= hold->valid_until_ns;
    return is_over ? TIME_NEVER : time_later(hold->valid_until_ns, hold->granted_ns);
}

// Of an exclusive lock, the next grant must be the very next one: if somebody was granted it before
// the hold came to its end, that end freed nothing. Permits come free one by one.
static void collect_after(const struct reader *reader, int64_t (*ended_at)(const struct hold *),
                          struct collection *collection)
{
    const struct digest *digest = reader->digest;
    bool is_exclusive = digest_permits(digest) == 1;
    for (size_t i = 0; i < digest->hold_count; i++) {
        const struct hold *hold = &digest->holds[i];
        int64_t from_ns = ended_at(hold);
        if (from_ns >= digest->ended_ns || hold->shared)
            continue;
        collect(collection,
                wait_ns(reader, from_ns, is_exclusive ? i + 1 : next_grant(digest, from_ns)));
    }
}

// `longest_ns` has room for each fault: the longest of any lock so far, -1 if there is none.
static void collect_heals(const struct reader *reader, int64_t *longest_ns,
                          struct collection *collection)
{
    const struct digest *digest = reader->digest;
    for (size_t i = 0; i < digest->fault_count; i++) {
        const struct fault_record *record = &digest->faults[i];
        bool is_over = record->healed_ns < digest->ended_ns &&
                       (record->heal_reason == HEAL_CAUSE || record->heal_reason == HEAL_BOUND);
        if (!is_over)
            continue;
        int64_t waited_ns =
            wait_ns(reader, record->healed_ns, next_grant(digest, record->healed_ns));
        collect(collection, waited_ns);
        longest_ns[i] = time_later(longest_ns[i], waited_ns);
    }
}

static void list_heals(const struct digest *digest, const int64_t *longest_ns,
                       struct liveness *liveness)
{
    for (size_t i = 0; i < digest->fault_count && liveness->heal_count < MOST_FAULTS; i++) {
        if (longest_ns[i] >= 0)
            liveness->heals[liveness->heal_count++] =
                (struct heal_wait){digest->faults[i].step->number, longest_ns[i]};
    }
}

// --- waits ---------------------------------------------------------------------------------------

static int64_t longest_wait_ns(const struct digest *digest)
{
    int64_t longest_ns = 0;
    for (size_t i = 0; i < digest->hold_count; i++)
        longest_ns = time_later(longest_ns, digest->holds[i].granted_ns -
                                                hold_acquire_began_ns(&digest->holds[i]));
    FOR_EACH_ATTEMPT (attempt, digest) {
        int64_t until_ns = attempt->returned_ns;
        // The dead wait for nothing.
        if (until_ns == TIME_NEVER)
            until_ns = time_earlier(attempt->killed_ns, digest->ended_ns);
        longest_ns = time_later(longest_ns, until_ns - attempt->invoked_ns);
    }
    return longest_ns;
}

static int64_t unserved_ns(const struct reader *reader)
{
    const struct digest *digest = reader->digest;
    const struct stretch *stretch = stretch_at(&reader->waiting, digest->ended_ns);
    if (stretch == NULL)
        return 0;
    size_t next = next_grant(digest, digest->ended_ns);
    int64_t since_ns = time_later(stretch->from_ns, digest->started_ns);
    if (next > 0)
        since_ns = time_later(since_ns, digest->holds[next - 1].granted_ns);
    return time_later(digest->ended_ns - since_ns, 0);
}

// By what a lock became free.
enum end { END_RELEASE, END_CRASH, END_EXPIRY, END_COUNT };

static void measure_locks(const struct digest *digest, int64_t *longest_ns,
                          struct collection ends[END_COUNT], struct collection *heals,
                          struct liveness *liveness)
{
    static int64_t (*const ended_at[])(const struct hold *) = {
        [END_RELEASE] = released_at, [END_CRASH] = crashed_at, [END_EXPIRY] = expired_at};
    struct waits waits = waits_of(digest);
    struct by_lock locks;
    by_lock_start(&locks, digest);
    while (by_lock_next(&locks)) {
        struct reader reader = {.digest = &locks.part,
                                .waiting = stretches_of_waiting(digest, &waits, locks.key)};
        liveness->unserved_ns = time_later(liveness->unserved_ns, unserved_ns(&reader));
        // An optimistic lock is never taken, and so never becomes free.
        for (enum end end = 0; end < END_COUNT && digest_excludes(digest); end++)
            collect_after(&reader, ended_at[end], &ends[end]);
        collect_heals(&reader, longest_ns, heals);
        free(reader.waiting.items);
    }
    by_lock_end(&locks);
    free(waits.items);
}

void liveness_measure(const struct digest *digest, struct liveness *liveness)
{
    struct collection ends[END_COUNT] = {0};
    struct collection heals = {0};
    int64_t *longest_ns = memory_new(digest->fault_count * sizeof *longest_ns);
    *liveness =
        (struct liveness){.longest_wait_ns = longest_wait_ns(digest), .left = digest->ends.left};
    for (size_t i = 0; i < digest->fault_count; i++)
        longest_ns[i] = -1;
    measure_locks(digest, longest_ns, ends, &heals, liveness);
    liveness->after_release = figures_of(&ends[END_RELEASE]);
    liveness->after_crash = figures_of(&ends[END_CRASH]);
    liveness->after_expiry = figures_of(&ends[END_EXPIRY]);
    liveness->after_heal = figures_of(&heals);
    list_heals(digest, longest_ns, liveness);
    free(longest_ns);
}

// === what a grant costs ==========================================================================

// What was sent, by one worker or more.
struct sent {
    int64_t acquire_requests, release_requests, wakeups;
};

// One worker. What it tells counts up from its beginning.
struct worker_account {
    bool warms_up;
    struct sent before; // when its warm-up began or ended
    struct sent counted;
    bool hides_wakeups; // perhaps there were more
    size_t grants;
};

// All the workers of one client.
struct account {
    bool told;
    bool is_uncounted; // it cannot tell of all that it sent
    bool is_partial;   // it was killed, or some of it is lost
    int64_t renewals;
};

struct accounts {
    struct account *clients;
    struct worker_account *workers; // by client and worker
    size_t worker_count;
};

static size_t index_of(int client, int worker)
{
    return (size_t)client * (MOST_WORKERS + 1) + (size_t)worker;
}

static struct worker_account *worker_of(struct accounts *accounts, const struct event *event)
{
    size_t index = index_of(event->client, event->worker);
    accounts->workers =
        reaching(accounts->workers, &accounts->worker_count, index, sizeof *accounts->workers);
    return &accounts->workers[index];
}

static void tell(struct worker_account *worker, const struct event *event)
{
    struct sent now = {event->sent.acquire_requests, event->sent.release_requests,
                       event->sent.wakeups};
    if (!worker->warms_up) {
        worker->counted.acquire_requests += now.acquire_requests - worker->before.acquire_requests;
        worker->counted.release_requests += now.release_requests - worker->before.release_requests;
        worker->counted.wakeups += now.wakeups - worker->before.wakeups;
    }
    worker->hides_wakeups |= now.wakeups < 0;
    worker->before = now;
}

static void see(struct accounts *accounts, const struct digest *digest, const struct event *event)
{
    struct account *client = &accounts->clients[event->client];
    switch (event->kind) {
    case EVENT_PROCESS_DEATH:
    case EVENT_GAP:
        client->is_partial = true;
        break;
    case EVENT_ACQUIRE_RETURN:
        if (event->outcome == OUTCOME_OK)
            worker_of(accounts, event)->grants += !worker_of(accounts, event)->warms_up;
        break;
    case EVENT_RENEW_INVOKE:
        client->renewals += counted_at(digest, event->at_ns);
        break;
    case EVENT_WORKER_LOAD:
        tell(worker_of(accounts, event), event);
        worker_of(accounts, event)->warms_up = event->worker_load.counts == 0;
        break;
    case EVENT_WORKER_END:
        tell(worker_of(accounts, event), event);
        client->told = true;
        client->is_uncounted |= event->outcome != OUTCOME_OK;
        break;
    default:
        break;
    }
}

// False if its wake-ups cannot be told.
static bool add_workers(const struct accounts *accounts, int client, struct herd *herd)
{
    bool tells_wakeups = true;
    size_t end = index_of(client + 1, 0);
    for (size_t i = index_of(client, 0); i < end && i < accounts->worker_count; i++) {
        const struct worker_account *worker = &accounts->workers[i];
        herd->grants += worker->grants;
        herd->acquire_requests += worker->counted.acquire_requests;
        herd->release_requests += worker->counted.release_requests;
        herd->wakeups += worker->counted.wakeups;
        tells_wakeups = tells_wakeups && !worker->hides_wakeups;
    }
    return tells_wakeups;
}

void herd_measure(const struct digest *digest, struct herd *herd)
{
    const struct history *history = digest->history;
    struct accounts accounts = {.clients = memory_zeroed(UINT16_MAX + 1, sizeof *accounts.clients)};
    for (size_t i = 0; history != NULL && i < history->count; i++)
        see(&accounts, digest, &history->events[i]);
    *herd = (struct herd){0};
    bool is_counted = true, tells_wakeups = true;
    for (int client = 1; client <= UINT16_MAX; client++) {
        const struct account *account = &accounts.clients[client];
        if (!account->told || account->is_partial)
            continue;
        is_counted = is_counted && !account->is_uncounted;
        herd->renewals += account->renewals;
        tells_wakeups = add_workers(&accounts, client, herd) && tells_wakeups;
    }
    if (!tells_wakeups)
        herd->wakeups = -1;
    herd->is_known = herd->acquire_requests > 0 && is_counted;
    free(accounts.clients);
    free(accounts.workers);
}

double herd_per_grant(const struct herd *herd, int64_t count)
{
    return herd->grants > 0 && count >= 0 ? (double)count / (double)herd->grants : NAN;
}
