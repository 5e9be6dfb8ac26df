#include "harness/report/phase_costs.h"

#include <stdlib.h>

// The phase in which that was; `phase_count` if in none.
static size_t phase_at(const struct digest *digest, int64_t at_ns)
{
    for (size_t i = 0; i < digest->phase_count; i++) {
        if (digest->phases[i].from_ns <= at_ns && at_ns < digest->phases[i].to_ns)
            return i;
    }
    return digest->phase_count;
}

static int64_t beginning(int64_t intended_ns, int64_t invoked_ns)
{
    return intended_ns > 0 ? intended_ns : invoked_ns;
}

static void count_operation(const struct digest *digest, struct phase_costs *costs,
                            int64_t intended_ns, int64_t invoked_ns)
{
    size_t phase = phase_at(digest, intended_ns);
    if (intended_ns <= 0 || phase == digest->phase_count)
        return;
    costs->items[phase].due++;
    costs->items[phase].held += invoked_ns < digest->phases[phase].to_ns;
}

static void count(const struct digest *digest, struct phase_costs *costs)
{
    for (size_t i = 0; i < digest->hold_count; i++) {
        const struct hold *hold = &digest->holds[i];
        size_t phase = phase_at(digest, hold->granted_ns);
        count_operation(digest, costs, hold->intended_ns, hold->invoked_ns);
        if (phase < digest->phase_count)
            costs->items[phase].grants++;
    }
    for (size_t i = 0; i < digest->attempt_count; i++)
        count_operation(digest, costs, digest->attempts[i].intended_ns,
                        digest->attempts[i].invoked_ns);
}

static void add_missing(const struct digest *digest, struct phase_costs *costs)
{
    int64_t missing = digest->due_operations - digest->begun_operations;
    struct phase_cost *last = NULL;
    for (size_t i = costs->count; i-- > 0;) {
        struct phase_cost *phase = &costs->items[i];
        if (!phase->counts || phase->rate == 0)
            continue;
        last = last != NULL ? last : phase;
        double length_s = (double)(phase->to_ns - phase->from_ns) / (double)NS_PER_S;
        int64_t room = (int64_t)((double)phase->rate / 1000 * length_s) - phase->due;
        int64_t taken = room < missing ? room : missing;
        if (taken > 0) {
            phase->due += taken;
            missing -= taken;
        }
    }
    if (last != NULL && missing > 0)
        last->due += missing;
}

static void measure(const struct digest *digest, size_t index, int64_t *durations,
                    struct phase_cost *phase)
{
    const struct load_phase *limits = &digest->phases[index];
    struct histogram histogram;
    size_t found = 0;
    for (size_t i = 0; i < digest->hold_count; i++) {
        const struct hold *hold = &digest->holds[i];
        int64_t began_ns = beginning(hold->intended_ns, hold->invoked_ns);
        if (limits->from_ns <= began_ns && began_ns < limits->to_ns)
            durations[found++] = hold->granted_ns > began_ns ? hold->granted_ns - began_ns : 0;
    }
    percentiles_make(durations, found, &phase->acquire);
    if (found == 0)
        return;
    struct text encoded = {0};
    histogram_start(&histogram);
    for (size_t i = 0; i < found; i++)
        histogram_record(&histogram, durations[i]);
    histogram_encode(&histogram, &encoded);
    histogram_free(&histogram);
    phase->encoded = encoded.bytes;
}

void phase_costs_make(const struct digest *digest, struct phase_costs *costs)
{
    *costs = (struct phase_costs){0};
    if (digest->phase_count == 0)
        return;
    costs->items = memory_zeroed(digest->phase_count, sizeof *costs->items);
    costs->count = digest->phase_count;
    for (size_t i = 0; i < costs->count; i++) {
        const struct load_phase *phase = &digest->phases[i];
        costs->items[i] = (struct phase_cost){.from_ns = phase->from_ns - digest->started_ns,
                                              .to_ns = phase->to_ns - digest->started_ns,
                                              .clients = phase->clients,
                                              .rate = phase->rate,
                                              .counts = phase->counts};
    }
    int64_t *durations = memory_new((digest->hold_count + 1) * sizeof *durations);
    for (size_t i = 0; i < costs->count; i++)
        measure(digest, i, durations, &costs->items[i]);
    free(durations);
    count(digest, costs);
    add_missing(digest, costs);
}

void phase_costs_free(struct phase_costs *costs)
{
    for (size_t i = 0; i < costs->count; i++)
        free(costs->items[i].encoded);
    free(costs->items);
    *costs = (struct phase_costs){0};
}

double phase_cost_rate(const struct phase_cost *phase)
{
    double length_s = (double)(phase->to_ns - phase->from_ns) / (double)NS_PER_S;
    return length_s > 0 ? (double)phase->grants / length_s : 0;
}

bool phase_cost_held_rate(const struct phase_cost *phase)
{
    return (phase->due - phase->held) * 100 <= phase->due;
}
