#include "harness/report/json_costs.h"

#include "harness/report/costs.h"
#include "harness/report/json_values.h"
#include "harness/report/scheme_cost.h"

#include <stdio.h>

// --- environment ---------------------------------------------------------------------------------

static json_t *known_text(const char *text)
{
    return text[0] != '\0' ? value_text(text) : json_null();
}

static json_t *load_json(const struct machine_load *load)
{
    if (!load->is_known)
        return json_null();
    json_t *array = json_array();
    for (int i = 0; i < 3; i++)
        json_array_append_new(array, value_number(load->averages[i]));
    return array;
}

json_t *environment_json(const struct environment *environment)
{
    json_t *object = json_object();
    set_value(object, "lockpick_version", value_text(environment->lockpick_version));
    set_value(object, "kernel", value_text(environment->kernel));
    set_value(object, "processor", value_text(environment->processor));
    set_value(object, "processors", value_integer(environment->processors));
    set_value(object, "lanes", value_integer(environment->lanes));
    set_value(object, "servers", value_text(environment->servers));
    set_value(object, "isolation", value_text(environment->isolation));
    set_value(object, "placement", value_text(environment->placement));
    set_value(object, "durability", value_text(environment->durability));
    set_value(object, "clock_source", value_text(environment->clock_source));
    set_value(object, "governor", known_text(environment->governor));
    set_value(object, "load_at_begin", load_json(&environment->load_at_begin));
    set_value(object, "load_at_end", load_json(&environment->load_at_end));
    set_value(object, "began", value_text(environment->began));
    return object;
}

static void read_text(const json_t *object, const char *key, char *out, size_t room)
{
    const char *text = json_string_value(json_object_get(object, key));
    snprintf(out, room, "%s", text != NULL ? text : "");
}

static struct machine_load read_load(const json_t *array)
{
    struct machine_load load = {.is_known = json_array_size(array) == 3};
    for (size_t i = 0; i < 3 && load.is_known; i++)
        load.averages[i] = json_number_value(json_array_get(array, i));
    return load;
}

void environment_from_json(const json_t *object, struct environment *environment)
{
    *environment = (struct environment){
        .processors = (int)json_integer_value(json_object_get(object, "processors")),
        .lanes = (int)json_integer_value(json_object_get(object, "lanes")),
        .load_at_begin = read_load(json_object_get(object, "load_at_begin")),
        .load_at_end = read_load(json_object_get(object, "load_at_end")),
    };
#define READ(name) read_text(object, #name, environment->name, sizeof environment->name)
    READ(lockpick_version);
    READ(kernel);
    READ(processor);
    READ(servers);
    READ(isolation);
    READ(placement);
    READ(durability);
    READ(clock_source);
    READ(governor);
    READ(began);
#undef READ
}

// --- one trial -----------------------------------------------------------------------------------

static json_t *percentiles_json(const struct percentiles *percentiles)
{
    if (percentiles->count == 0)
        return json_null();
    json_t *object = json_object();
    set_value(object, "count", value_count(percentiles->count));
    for (enum percentile i = 0; i < PERCENTILE_COUNT; i++)
        set_value(object, percentile_forms[i].key, value_integer(percentiles->ns[i]));
    return object;
}

static json_t *recoveries_json(const struct recoveries *recoveries)
{
    json_t *array = json_array();
    for (size_t i = 0; i < recoveries->count; i++) {
        const struct recovery *recovery = &recoveries->items[i];
        json_t *object = json_object();
        set_value(object, "fault", value_integer(recovery->fault));
        set_value(object, "after_effect_ns", value_integer(recovery->after_effect_ns));
        set_value(object, "after_heal_ns", value_integer(recovery->after_heal_ns));
        set_value(object, "unavailable_ns", value_integer(recovery->unavailable_ns));
        json_array_append_new(array, object);
    }
    return array;
}

static json_t *if_known(bool is_known, int64_t value)
{
    return is_known ? value_integer(value) : json_null();
}

static json_t *use_json(const struct resource_use *use)
{
    if (use->processes == 0)
        return json_null();
    json_t *object = json_object();
    set_value(object, "processes", value_integer(use->processes));
    set_value(object, "is_complete", json_boolean(use->is_complete));
    set_value(object, "processor_ns", value_integer(use->processor_ns));
    set_value(object, "kernel_ns", value_integer(use->kernel_ns));
    set_value(object, "voluntary_switches", if_known(use->knows_switches, use->voluntary_switches));
    set_value(object, "other_switches", if_known(use->knows_switches, use->other_switches));
    set_value(object, "received_bytes", if_known(use->knows_network, use->received_bytes));
    set_value(object, "sent_bytes", if_known(use->knows_network, use->sent_bytes));
    set_value(object, "received_packets", if_known(use->knows_network, use->received_packets));
    set_value(object, "sent_packets", if_known(use->knows_network, use->sent_packets));
    return object;
}

