#include "harness/check/fairness.h"

#include "harness/base/rank.h"
#include "harness/check/by_lock.h"
#include "harness/check/counted.h"
#include "harness/check/fairness_places.h"

#include <stdlib.h>

// --- shares --------------------------------------------------------------------------------------

// Client, worker, and in the lowest bit whether it was granted, so that one sort groups them.
static int64_t worker_key(int client, int worker, bool granted)
{
    return ((int64_t)client << 33) | ((int64_t)worker << 1) | granted;
}

// Of all acquires of the counted time. Sorted; the caller frees.
static int64_t *counted_keys(const struct digest *digest, size_t *count)
{
    int64_t *keys = memory_new((digest->hold_count + digest->attempt_count) * sizeof *keys);
    *count = 0;
    for (size_t i = 0; i < digest->hold_count; i++) {
        const struct hold *hold = &digest->holds[i];
        if (counted_hold(digest, hold))
            keys[(*count)++] = worker_key(hold->client, hold->worker, true);
    }
    for (size_t i = 0; i < digest->attempt_count; i++) {
        const struct attempt *attempt = &digest->attempts[i];
        if (counted_attempt(digest, attempt))
            keys[(*count)++] = worker_key(attempt->client, attempt->worker, false);
    }
    sort_values(keys, *count);
    return keys;
}

static void measure_shares(const struct digest *digest, struct fairness *fairness)
{
    size_t count;
    int64_t *keys = counted_keys(digest, &count);
    double squares = 0;
    for (size_t i = 0; i < count;) {
        int64_t worker = keys[i] >> 1;
        size_t grants = 0;
        for (; i < count && keys[i] >> 1 == worker; i++)
            grants += (size_t)(keys[i] & 1);
        if (fairness->workers++ == 0 || grants < fairness->least_grants)
            fairness->least_grants = grants;
        if (grants > fairness->most_grants)
            fairness->most_grants = grants;
        fairness->grants += grants;
        squares += (double)grants * (double)grants;
    }
    free(keys);
    double sum = (double)fairness->grants;
    fairness->jain = squares > 0 ? sum * sum / ((double)fairness->workers * squares) : 0;
}

// --- turns ---------------------------------------------------------------------------------------

// The earliest places of those that are still to be granted: of all, and of those that need the
// lock for themselves.
struct earliest {
    int64_t any_ns;
    int64_t exclusive_ns;
};

// Goes back from the last grant to the first, and so meets each grant with all that still waited.
static void count_grants(const struct digest *digest, const int64_t *places_ns,
                         struct fairness *fairness)
{
    struct earliest earliest = {TIME_NEVER, TIME_NEVER};
    for (size_t i = digest->hold_count; i-- > 0;) {
        const struct hold *hold = &digest->holds[i];
        int64_t first_ns = hold->shared ? earliest.exclusive_ns : earliest.any_ns;
        fairness->contested += first_ns < hold->granted_ns;
        fairness->out_of_turn += first_ns < hold->invoked_ns;
        if (places_ns[i] < earliest.any_ns)
            earliest.any_ns = places_ns[i];
        if (!hold->shared && places_ns[i] < earliest.exclusive_ns)
            earliest.exclusive_ns = places_ns[i];
    }
}

// Of one lock. `places_ns` are those of its holds.
static void measure_line(const struct by_lock *lock, const int64_t *places_ns,
                         struct fairness *fairness)
{
    const struct digest *digest = &lock->part;
    size_t *overtakings = places_overtakings(digest, places_ns);
    count_grants(digest, places_ns, fairness);
    for (size_t i = 0; i < digest->hold_count; i++) {
        fairness->overtaken += overtakings[i] > 0;
        if (overtakings[i] <= fairness->deepest)
            continue;
        fairness->deepest = overtakings[i];
        fairness->deepest_hold = lock->indices != NULL ? lock->indices[i] : i;
        fairness->deepest_wait_ns =
            digest->holds[i].granted_ns - hold_acquire_began_ns(&digest->holds[i]);
    }
    free(overtakings);
}

static void measure_turns(const struct digest *digest, struct fairness *fairness)
{
    size_t bytes = digest->hold_count * sizeof(int64_t);
    int64_t *all_ns = memory_new(bytes);
    int64_t *places_ns = memory_new(bytes);
    fairness->order = places_find(digest, all_ns, &fairness->margin_ns);
    struct by_lock locks;
    by_lock_start(&locks, digest);
    while (fairness->order != ORDER_UNKNOWN && by_lock_next(&locks)) {
        for (size_t i = 0; i < locks.part.hold_count; i++)
            places_ns[i] = all_ns[locks.indices != NULL ? locks.indices[i] : i];
        measure_line(&locks, places_ns, fairness);
    }
    by_lock_end(&locks);
    free(all_ns);
    free(places_ns);
}

void fairness_measure(const struct digest *digest, struct fairness *fairness)
{
    *fairness = (struct fairness){.deepest_hold = SIZE_MAX};
    measure_shares(digest, fairness);
    if (digest_excludes(digest) && digest_permits(digest) == 1)
        measure_turns(digest, fairness);
}
