#include "harness/report/lateness.h"

#include "harness/check/counted.h"

#include <stdlib.h>

struct operation {
    int client, worker;
    int64_t intended_ns, invoked_ns;
    int64_t granted_ns; // TIME_NEVER: it was not
    int64_t ended_ns;   // TIME_NEVER: not known
    bool counts;
    int64_t late_ns; // as far as it is known
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
        operations[count++] = (struct operation){
            hold->client,     hold->worker,      hold->intended_ns,          hold->invoked_ns,
            hold->granted_ns, hold->returned_ns, counted_hold(digest, hold), 0};
    }
    for (size_t i = 0; i < digest->attempt_count; i++) {
        const struct attempt *attempt = &digest->attempts[i];
        operations[count++] = (struct operation){attempt->client,
                                                 attempt->worker,
                                                 attempt->intended_ns,
                                                 attempt->invoked_ns,
                                                 TIME_NEVER,
                                                 attempt->returned_ns,
                                                 counted_attempt(digest, attempt),
                                                 0};
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

static void add(struct durations *durations, int64_t length_ns, int64_t end_ns)
{
    durations->ends_ns[durations->count] = end_ns;
    durations->items[durations->count++] = length_ns > 0 ? length_ns : 0;
}

// How late an operation began; -1 if it is not known when its worker was free. `before` is the one
// before it in the order of operations_of, or NULL. Had that been on time, its worker had been free
// so much sooner: what was late once is late in all that queue up behind it, until they catch up.
static int64_t late_ns(const struct operation *operation, const struct operation *before,
                       int64_t think_ns)
{
    int64_t could_ns = operation->intended_ns;
    if (before != NULL && before->client == operation->client &&
        before->worker == operation->worker) {
        if (before->ended_ns == TIME_NEVER)
            return -1;
        int64_t free_ns = before->ended_ns - before->late_ns + think_ns;
        if (free_ns > could_ns)
            could_ns = free_ns;
    }
    return operation->invoked_ns > could_ns ? operation->invoked_ns - could_ns : 0;
}

static struct durations durations_for(size_t count)
{
    size_t bytes = count * sizeof(int64_t);
    return (struct durations){memory_new(bytes), memory_new(bytes), 0};
}

struct lateness lateness_of(const struct digest *digest)
{
    struct lateness lateness = {0};
    if (!is_open_loop(digest))
        return lateness;
    size_t count = digest->hold_count + digest->attempt_count;
    int64_t think_ns = digest->trial->scenario->workload.think_ns;
    struct operation *operations = operations_of(digest);
    lateness.late = durations_for(count);
    lateness.acquire_on_time = durations_for(count);
    for (size_t i = 0; i < count; i++) {
        struct operation *operation = &operations[i];
        bool is_open = operation->intended_ns > 0;
        int64_t late =
            is_open ? late_ns(operation, i > 0 ? &operations[i - 1] : NULL, think_ns) : 0;
        operation->late_ns = late > 0 ? late : 0;
        if (!operation->counts)
            continue;
        if (is_open && late >= 0)
            add(&lateness.late, late, operation->invoked_ns);
        if (operation->granted_ns != TIME_NEVER)
            add(&lateness.acquire_on_time,
                operation->granted_ns - (is_open ? operation->intended_ns : operation->invoked_ns) -
                    operation->late_ns,
                operation->granted_ns);
    }
    free(operations);
    return lateness;
}