static json_t *resources_json(const struct resources *resources)
{
    if (!resources->is_known)
        return json_null();
    json_t *object = json_object();
    set_value(object, "covered_ns", value_integer(resources->covered_ns));
    set_value(object, "machine_busy_ns", value_integer(resources->machine_busy_ns));
    set_value(object, "processors", value_integer(resources->processors));
    set_value(object, "client_processors", value_integer(resources->client_processors));
    set_value(object, "driver", use_json(&resources->driver));
    set_value(object, "clients", use_json(&resources->clients));
    set_value(object, "servers", use_json(&resources->servers));
    return object;
}

static json_t *driver_bound_json(const struct driver_bound *bound)
{
    json_t *object = json_object();
    json_t *late = json_array();
    for (enum percentile i = 0; i < PERCENTILE_COUNT; i++) {
        if (bound->late[i])
            json_array_append_new(late, value_text(percentile_forms[i].name));
    }
    set_value(object, "is_bound", json_boolean(bound->is_bound));
    set_value(object, "reason", known_text(bound->reason));
    set_value(object, "late", late);
    return object;
}

static json_t *due_json(const struct statistics *statistics)
{
    if (statistics->due == 0)
        return json_null();
    json_t *object = json_object();
    set_value(object, "due", value_integer(statistics->due));
    set_value(object, "begun", value_integer(statistics->begun));
    return object;
}

static json_t *phases_json(const struct phase_costs *costs)
{
    json_t *array = json_array();
    for (size_t i = 0; i < costs->count; i++) {
        const struct phase_cost *phase = &costs->items[i];
        json_t *object = json_object();
        set_value(object, "from_ns", value_integer(phase->from_ns));
        set_value(object, "to_ns", value_integer(phase->to_ns));
        set_value(object, "clients", value_integer(phase->clients));
        set_value(object, "rate_per_1000_s", value_integer(phase->rate));
        set_value(object, "counts", json_boolean(phase->counts));
        set_value(object, "grants", value_count(phase->grants));
        set_value(object, "holds_per_second", value_number(phase_cost_rate(phase)));
        set_value(object, "due", value_integer(phase->due));
        set_value(object, "held", value_integer(phase->held));
        set_value(object, "acquire", percentiles_json(&phase->acquire));
        json_array_append_new(array, object);
    }
    return array;
}

static void set_counts(json_t *object, const struct statistics *statistics)
{
    set_value(object, "duration_ns", value_integer(statistics->duration_ns));
    set_value(object, "counted_ns", value_integer(statistics->counted_ns));
    set_value(object, "holds", value_count(statistics->holds));
    set_value(object, "not_held", value_count(statistics->not_held));
    set_value(object, "expired_grants",
              statistics->leased > 0 ? value_count(statistics->expired) : json_null());
    set_value(object, "unknown", value_count(statistics->unknown));
    set_value(object, "open", value_count(statistics->open));
    set_value(object, "longest_open_ns", value_integer(statistics->longest_open_ns));
    set_value(object, "writes", value_count(statistics->writes));
    set_value(object, "refused_writes", value_count(statistics->refused_writes));
    set_value(object, "unknown_writes", value_count(statistics->unknown_writes));
    set_value(object, "holds_per_second", value_number(statistics->holds_per_second));
    set_value(object, "attempts_per_hold", value_number(statistics->attempts_per_hold));
    set_value(object, "commands_per_hold", value_number(statistics->commands_per_hold));
}

static json_t *worst_stalls_json(const struct statistics *statistics)
{
    json_t *array = json_array();
    for (size_t i = 0; i < statistics->worst_stall_count; i++) {
        char owner[48];
        const struct stall *stall = &statistics->worst_stalls[i];
        json_t *object = json_object();
        set_value(object, "of", value_text(stall_owner(stall, owner, sizeof owner)));
        set_value(object, "from_ns", value_integer(stall->from_ns));
        set_value(object, "length_ns", value_integer(stall->to_ns - stall->from_ns));
        json_array_append_new(array, object);
    }
    return array;
}

