// For tests: latencies and phases of a trial, made by hand.
#ifndef LOCKPICK_REPORT_TEST_LATENCIES_H
#define LOCKPICK_REPORT_TEST_LATENCIES_H

#include "harness/report/report.h"

// `count` values, `step_ns` apart from `first_ns` on.
static inline void measure(struct trial_result *result, enum latency latency, int64_t first_ns,
                           int64_t step_ns, int count)
{
    for (int i = 0; i < count; i++)
        histogram_record(&result->latencies.histograms[latency], first_ns + i * step_ns);
}

// A phase of one second, with `count` acquires of `each_ns`.
static inline struct phase_cost *add_phase(struct trial_result *result, int64_t clients,
                                           int64_t per_second, int64_t each_ns, int count)
{
    struct phase_costs *phases = &result->latencies.phases;
    phases->items = memory_resized(phases->items, (phases->count + 1) * sizeof *phases->items);
    struct phase_cost *phase = &phases->items[phases->count];
    *phase = (struct phase_cost){.from_ns = (int64_t)phases->count * NS_PER_S,
                                 .to_ns = (int64_t)(phases->count + 1) * NS_PER_S,
                                 .clients = clients,
                                 .rate = per_second * 1000,
                                 .counts = true,
                                 .grants = (size_t)count,
                                 .due = per_second,
                                 .held = per_second,
                                 .acquire = {.count = (size_t)count, .max_ns = each_ns}};
    for (int i = 0; i < count; i++)
        histogram_record(&phase->histogram, each_ns);
    phases->count++;
    return phase;
}

#endif
