#include "harness/report/scheme_cost.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool scheme_cost_is_of(const struct trial *a, const struct trial *b)
{
    return a->scenario == b->scenario && strcmp(a->scheme, b->scheme) == 0;
}

bool scheme_cost_begins_at(const struct run_result *run, size_t index)
{
    for (size_t i = 0; i < index; i++) {
        if (scheme_cost_is_of(run->trials[i].trial, run->trials[index].trial))
            return false;
    }
    return true;
}

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left;
    double b = *(const double *)right;
    return (a > b) - (a < b);
}

struct spread spread_of(double *values, size_t count)
{
    if (count == 0)
        return (struct spread){0};
    qsort(values, count, sizeof *values, compare);
    double middle = (values[(count - 1) / 2] + values[count / 2]) / 2;
    return (struct spread){count, middle, values[0], values[count - 1]};
}

// What the repeats give to the whole.
struct sums {
    double *rates, *fairnesses;
    size_t fair_count; // repeats with a grant: without one there are no shares
    int64_t commands;
    size_t grants; // for which they were sent
};

static void add_trial(const struct trial_result *result, struct scheme_cost *cost,
                      struct sums *sums)
{
    const struct statistics *statistics = &result->statistics;
    const struct herd *herd = &statistics->herd;
    struct error error;
    sums->rates[cost->repeats++] = statistics->holds_per_second;
    if (statistics->turns.grants > 0)
        sums->fairnesses[sums->fair_count++] = statistics->fairness;
    if (herd->is_known) {
        sums->commands += herd->acquire_requests + herd->release_requests + herd->renewals;
        sums->grants += herd->grants;
    }
    // What was encoded by ourselves can be decoded.
    for (enum latency latency = 0; latency < LATENCY_COUNT; latency++)
        (void)latencies_merge(&result->latencies, latency, &cost->latencies[latency], &error);
    if (statistics->longest_wait_ns > cost->longest_wait_ns)
        cost->longest_wait_ns = statistics->longest_wait_ns;
    for (size_t i = 0; i < result->judgement.finding_count; i++) {
        const struct finding *finding = &result->judgement.findings[i];
        size_t count = finding->count > 0 ? (size_t)finding->count : 0;
        if (!finding_counts(finding))
            continue;
        cost->violations += count;
        cost->undecided_violations += result->judgement.verdict > VERDICT_STUCK ? count : 0;
    }
    cost->leased += statistics->leased;
    cost->expired += statistics->expired;
    cost->driver_bound += statistics->driver_bound.is_bound;
    for (enum percentile i = 0; i < PERCENTILE_COUNT; i++)
        cost->late[i] += statistics->driver_bound.late[i];
}

void scheme_cost_make(const struct run_result *run, size_t index, struct scheme_cost *cost)
{
    size_t most = run->count - index;
    struct sums sums = {.rates = memory_new(most * sizeof(double)),
                        .fairnesses = memory_new(most * sizeof(double))};
    *cost = (struct scheme_cost){.trial = run->trials[index].trial};
    for (enum latency latency = 0; latency < LATENCY_COUNT; latency++)
        histogram_start(&cost->latencies[latency]);
    for (size_t i = index; i < run->count; i++) {
        if (run->trials[i].has_history && scheme_cost_is_of(run->trials[i].trial, cost->trial))
            add_trial(&run->trials[i], cost, &sums);
    }
    cost->rate = spread_of(sums.rates, cost->repeats);
    cost->fairness = spread_of(sums.fairnesses, sums.fair_count);
    cost->commands_per_hold = sums.grants > 0 ? (double)sums.commands / (double)sums.grants : NAN;
    free(sums.rates);
    free(sums.fairnesses);
}

void scheme_cost_free(struct scheme_cost *cost)
{
    for (enum latency latency = 0; latency < LATENCY_COUNT; latency++)
        histogram_free(&cost->latencies[latency]);
}

bool scheme_cost_any_late(const struct scheme_cost *cost)
{
    size_t late = 0;
    for (enum percentile i = 0; i < PERCENTILE_COUNT; i++)
        late += cost->late[i];
    return late > 0;
}