// Of an external program.
static json_t *times_json(unsigned source)
{
    json_t *object = json_object();
    set_value(object, "own_clock", json_boolean(source & TIMES_OWN));
    set_value(object, "own_loop", json_boolean(source & TIMES_OWN_LOOP));
    set_value(object, "proxied", json_boolean(!(source & TIMES_STRAIGHT)));
    return object;
}

json_t *statistics_json(const struct trial_result *result)
{
    const struct statistics *statistics = &result->statistics;
    if (!result->has_history)
        return json_null();
    json_t *object = json_object();
    set_counts(object, statistics);
    if (*costs_mark(result->trial) != '\0')
        set_value(object, "times", times_json(statistics->times));
    set_value(object, "acquire", percentiles_json(&statistics->acquire));
    set_value(object, "acquire_uncorrected", percentiles_json(&statistics->acquire_uncorrected));
    set_value(object, "acquire_on_time", percentiles_json(&statistics->acquire_on_time));
    set_value(object, "release", percentiles_json(&statistics->release));
    set_value(object, "hold", percentiles_json(&statistics->hold));
    set_value(object, "hand_off", percentiles_json(&statistics->hand_off));
    set_value(object, "told", percentiles_json(&statistics->told));
    set_value(object, "lateness", percentiles_json(&statistics->lateness));
    set_value(object, "load", due_json(statistics));
    set_value(object, "phases", phases_json(&result->latencies.phases));
    set_value(object, "longest_wait_ns", value_integer(statistics->longest_wait_ns));
    set_value(object, "fairness", value_number(statistics->fairness));
    set_value(object, "least_grants", value_count(statistics->turns.least_grants));
    set_value(object, "most_grants", value_count(statistics->turns.most_grants));
    set_value(object, "stalls", value_count(statistics->stalls));
    set_value(object, "longest_stall_ns", value_integer(statistics->longest_stall_ns));
    set_value(object, "stalled_ns", value_integer(statistics->stalled_ns));
    set_value(object, "worst_stalls", worst_stalls_json(statistics));
    set_value(object, "driver_bound", driver_bound_json(&statistics->driver_bound));
    set_value(object, "recoveries", recoveries_json(&statistics->recoveries));
    set_value(object, "resources", resources_json(&statistics->resources));
    return object;
}

// --- repeats together ----------------------------------------------------------------------------

static json_t *late_json(const struct scheme_cost *cost)
{
    json_t *array = json_array();
    for (enum percentile i = 0; i < PERCENTILE_COUNT; i++) {
        if (cost->late[i] > 0)
            json_array_append_new(array, value_text(percentile_forms[i].name));
    }
    return array;
}

static json_t *spread_json(const struct spread *spread)
{
    if (spread->count == 0)
        return json_null();
    json_t *object = json_object();
    set_value(object, "median", value_number(spread->median));
    set_value(object, "least", value_number(spread->least));
    set_value(object, "most", value_number(spread->most));
    return object;
}

static json_t *cost_json(const struct scheme_cost *cost)
{
    // As in statistics: its names have no hyphens.
    static const char *const names[] = {
        "acquire", "acquire_uncorrected", "release", "hold", "hand_off", "told"};
    json_t *object = json_object();
    json_t *histograms = json_object();
    set_value(object, "scenario", value_text(cost->trial->scenario->name));
    set_value(object, "scheme", value_text(cost->trial->scheme));
    set_value(object, "repeats", value_count(cost->repeats));
    set_value(object, "holds_per_second", spread_json(&cost->rate));
    set_value(object, "fairness", spread_json(&cost->fairness));
    for (enum latency latency = 0; latency < LATENCY_COUNT; latency++) {
        set_value(object, names[latency], percentiles_json(&cost->percentiles[latency]));
        set_value(histograms, names[latency], value_text(cost->encoded[latency]));
    }
    set_value(object, "commands_per_hold", value_number(cost->commands_per_hold));
    set_value(object, "longest_wait_ns", value_integer(cost->longest_wait_ns));
    set_value(object, "violations", value_count(cost->violations));
    set_value(object, "expired_grants",
              cost->leased > 0 ? value_count(cost->expired) : json_null());
    set_value(object, "driver_bound", value_count(cost->driver_bound));
    set_value(object, "late", late_json(cost));
    set_value(object, "histograms", histograms);
    return object;
}

json_t *costs_json(const struct run_report *report)
{
    json_t *array = json_array();
    for (size_t i = 0; i < report->cost_count; i++) {
        if (report->costs[i].repeats > 0)
            json_array_append_new(array, cost_json(&report->costs[i]));
    }
    return array;
}
