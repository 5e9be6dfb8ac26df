#include "harness/report/durations.h"

#include "harness/report/percentiles.h"

#include <stdlib.h>

static struct durations durations_for(const struct digest *digest)
{
    return (struct durations){memory_new(digest->hold_count * sizeof(int64_t)), 0};
}

static void add(struct durations *durations, int64_t from_ns, int64_t to_ns)
{
    durations->items[durations->count++] = to_ns > from_ns ? to_ns - from_ns : 0;
}

struct durations durations_acquire(const struct digest *digest)
{
    struct durations durations = durations_for(digest);
    for (size_t i = 0; i < digest->hold_count; i++)
        add(&durations, digest->holds[i].invoked_ns, digest->holds[i].granted_ns);
    return durations;
}

struct durations durations_release(const struct digest *digest)
{
    struct durations durations = durations_for(digest);
    for (size_t i = 0; i < digest->hold_count; i++) {
        const struct hold *hold = &digest->holds[i];
        if (hold->release_invoked && hold->returned_ns != TIME_NEVER)
            add(&durations, hold->released_ns, hold->returned_ns);
    }
    return durations;
}

struct durations durations_hold(const struct digest *digest)
{
    struct durations durations = durations_for(digest);
    for (size_t i = 0; i < digest->hold_count; i++) {
        const struct hold *hold = &digest->holds[i];
        if (hold->release_invoked)
            add(&durations, hold->granted_ns, hold->released_ns);
    }
    return durations;
}

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

struct durations durations_hand_off(const struct digest *digest)
{
    size_t count = digest->hold_count;
    struct durations durations = durations_for(digest);
    int64_t *invoked = memory_new(count * sizeof *invoked);
    int64_t *granted = memory_new(count * sizeof *granted);
    for (size_t i = 0; i < count; i++) {
        invoked[i] = digest->holds[i].invoked_ns;
        granted[i] = digest->holds[i].granted_ns;
    }
    sort_values(invoked, count);
    sort_values(granted, count);
    for (size_t i = 0; i < count; i++) {
        const struct hold *hold = &digest->holds[i];
        if (!hold->release_invoked)
            continue;
        // Whoever has invoked and has not been granted is waiting.
        size_t next = count_until(granted, count, hold->released_ns);
        if (next < count && count_until(invoked, count, hold->released_ns - 1) > next)
            add(&durations, hold->released_ns, granted[next]);
    }
    free(invoked);
    free(granted);
    return durations;
}
