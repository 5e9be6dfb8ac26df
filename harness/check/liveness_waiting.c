#include "harness/check/liveness_waiting.h"

#include "harness/base/clock.h"
#include "harness/base/rank.h"
#include "harness/check/silence.h"

#include <stdlib.h>

// --- who waited when -----------------------------------------------------------------------------

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

static int compare_keys(const void *left, const void *right)
{
    int64_t a = ((const struct wait *)left)->key;
    int64_t b = ((const struct wait *)right)->key;
    return (a > b) - (a < b);
}

struct waits waits_of(const struct digest *digest)
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
    if (count > 1)
        qsort(waits, count, sizeof *waits, compare_keys);
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

struct stretches stretches_of_waiting(const struct digest *digest, const struct waits *waits,
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

const struct stretch *stretch_at(const struct stretches *stretches, int64_t at_ns)
{
    size_t next = FIRST_FROM(stretches->items, stretches->count, to_ns, at_ns);
    bool lasts = next < stretches->count && stretches->items[next].from_ns <= at_ns;
    return lasts ? &stretches->items[next] : NULL;
}
