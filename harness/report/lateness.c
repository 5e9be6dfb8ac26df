#include "harness/report/lateness.h"

#include "harness/check/counted.h"

#include <stdlib.h>

struct operation {
    int client, worker;
    int64_t intended_ns, invoked_ns;
    int64_t ended_ns; // TIME_NEVER: not known
    bool counts;
};

static int compare(const void *left, const void *right)
{
    const struct operation *a = left;
    const struct operation *b = right;
    if (a->client != b->client)
        return a->client < b->client ? -1 : 1;
    if (a->worker != b->worker)
        return a->worker < b->worker ? -1 : 1;
    return (a->invoked_ns > b->invoked_ns) - (a->invoked_ns < b->invoked_ns);
}

// Each worker's together, in its order.
static struct operation *operations_of(const struct digest *digest)
{
    size_t count = 0;
    struct operation *operations =
        memory_new((digest->hold_count + digest->attempt_count) * sizeof *operations);
    for (size_t i = 0; i < digest->hold_count; i++) {
        const struct hold *hold = &digest->holds[i];
        operations[count++] =
            (struct operation){hold->client,     hold->worker,      hold->intended_ns,
                               hold->invoked_ns, hold->returned_ns, counted_hold(digest, hold)};
    }
    for (size_t i = 0; i < digest->attempt_count; i++) {
        const struct attempt *attempt = &digest->attempts[i];
        operations[count++] = (struct operation){
            attempt->client,     attempt->worker,      attempt->intended_ns,
            attempt->invoked_ns, attempt->returned_ns, counted_attempt(digest, attempt)};
    }
    if (count > 1)
        qsort(operations, count, sizeof *operations, compare);
    return operations;
}

static bool is_open_loop(const struct digest *digest)
{
    for (size_t i = 0; i < digest->hold_count; i++) {
        if (digest->holds[i].intended_ns > 0)
            return true;
    }
    for (size_t i = 0; i < digest->attempt_count; i++) {
        if (digest->attempts[i].intended_ns > 0)
            return true;
    }
    return false;
}

struct durations lateness_of(const struct digest *digest)
{
    struct durations lateness = {0};
    if (!is_open_loop(digest))
        return lateness;
    size_t count = digest->hold_count + digest->attempt_count;
    lateness.items = memory_new(count * sizeof *lateness.items);
    lateness.ends_ns = memory_new(count * sizeof *lateness.ends_ns);
    struct operation *operations = operations_of(digest);
    int64_t think_ns = digest->trial->scenario->workload.think_ns;
    for (size_t i = 0; i < count; i++) {
        const struct operation *operation = &operations[i];
        const struct operation *before = i > 0 ? &operations[i - 1] : NULL;
        int64_t could_ns = operation->intended_ns;
        if (before != NULL && before->client == operation->client &&
            before->worker == operation->worker) {
            if (before->ended_ns == TIME_NEVER)
                continue;
            if (before->ended_ns + think_ns > could_ns)
                could_ns = before->ended_ns + think_ns;
        }
        if (!operation->counts || operation->intended_ns == 0)
            continue;
        int64_t late_ns = operation->invoked_ns - could_ns;
        lateness.ends_ns[lateness.count] = operation->invoked_ns;
        lateness.items[lateness.count++] = late_ns > 0 ? late_ns : 0;
    }
    free(operations);
    return lateness;
}
