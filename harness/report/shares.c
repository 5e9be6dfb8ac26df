#include "harness/report/shares.h"

#include "harness/base/rank.h"
#include "harness/report/counted.h"

#include <stdlib.h>

// Client, worker, and in the lowest bit whether it was granted, so that one sort groups them.
static int64_t worker_key(int client, int worker, bool granted)
{
    return ((int64_t)client << 33) | ((int64_t)worker << 1) | granted;
}

// Sorted; the caller frees.
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

void shares_of_counted(const struct digest *digest, struct fairness *fairness)
{
    size_t count;
    int64_t *keys = counted_keys(digest, &count);
    double squares = 0;
    fairness->workers = fairness->grants = 0;
    fairness->least_grants = fairness->most_grants = 0;
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

int64_t longest_counted_wait_ns(const struct digest *digest)
{
    int64_t longest_ns = 0;
    for (size_t i = 0; i < digest->hold_count; i++) {
        const struct hold *hold = &digest->holds[i];
        int64_t wait_ns = hold->granted_ns - hold->invoked_ns;
        if (wait_ns > longest_ns && counted_hold(digest, hold))
            longest_ns = wait_ns;
    }
    for (size_t i = 0; i < digest->attempt_count; i++) {
        const struct attempt *attempt = &digest->attempts[i];
        int64_t end_ns = attempt->returned_ns != TIME_NEVER ? attempt->returned_ns
                         : attempt->died                    ? attempt->died_ns
                                                            : digest->ended_ns;
        if (end_ns - attempt->invoked_ns > longest_ns && counted_attempt(digest, attempt))
            longest_ns = end_ns - attempt->invoked_ns;
    }
    return longest_ns;
}
