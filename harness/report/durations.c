#include "harness/report/durations.h"

#include "harness/base/rank.h"
#include "harness/check/by_lock.h"
#include "harness/check/counted.h"
#include "harness/check/not_told.h"

#include <stdlib.h>

static struct durations durations_for(const struct digest *digest)
{
    size_t bytes = digest->hold_count * sizeof(int64_t);
    return (struct durations){memory_new(bytes), memory_new(bytes), 0};
}

void durations_free(struct durations *durations)
{
    free(durations->items);
    free(durations->ends_ns);
    *durations = (struct durations){0};
}

static void add(struct durations *durations, int64_t from_ns, int64_t to_ns)
{
    durations->ends_ns[durations->count] = to_ns;
    durations->items[durations->count++] = to_ns > from_ns ? to_ns - from_ns : 0;
}

struct durations durations_acquire(const struct digest *digest)
{
    struct durations durations = durations_for(digest);
    for (size_t i = 0; i < digest->hold_count; i++) {
        const struct hold *hold = &digest->holds[i];
        if (counted_hold(digest, hold))
            add(&durations, hold->intended_ns > 0 ? hold->intended_ns : hold_acquire_began_ns(hold),
                hold->granted_ns);
    }
    return durations;
}

struct durations durations_acquire_uncorrected(const struct digest *digest)
{
    struct durations durations = durations_for(digest);
    bool is_open_loop = false;
    for (size_t i = 0; i < digest->hold_count; i++) {
        const struct hold *hold = &digest->holds[i];
        if (counted_hold(digest, hold))
            add(&durations, hold_acquire_began_ns(hold), hold->granted_ns);
        is_open_loop |= hold->intended_ns > 0;
    }
    if (!is_open_loop)
        durations.count = 0;
    return durations;
}

struct durations durations_release(const struct digest *digest)
{
    struct durations durations = durations_for(digest);
    for (size_t i = 0; i < digest->hold_count; i++) {
        const struct hold *hold = &digest->holds[i];
        if (hold->release_invoked && hold->returned_ns != TIME_NEVER && counted_hold(digest, hold))
            add(&durations, hold_release_began_ns(hold), hold->returned_ns);
    }
    return durations;
}

struct durations durations_hold(const struct digest *digest)
{
    struct durations durations = durations_for(digest);
    for (size_t i = 0; i < digest->hold_count; i++) {
        const struct hold *hold = &digest->holds[i];
        if (hold->release_invoked && counted_hold(digest, hold))
            add(&durations, hold->granted_ns, hold->released_ns);
    }
    return durations;
}

// --- hand-off ------------------------------------------------------------------------------------

// How many of the sorted times are not after `at_ns`.
static size_t count_until(const int64_t *sorted, size_t count, int64_t at_ns)
{
    size_t low = 0;
    size_t high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (sorted[middle] <= at_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// Of the holds of one key: `places` are theirs. `invoked` and `granted` have room for their times.
static void add_hand_offs(const struct digest *digest, const struct ranked *places, size_t count,
                          int64_t *invoked, int64_t *granted, struct durations *durations)
{
    for (size_t i = 0; i < count; i++) {
        invoked[i] = digest->holds[places[i].index].invoked_ns;
        granted[i] = digest->holds[places[i].index].granted_ns;
    }
    sort_values(invoked, count);
    sort_values(granted, count);
    for (size_t i = 0; i < count; i++) {
        const struct hold *hold = &digest->holds[places[i].index];
        if (!hold->release_invoked || !counted_at(digest, hold->released_ns))
            continue;
        // Whoever has invoked and has not been granted is waiting.
        size_t next = count_until(granted, count, hold_release_began_ns(hold));
        if (next < count && count_until(invoked, count, hold_release_began_ns(hold) - 1) > next)
            add(durations, hold_release_began_ns(hold), granted[next]);
    }
}

struct durations durations_hand_off(const struct digest *digest)
{
    size_t count = digest->hold_count;
    struct durations durations = durations_for(digest);
    struct ranked *places = memory_new(count * sizeof *places);
    int64_t *invoked = memory_new(count * sizeof *invoked);
    int64_t *granted = memory_new(count * sizeof *granted);
    for (size_t i = 0; i < count; i++)
        places[i] = (struct ranked){digest->holds[i].key, i};
    sort_ranked(places, count);
    for (size_t from = 0, end; from < count; from = end) {
        for (end = from; end < count && places[end].value == places[from].value; end++)
            continue;
        add_hand_offs(digest, places + from, end - from, invoked, granted, &durations);
    }
    free(places);
    free(invoked);
    free(granted);
    return durations;
}

struct durations durations_told(const struct digest *digest)
{
    struct durations durations = durations_for(digest);
    struct lost_hold *losses = memory_new(digest->hold_count * sizeof *losses);
    struct by_lock locks;
    by_lock_start(&locks, digest);
    while (by_lock_next(&locks)) {
        size_t count = losses_find(&locks.part, losses);
        for (size_t i = 0; i < count; i++)
            add(&durations, losses[i].until_ns - losses[i].ran_ns, losses[i].until_ns);
    }
    by_lock_end(&locks);
    free(losses);
    return durations;
}
