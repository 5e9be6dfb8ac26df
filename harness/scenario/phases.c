#include "harness/scenario/phases.h"

#include "harness/base/clock.h"
#include "harness/base/text.h"

#include <stdlib.h>
#include <string.h>

int64_t scenario_key_count(const struct scenario *scenario)
{
    int64_t keys = scenario->workload.keys;
    if (keys == KEYS_OWN)
        return scenario->clients.processes * scenario->clients.threads;
    return keys > 0 ? keys : 1;
}

bool scenario_has_no_rivals(const struct scenario *scenario)
{
    return scenario->workload.keys == KEYS_OWN ||
           scenario->clients.processes * scenario->clients.threads == 1;
}

bool scenario_has_faults(const struct scenario *scenario)
{
    return scenario->fault_count > 0 || scenario->random.of.count > 0;
}

bool scenario_measures(const struct scenario *scenario)
{
    return !scenario->verdict_only && !scenario_has_faults(scenario);
}

double load_operations(const struct load_settings *phase)
{
    double mean =
        phase->to > 0 ? ((double)phase->rate + (double)phase->to) / 2 : (double)phase->rate;
    return mean * (double)phase->for_ns / (3600 * (double)NS_PER_S);
}

void derive_time(struct scenario *scenario)
{
    struct workload_settings *workload = &scenario->workload;
    if (scenario->load_count == 1 && scenario->load[0].for_ns == 0)
        scenario->load[0].for_ns = workload->for_ns;
    if (scenario->load_count > 0)
        workload->for_ns = 0;
    for (size_t i = 0; i < scenario->load_count; i++) {
        // The last one may go on until the work is done.
        if (scenario->load[i].for_ns == 0) {
            workload->for_ns = 0;
            break;
        }
        workload->for_ns += scenario->load[i].for_ns;
    }
    if (workload->for_ns > 0)
        workload->for_ns += workload->warm_up_ns;
}

void derive_phases(struct scenario *scenario)
{
    const struct workload_settings *workload = &scenario->workload;
    if (workload->warm_up_ns == 0)
        return;
    struct load_settings first = {.for_ns = workload->warm_up_ns, .warm_up = true};
    struct load_settings all = {.for_ns = workload->for_ns - workload->warm_up_ns};
    size_t count = scenario->load_count > 0 ? scenario->load_count : 1;
    struct load_settings *phases = memory_zeroed(count + 1, sizeof *phases);
    memcpy(&phases[1], scenario->load_count > 0 ? scenario->load : &all, count * sizeof *phases);
    first.clients = phases[1].clients;
    first.rate = phases[1].rate;
    first.arrivals = phases[1].arrivals;
    phases[0] = first;
    free(scenario->load);
    scenario->load = phases;
    scenario->load_count = count + 1;
}
