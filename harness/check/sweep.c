#include "harness/check/sweep.h"

#include "harness/base/rank.h"

#include <stdlib.h>

int64_t hold_lease_end_ns(const struct digest *digest, const struct hold *hold)
{
    if (hold->proven_until_ns == TIME_NEVER)
        return TIME_NEVER;
    return hold->proven_until_ns - allowed_drift_ns(digest->trial->scenario->lock.lease_ns);
}

bool hold_outlived_lease(const struct digest *digest, const struct hold *hold)
{
    return hold_lease_end_ns(digest, hold) < hold->released_ns;
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

struct cores cores_proven(const struct digest *digest)
{
    struct cores cores = {memory_new(digest->hold_count * sizeof *cores.items), 0};
    for (size_t i = 0; i < digest->hold_count; i++) {
        const struct hold *hold = &digest->holds[i];
        int64_t lease_end_ns = hold_lease_end_ns(digest, hold);
        bool granted_too_late =
            lease_end_ns < hold->released_ns && lease_end_ns <= hold->granted_ns;
        if (!granted_too_late)
            cores.items[cores.count++] =
                (struct core){hold->granted_ns, time_earlier(hold->released_ns, lease_end_ns), i};
    }
    qsort(cores.items, cores.count, sizeof *cores.items, compare_cores);
    return cores;
}

void latest_see(struct latest *latest, const struct core *core, bool shared)
{
    if (latest->any == NULL || core->to_ns > latest->any->to_ns)
        latest->any = core;
    if (!shared && (latest->exclusive == NULL || core->to_ns > latest->exclusive->to_ns))
        latest->exclusive = core;
}

size_t excess_find(const struct cores *cores, int64_t permits, struct excess *excess)
{
    size_t *active = memory_new(cores->count * sizeof *active);
    size_t active_count = 0;
    size_t found = 0;
    for (size_t i = 0; i < cores->count; i++) {
        size_t longest = SIZE_MAX;
        size_t kept = 0;
        for (size_t j = 0; j < active_count; j++) {
            if (cores->items[active[j]].to_ns <= cores->items[i].from_ns)
                continue;
            active[kept++] = active[j];
            if (longest == SIZE_MAX || cores->items[active[j]].to_ns > cores->items[longest].to_ns)
                longest = active[j];
        }
        active_count = kept;
        if ((int64_t)active_count >= permits)
            excess[found++] = (struct excess){i, longest};
        active[active_count++] = i;
    }
    free(active);
    return found;
}

size_t cores_first_from(const struct cores *cores, int64_t from_ns)
{
    size_t low = 0;
    size_t high = cores->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (cores->items[middle].from_ns < from_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
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
