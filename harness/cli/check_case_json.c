// A decided history for machines.
#include "harness/base/clock.h"
#include "harness/base/rank.h"
#include "harness/cli/check_case.h"

static json_t *count(size_t value)
{
    return json_integer((json_int_t)value);
}

static void set(json_t *object, const char *key, json_t *value)
{
    json_object_set_new(object, key, value);
}

// Text of a file may be no UTF-8.
static json_t *string(const char *text)
{
    json_t *value = json_string(text);
    return value != NULL ? value : json_null();
}

static json_t *place_json(const struct check_case *result, int64_t instant)
{
    const struct operations *operations = &result->operations;
    json_t *object = json_object();
    char text[256];
    if (instant == INSTANT_NEVER) {
        json_decref(object);
        return json_null();
    }
    if (operations->events == NULL) {
        set(object, "line", json_null());
        set(object, "time_ns", json_integer(moment_of(instant) - operations->zero_ns));
        set(object, "text", json_null());
        return object;
    }
    const struct operation_event *event = &operations->events[moment_of(instant) - 1];
    set(object, "line", json_integer(event->line));
    set(object, "time_ns", event->at_ns == TIME_NEVER ? json_null() : json_integer(event->at_ns));
    set(object, "text", string(source_line(&result->source, event->line, text, sizeof text)));
    return object;
}

static json_t *operation_json(const struct check_case *result, const struct operation *operation)
{
    static const char *const outcomes[] = {"ok", "fail", "info", "info"};
    const struct operations *operations = &result->operations;
    char process[OPERATION_TEXT_ROOM];
    json_t *object = json_object();
    set(object, "kind", json_string(operation->kind == OPERATION_ACQUIRE ? "acquire" : "release"));
    set(object, "process", string(operation_process(operations, operation->process, process)));
    set(object, "lock",
        operations->names != NULL ? string(operations->names[operation->name]) : json_null());
    set(object, "shared", json_boolean(operation->shared));
    set(object, "outcome", json_string(outcomes[operation->outcome & 3]));
    set(object, "error",
        operation->error > 0 ? string(operations->errors[operation->error - 1]) : json_null());
    set(object, "token", operation->token != 0 ? json_integer(operation->token) : json_null());
    set(object, "invoked", place_json(result, operation->invoked));
    set(object, "returned", place_json(result, operation->returned));
    return object;
}

static json_t *violation_json(const struct check_case *result)
{
    static const char *const rules[] = {"exclusion", "ownership", "token", "depth", "failed-free"};
    const struct model_violation *violation = &result->decision.first;
    if (result->decision.linearizable)
        return json_null();
    json_t *object = json_object();
    json_t *operations = json_array();
    int64_t overlap_ns = operation_span_ns(&result->operations, violation->from, violation->to);
    bool overlaps = violation->rule == RULE_EXCLUSION && overlap_ns >= 0;
    for (int i = 0; i < MODEL_EVIDENCE; i++) {
        size_t index = violation->operations[i];
        if (index != SIZE_MAX)
            json_array_append_new(operations,
                                  operation_json(result, &result->operations.items[index]));
    }
    set(object, "rule", json_string(rules[violation->rule]));
    set(object, "story", string(result->story));
    set(object, "overlap_ns", overlaps ? json_integer(overlap_ns) : json_null());
    set(object, "operations", operations);
    return object;
}

static json_t *windows_json(const struct model_decision *decision)
{
    static const struct {
        const char *key;
        unsigned permille;
    } ranks[] = {
        {"min_ns", 0}, {"p50_ns", 500}, {"p90_ns", 900}, {"p99_ns", 990}, {"max_ns", 1000}};
    if (decision->window_count == 0)
        return json_null();
    json_t *object = json_object();
    set(object, "count", count(decision->window_count));
    for (size_t i = 0; i < sizeof ranks / sizeof ranks[0]; i++)
        set(object, ranks[i].key,
            json_integer(percentile_of_sorted(decision->windows_ns, decision->window_count,
                                              ranks[i].permille)));
    return object;
}

static json_t *mapping_json(const struct model_options *options, bool linearizable,
                            size_t violations)
{
    json_t *object = json_object();
    set(object, "failed_release", json_string(failed_release_name(options->failed_release)));
    set(object, "failed_acquire", json_string(failed_acquire_name(options->failed_acquire)));
    set(object, "linearizable", json_boolean(linearizable));
    set(object, "violations", count(violations));
    return object;
}

static json_t *notes_json(const struct check_case *result)
{
    const struct import_notes *notes = &result->notes;
    json_t *object = json_object();
    set(object, "nemesis", count(notes->nemesis));
    set(object, "skipped", count(notes->skipped));
    set(object, "renewals", count(notes->renewals));
    set(object, "tokens", count(notes->tokens));
    return object;
}

json_t *check_case_json(const struct check_case *result)
{
    const struct model_decision *decision = &result->decision;
    json_t *object = json_object();
    json_t *mappings = json_array();
    json_array_append_new(mappings, mapping_json(&result->model_options, decision->linearizable,
                                                 decision->violation_count));
    for (size_t i = 0; i < result->other_count; i++)
        json_array_append_new(mappings, mapping_json(&result->others[i].options,
                                                     result->others[i].linearizable,
                                                     result->others[i].violation_count));
    bool by_client = result->options->import.owner == OWNER_IS_CLIENT;
    bool is_whole = result->condition.state == HISTORY_WHOLE;
    set(object, "file", string(result->name));
    set(object, "verdict", json_string(case_verdict_name(result->verdict)));
    set(object, "reason", result->verdict == CASE_UNDECIDED ? string(result->reason) : json_null());
    set(object, "condition", is_whole ? json_null() : string(result->condition.text));
    set(object, "passed_over", notes_json(result));
    set(object, "sorted_by_index", json_boolean(result->notes.was_sorted));
    set(object, "clock_back_ns", json_integer(result->operations.clock_back_ns));
    set(object, "owner", json_string(by_client ? "client" : "process"));
    set(object, "clients", by_client ? json_integer(result->notes.concurrency) : json_null());
    set(object, "operations", count(result->operations.count));
    set(object, "processes", count(result->operations.process_count));
    set(object, "locks", count(result->operations.name_count));
    set(object, "holds", count(decision->hold_count));
    set(object, "unknown", count(decision->unknown_count));
    set(object, "granted", count(result->granted));
    set(object, "failed_acquires", count(result->failed_acquires));
    set(object, "failed_releases", count(result->failed_releases));
    set(object, "violations", count(decision->violation_count));
    set(object, "violation", violation_json(result));
    set(object, "windows", windows_json(decision));
    set(object, "mappings", mappings);
    return object;
}
