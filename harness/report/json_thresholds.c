#include "harness/report/json_thresholds.h"

#include "harness/report/json_values.h"
#include "harness/report/thresholds.h"

static json_t *outcome_json(const struct threshold_outcome *outcome)
{
    const struct threshold *threshold = outcome->threshold;
    const struct limit *limit = &threshold->limit;
    json_t *object = json_object();
    set_value(object, "scenario", value_text(outcome->trial->scenario->name));
    set_value(object, "scheme", value_text(outcome->trial->scheme));
    set_value(object, "threshold", value_text(limit->text));
    set_value(object, "line", value_integer(threshold->place.line));
    set_value(object, "metric", value_text(metric_name(limit->metric)));
    set_value(object, "percentile",
              metric_is_latency(limit->metric) ? value_number(limit->percent) : json_null());
    set_value(object, "relation", value_text(relation_name(limit->relation)));
    set_value(object, "bound", value_number(limit->bound));
    set_value(object, "measured", outcome->is_known ? value_number(outcome->figure) : json_null());
    set_value(object, "result", value_text(threshold_result_name(outcome->result)));
    set_value(object, "driver_bound", json_boolean(outcome->driver_bound));
    set_value(object, "reason", value_text(outcome->reason));
    return object;
}

json_t *thresholds_json(const struct run_result *run)
{
    struct threshold_outcomes outcomes;
    json_t *array = json_array();
    thresholds_decide(run, &outcomes);
    for (size_t i = 0; i < outcomes.count; i++)
        json_array_append_new(array, outcome_json(&outcomes.items[i]));
    thresholds_free(&outcomes);
    return array;
}
