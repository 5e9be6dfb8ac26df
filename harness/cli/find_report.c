#include "harness/cli/find_report.h"

#include "harness/report/json_costs.h"
#include "harness/report/json_values.h"
#include "harness/scenario/units.h"

#include <inttypes.h>
#include <stdio.h>

// --- text ----------------------------------------------------------------------------------------

static void print_step(const struct find_step *step)
{
    static const char *const answers[] = {
        [RATE_MET] = "yes", [RATE_MISSED] = "no", [RATE_DRIVER] = "driver"};
    struct text rate = {0};
    char figure[40] = "–";
    rate_write(step->rate, &rate);
    if (step->granted > 0)
        text_duration(step->figure_ns, figure, sizeof figure);
    printf("  %12s  %7lld of %7lld  %7lld  %9s  %-6s  %s\n", rate.bytes, (long long)step->begun,
           (long long)step->due, (long long)step->granted, figure, answers[step->answer],
           verdict_name(step->verdict));
    if (step->why[0] != '\0')
        printf("  %12s  the driver was the limit: %s\n", "", step->why);
    text_free(&rate);
}

void find_print_step(const struct find_result *result)
{
    char limit[40];
    if (result->count > 0) {
        print_step(&result->steps[result->count - 1]);
    } else {
        printf("%s · %s: the highest rate with %s < %s\n", result->trial->scenario->name,
               result->trial->scheme, result->figure,
               text_duration(result->limit_ns, limit, sizeof limit));
        printf("  %12s  %18s  %7s  %9s  %-6s  verdict\n", "rate", "begun", "granted",
               result->figure, "met");
    }
    fflush(stdout);
}

static void add_votes(const struct rate_votes *votes, bool are_met, struct text *out)
{
    int all = votes->met + votes->missed + votes->driver;
    rate_write(votes->rate, out);
    text_format(out, " %s it in %d of %d trials", are_met ? "meets" : "misses",
                are_met ? votes->met : all - votes->met, all);
}

// By what the driver was the limit at that rate.
static const char *why_at(const struct find_result *result, int64_t rate)
{
    for (size_t i = 0; i < result->count; i++) {
        if (result->steps[i].rate == rate && result->steps[i].answer == RATE_DRIVER)
            return result->steps[i].why;
    }
    return "";
}

void find_sentence(const struct find_result *result, struct text *out)
{
    const struct rate_votes *met = rate_search_votes(&result->search, result->search.met);
    const struct rate_votes *missed = rate_search_votes(&result->search, result->search.missed);
    switch (result->outcome) {
    case FIND_FAILED:
        text_format(out, "failed: %s", result->reason);
        return;
    case FIND_NOT_TRIED:
        text_format(out, "not tried: %s", result->reason);
        return;
    case FIND_NONE:
        text_add(out, "found none: even the lowest rate that can tell misses it: ");
        break;
    case FIND_DRIVER:
        text_add(out, "found no limit of the lock, but the driver's: ");
        break;
    case FIND_FOUND:
        text_add(out, "found ");
        break;
    }
    if (met != NULL)
        add_votes(met, true, out);
    if (met != NULL && missed != NULL)
        text_add(out, "; ");
    if (missed != NULL)
        add_votes(missed, false, out);
    else if (met != NULL)
        text_add(out, "; it is the highest that is looked for");
    if (result->outcome == FIND_DRIVER)
        text_format(out, ", by what is the driver's: %s", why_at(result, result->search.missed));
}

void find_print_answer(const struct find_result *result)
{
    struct text answer = {0};
    find_sentence(result, &answer);
    if (result->outcome == FIND_NOT_TRIED)
        printf("%s · %s: %s\n", result->trial->scenario->name, result->trial->scheme, answer.bytes);
    else
        printf("  %s\n", answer.bytes);
    fflush(stdout);
    text_free(&answer);
}

// --- JSON ----------------------------------------------------------------------------------------

static void set_rate(json_t *object, int64_t rate)
{
    struct text text = {0};
    rate_write(rate, &text);
    set_value(object, "rate", value_text(text.bytes));
    set_value(object, "per_second", value_number((double)rate / 3600));
    text_free(&text);
}

static json_t *votes_json(const struct rate_votes *votes)
{
    if (votes == NULL)
        return json_null();
    json_t *object = json_object();
    set_rate(object, votes->rate);
    set_value(object, "met", value_integer(votes->met));
    set_value(object, "missed", value_integer(votes->missed));
    set_value(object, "driver_bound", value_integer(votes->driver));
    return object;
}

static json_t *step_json(const struct find_step *step)
{
    static const char *const outcomes[] = {
        [RATE_MET] = "met", [RATE_MISSED] = "missed", [RATE_DRIVER] = "driver-bound"};
    json_t *object = json_object();
    set_rate(object, step->rate);
    set_value(object, "due", value_integer(step->due));
    set_value(object, "begun", value_integer(step->begun));
    set_value(object, "granted", value_integer(step->granted));
    set_value(object, "figure_ns",
              step->granted > 0 ? value_integer(step->figure_ns) : json_null());
    set_value(object, "outcome", value_text(outcomes[step->answer]));
    set_value(object, "driver", step->why[0] != '\0' ? value_text(step->why) : json_null());
    set_value(object, "verdict", value_text(verdict_name(step->verdict)));
    set_value(object, "folder", value_text(step->folder));
    return object;
}

static json_t *result_json(const struct find_result *result)
{
    static const char *const outcomes[] = {[FIND_FOUND] = "found",
                                           [FIND_NONE] = "none",
                                           [FIND_DRIVER] = "driver-bound",
                                           [FIND_FAILED] = "failed",
                                           [FIND_NOT_TRIED] = "not-tried"};
    const struct rate_search *search = &result->search;
    struct text answer = {0};
    json_t *object = json_object();
    json_t *target = json_object();
    json_t *steps = json_array();
    find_sentence(result, &answer);
    set_value(target, "figure", value_text(result->figure));
    set_value(target, "limit_ns", value_integer(result->limit_ns));
    for (size_t i = 0; i < result->count; i++)
        json_array_append_new(steps, step_json(&result->steps[i]));
    set_value(object, "scheme", value_text(result->trial->scheme));
    set_value(object, "target", target);
    set_value(object, "outcome", value_text(outcomes[result->outcome]));
    set_value(object, "answer", value_text(answer.bytes));
    set_value(object, "met", votes_json(rate_search_votes(search, search->met)));
    set_value(object, "missed", votes_json(rate_search_votes(search, search->missed)));
    set_value(object, "steps", steps);
    text_free(&answer);
    return object;
}

char *find_json(const struct find_request *request, const struct find_result *results, size_t count)
{
    char seed[24];
    json_t *object = json_object();
    json_t *scenario = json_object();
    json_t *searches = json_array();
    snprintf(seed, sizeof seed, "%" PRIu64, request->plan->seed);
    set_value(scenario, "name", value_text(request->scenario->name));
    set_value(scenario, "path", value_text(request->scenario->path));
    for (size_t i = 0; i < count; i++)
        json_array_append_new(searches, result_json(&results[i]));
    set_value(object, "schema", value_text("lockpick-find-1"));
    set_value(object, "folder", value_text(request->folder));
    set_value(object, "scenario", scenario);
    set_value(object, "seed", value_text(seed));
    set_value(object, "environment", environment_json(&request->environment));
    set_value(object, "searches", searches);
    char *text = json_dumps(object, JSON_INDENT(2));
    json_decref(object);
    return text;
}
