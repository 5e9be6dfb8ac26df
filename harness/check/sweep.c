#include "harness/check/sweep.h"

#include "harness/base/rank.h"

#include <stdlib.h>

static int64_t without_drift_ns(const struct digest *digest, int64_t until_ns)
{
    if (until_ns == TIME_NEVER)
        return TIME_NEVER;
    return until_ns - allowed_drift_ns(digest->trial->scenario->lock.lease_ns);
}

int64_t hold_lease_end_ns(const struct digest *digest, const struct hold *hold)
{
    return without_drift_ns(digest, hold->proven_until_ns);
}

int64_t hold_told_end_ns(const struct digest *digest, const struct hold *hold)
{
    return without_drift_ns(digest, hold->told_until_ns);
}

int64_t hold_last_end_ns(const struct digest *digest, const struct hold *hold)
{
    return without_drift_ns(digest, hold->valid_until_ns);
}

int64_t hold_stale_from_ns(const struct digest *digest, const struct hold *hold)
{
    return hold->is_unanchored ? hold_told_end_ns(digest, hold) : hold_lease_end_ns(digest, hold);
}

bool hold_outlived_lease(const struct digest *digest, const struct hold *hold)
{
    return hold_stale_from_ns(digest, hold) < hold->released_ns;
}

static int compare_cores(const void *left, const void *right)
{
    const struct core *a = left;
    const struct core *b = right;
    if (a->from_ns != b->from_ns)
        return a->from_ns < b->from_ns ? -1 : 1;
    if (a->to_ns != b->to_ns)
        return a->to_ns < b->to_ns ? -1 : 1;
    return (a->hold > b->hold) - (a->hold < b->hold);
}

struct cores cores_believed(const struct digest *digest)
{
    struct cores cores = {memory_new(digest->hold_count * sizeof *cores.items), 0};
    for (size_t i = 0; i < digest->hold_count; i++) {
        const struct hold *hold = &digest->holds[i];
        cores.items[cores.count++] = (struct core){hold->granted_ns, hold->released_ns, i};
    }
    qsort(cores.items, cores.count, sizeof *cores.items, compare_cores);
    return cores;
}

static struct cores cores_until(const struct digest *digest,
                                int64_t (*end_ns)(const struct digest *, const struct hold *))
{
    struct cores cores = {memory_new(digest->hold_count * sizeof *cores.items), 0};
    for (size_t i = 0; i < digest->hold_count; i++) {
        const struct hold *hold = &digest->holds[i];
        int64_t lease_end_ns = end_ns(digest, hold);
        bool granted_too_late =
            lease_end_ns < hold->released_ns && lease_end_ns <= hold->granted_ns;
        // What came to nothing need not have been guarded for as long as its worker believed.
        if (!granted_too_late && !hold->rolled_back)
            cores.items[cores.count++] =
                (struct core){hold->granted_ns, time_earlier(hold->released_ns, lease_end_ns), i};
    }
    qsort(cores.items, cores.count, sizeof *cores.items, compare_cores);
    return cores;
}

struct cores cores_proven(const struct digest *digest)
{
    return cores_until(digest, hold_lease_end_ns);
}

struct cores cores_told(const struct digest *digest)
{
    return cores_until(digest, hold_told_end_ns);
}

void latest_see(struct latest *latest, const struct core *core, bool shared)
{
    if (latest->any == NULL || core->to_ns > latest->any->to_ns)
        latest->any = core;
    if (!shared && (latest->exclusive == NULL || core->to_ns > latest->exclusive->to_ns))
        latest->exclusive = core;
}

// The ends of the cores that are not over yet, the next one first (a binary heap; Williams, CACM 7,
// 1964).
struct ends {
    int64_t *items;
    size_t count;
};

static void ends_add(struct ends *ends, int64_t end_ns)
{
    size_t at = ends->count++;
    for (; at > 0 && ends->items[(at - 1) / 2] > end_ns; at = (at - 1) / 2)
        ends->items[at] = ends->items[(at - 1) / 2];
    ends->items[at] = end_ns;
}

static void ends_drop_next(struct ends *ends)
{
    int64_t last_ns = ends->items[--ends->count];
    size_t at = 0;
    for (size_t child = 1; child < ends->count; child = 2 * at + 1) {
        child += child + 1 < ends->count && ends->items[child + 1] < ends->items[child];
        if (ends->items[child] >= last_ns)
            break;
        ends->items[at] = ends->items[child];
        at = child;
    }
    ends->items[at] = last_ns;
}

size_t excess_find(const struct cores *cores, int64_t permits, struct excess *excess)
{
    struct ends active = {.items = memory_new(cores->count * sizeof *active.items)};
    size_t longest = 0; // of all so far, and so, as long as any is active, of those
    size_t found = 0;
    for (size_t i = 0; i < cores->count; i++) {
        const struct core *core = &cores->items[i];
        while (active.count > 0 && active.items[0] <= core->from_ns)
            ends_drop_next(&active);
        if ((int64_t)active.count >= permits)
            excess[found++] = (struct excess){i, longest};
        ends_add(&active, core->to_ns);
        if (core->to_ns > cores->items[longest].to_ns)
            longest = i;
    }
    free(active.items);
    return found;
}

size_t cores_first_from(const struct cores *cores, int64_t from_ns)
{
    return FIRST_FROM(cores->items, cores->count, from_ns, from_ns);
}

void distribution_make(int64_t *lengths_ns, size_t count, struct distribution *distribution)
{
    *distribution = (struct distribution){.count = count};
    if (count == 0)
        return;
    sort_values(lengths_ns, count);
    distribution->min_ns = lengths_ns[0];
    distribution->median_ns = percentile_of_sorted(lengths_ns, count, 500);
    distribution->p90_ns = percentile_of_sorted(lengths_ns, count, 900);
    distribution->max_ns = lengths_ns[count - 1];
}
