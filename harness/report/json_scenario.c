#include "harness/report/json_scenario.h"

#include "harness/report/json_values.h"
#include "harness/report/summary.h"

static json_t *rate_json(int64_t per_hour)
{
    return per_hour > 0 ? json_real((double)per_hour / 3600) : json_null();
}

static json_t *find_json(const struct load_target *find)
{
    json_t *object = json_object();
    int64_t any_ns = 0;
    for (enum percentile i = 0; i < PERCENTILE_COUNT; i++) {
        any_ns += find->ns[i];
        set_value(object, percentile_forms[i].key, value_integer(find->ns[i]));
    }
    if (any_ns == 0) {
        json_decref(object);
        return json_null();
    }
    return object;
}

static json_t *load_json(const struct scenario *scenario)
{
    json_t *array = json_array();
    for (size_t i = 0; i < scenario->load_count; i++) {
        const struct load_settings *phase = &scenario->load[i];
        int64_t clients = phase->clients > 0 ? phase->clients : scenario->clients.processes;
        json_t *object = json_object();
        set_value(object, "for_ns", phase->for_ns > 0 ? value_integer(phase->for_ns) : json_null());
        set_value(object, "clients", value_integer(clients));
        set_value(object, "rate", rate_json(phase->rate));
        set_value(object, "to", rate_json(phase->to));
        set_value(object, "arrivals",
                  value_text(phase->arrivals == ARRIVALS_FIXED ? "fixed" : "poisson"));
        set_value(object, "warm_up", json_boolean(phase->warm_up));
        set_value(object, "find", find_json(&phase->find));
        json_array_append_new(array, object);
    }
    return array;
}

static json_t *workload_json(const struct scenario *scenario)
{
    static const char *const boundaries[] = {"none", "inner", "wrapped"};
    const struct workload_settings *workload = &scenario->workload;
    json_t *object = json_object();
    set_value(object, "kind", value_text(workload->kind));
    set_value(object, "store", value_text(workload->store));
    set_value(object, "fenced", json_boolean(workload->fenced));
    set_value(object, "operations", value_integer(workload->operations));
    set_value(object, "for_ns", value_integer(workload->for_ns));
    set_value(object, "warm_up_ns", value_integer(workload->warm_up_ns));
    set_value(object, "keys", value_integer(scenario_key_count(scenario)));
    set_value(object, "skew", json_real((double)workload->skew / 1000));
    set_value(object, "hold_ns", value_integer(workload->hold_ns));
    set_value(object, "think_ns", value_integer(workload->think_ns));
    set_value(object, "stock", value_integer(workload->stock));
    set_value(object, "buyers", value_integer(workload->buyers));
    set_value(object, "boundary", value_text(boundaries[workload->boundary]));
    set_value(object, "jobs", value_integer(workload->jobs));
    set_value(object, "depth", value_integer(workload->depth));
    set_value(object, "readers", value_integer(workload->readers));
    set_value(object, "permits", value_integer(workload->permits));
    return object;
}

static json_t *clients_json(const struct clients_settings *clients)
{
    json_t *object = json_object();
    set_value(object, "processes", value_integer(clients->processes));
    set_value(object, "threads", value_integer(clients->threads));
    set_value(object, "placement", value_text(placement_name(clients->placement)));
    set_value(object, "lead", value_integer(clients->lead.client));
    return object;
}

static json_t *lock_json(const struct lock_settings *lock)
{
    json_t *object = json_object();
    set_value(object, "lease_ns", value_integer(lock->lease_ns));
    set_value(object, "wait_ns", value_integer(lock->wait_ns));
    set_value(object, "retry_ns", value_integer(lock->retry_ns));
    set_value(object, "request_ns", value_integer(lock->request_ns));
    set_value(object, "stuck_after_ns", value_integer(lock->stuck_after_ns));
    set_value(object, "told_ns", value_integer(lock->told_ns));
    return object;
}

static json_t *server_json(const struct server_settings *settings)
{
    static const char *const persistences[] = {"none", "aof-everysec", "aof-always"};
    json_t *object = json_object();
    set_value(object, "topology", value_text(settings->topology));
    set_value(object, "nodes", value_integer(settings->nodes));
    set_value(object, "persistence", value_text(persistences[settings->persistence]));
    set_value(object, "external", json_boolean(settings->external != NULL));
    return object;
}

static json_t *servers_json(const struct scenario *scenario)
{
    json_t *object = json_object();
    for (const struct server_settings *settings = scenario->servers; settings->kind != NULL;
         settings++) {
        bool is_usual = settings->topology == NULL && settings->nodes == 0 &&
                        settings->persistence == PERSISTENCE_NONE && settings->external == NULL;
        if (!is_usual)
            set_value(object, settings->kind, server_json(settings));
    }
    return object;
}

json_t *scenario_json(const struct scenario *scenario)
{
    json_t *object = json_object();
    set_value(object, "name", value_text(scenario->name));
    set_value(object, "about", value_text(scenario->about));
    set_value(object, "path", value_text(scenario->path));
    set_value(object, "workload", workload_json(scenario));
    set_value(object, "load", load_json(scenario));
    set_value(object, "clients", clients_json(&scenario->clients));
    set_value(object, "lock", lock_json(&scenario->lock));
    set_value(object, "servers", servers_json(scenario));
    json_t *faults = json_array();
    for (size_t i = 0; i < scenario->fault_count; i++) {
        json_t *fault = json_object();
        set_value(fault, "number", value_integer(scenario->faults[i].number));
        set_value(fault, "verb", value_text(scenario->faults[i].verb));
        set_value(fault, "text", value_text(scenario->faults[i].text));
        json_array_append_new(faults, fault);
    }
    set_value(object, "faults", faults);
    return object;
}
