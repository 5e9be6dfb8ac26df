#include "harness/report/run_figures.h"

#include "harness/base/percentile.h"
#include "harness/report/json_costs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text != NULL ? text : "";
}

static enum verdict verdict_of(const char *name)
{
    for (enum verdict verdict = VERDICT_SAFE; verdict <= VERDICT_NOT_APPLICABLE; verdict++) {
        if (strcmp(verdict_name(verdict), name) == 0)
            return verdict;
    }
    return VERDICT_ERROR;
}

// --- one trial -----------------------------------------------------------------------------------

static double value_of(const json_t *statistics, enum figure figure)
{
    const struct figure_form *form = &figure_forms[figure];
    const json_t *value = json_object_get(statistics, form->key);
    if (form->percentile >= 0) {
        const struct percentile_form *percentile = &percentile_forms[form->percentile];
        int64_t count = json_integer_value(json_object_get(value, "count"));
        if (!percentile_has_enough(count, percentile->percent))
            return NAN;
        value = json_object_get(value, percentile->key);
    }
    double number = json_is_number(value) ? json_number_value(value) : NAN;
    return number >= 0 && isfinite(number) ? number : NAN;
}

static bool is_of_acquire(enum figure figure)
{
    return figure_forms[figure].percentile >= 0 && figure_forms[figure].latency == LATENCY_ACQUIRE;
}

static bool has_word(const json_t *array, const char *word)
{
    size_t index;
    const json_t *item;
    json_array_foreach(array, index, item)
    {
        const char *text = json_string_value(item);
        if (text != NULL && strcmp(text, word) == 0)
            return true;
    }
    return false;
}

static int64_t integer_of(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

// Which percentiles of acquire do not speak for all that asked.
static void read_denials(const json_t *statistics, struct repeat_figures *repeat)
{
    int64_t granted = integer_of(statistics, "holds");
    int64_t due = integer_of(json_object_get(statistics, "load"), "due");
    int64_t open = integer_of(statistics, "open");
    int64_t longest_open_ns = integer_of(statistics, "longest_open_ns");
    int64_t asked =
        granted + integer_of(statistics, "not_held") + integer_of(statistics, "unknown");
    repeat->acquires = due > asked ? due : asked;
    repeat->denied = repeat->acquires - granted;
    for (enum figure figure = 0; figure < FIGURE_COUNT; figure++) {
        if (!figure_is(figure, IN_COMPARISON) || !is_of_acquire(figure))
            continue;
        // Those that the end cut off would have taken no longer, as far as anybody knows.
        bool are_excused = (double)longest_open_ns <= repeat->values[figure];
        int64_t denied = repeat->denied - (are_excused ? open : 0);
        repeat->is_partial[figure] = !percentile_is_of_all(
            repeat->acquires, denied, percentile_forms[figure_forms[figure].percentile].percent);
    }
}

static void read_values(const json_t *statistics, struct repeat_figures *repeat)
{
    const json_t *driver = json_object_get(statistics, "driver_bound");
    bool is_bound = json_is_true(json_object_get(driver, "is_bound"));
    for (enum figure figure = 0; figure < FIGURE_COUNT; figure++) {
        if (!figure_is(figure, IN_COMPARISON))
            continue;
        bool is_late = is_of_acquire(figure) &&
                       has_word(json_object_get(driver, "late"), figure_title(figure));
        repeat->values[figure] = value_of(statistics, figure);
        repeat->is_drivers[figure] = figure != FIGURE_COMMANDS && (is_bound || is_late);
    }
    read_denials(statistics, repeat);
}

static char *found_of(const json_t *findings)
{
    struct text found = {0};
    size_t index;
    const json_t *finding;
    json_array_foreach(findings, index, finding)
    {
        if (strcmp(text_of(finding, "state"), "violated") == 0 &&
            !json_is_true(json_object_get(finding, "harmless")))
            text_format(&found, "%s%s", found.length > 0 ? ", " : "", text_of(finding, "property"));
    }
    char *text = memory_string(text_string(&found));
    text_free(&found);
    return text;
}

static void read_trial(const json_t *trial, struct repeat_figures *repeat)
{
    const json_t *scenario = json_object_get(trial, "scenario");
    *repeat = (struct repeat_figures){
        .scenario = text_of(scenario, "name"),
        .scheme = text_of(trial, "scheme"),
        .topology = text_of(trial, "topology"),
        .verdict = verdict_of(text_of(trial, "verdict")),
        .found = found_of(json_object_get(trial, "findings")),
        .asked = scenario,
        .strikes = json_array_size(json_object_get(scenario, "faults")) > 0,
    };
    read_values(json_object_get(trial, "statistics"), repeat);
}

// --- what was asked ------------------------------------------------------------------------------

// True if there is a key, other than those set `apart`, that differs or that one of them lacks.
static bool find_difference(const json_t *a, const json_t *b, const char *const *apart, char *where,
                            size_t room)
{
    static const char *const nothing[] = {NULL};
    static const char only[] = " (known of one only)";
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(size_t)a, key, value)
    {
        const json_t *other = json_object_get(b, key);
        char rest[60] = "";
        if (text_is_one_of(key, apart) || (other != NULL && json_equal(value, other)))
            continue;
        if (json_is_object(value) && json_is_object(other))
            (void)find_difference(value, other, nothing, rest, sizeof rest);
        snprintf(where, room, "%s%s%s%s", key, rest[0] != '\0' ? "." : "", rest,
                 other == NULL ? only : "");
        return true;
    }
    json_object_foreach((json_t *)(size_t)b, key, value)
    {
        if (text_is_one_of(key, apart) || json_object_get(a, key) != NULL)
            continue;
        snprintf(where, room, "%s%s", key, only);
        return true;
    }
    return false;
}

bool repeats_ask_the_same(const struct repeat_figures *a, const struct repeat_figures *b,
                          char *where, size_t room)
{
    static const char *const apart[] = {"name", "about", "path", NULL};
    return !find_difference(a->asked, b->asked, apart, where, room);
}

// --- the run -------------------------------------------------------------------------------------

int run_figures_make(json_t *result, const char *name, struct run_figures *figures,
                     struct error *error)
{
    const json_t *trials = json_object_get(result, "trials");
    size_t index;
    const json_t *trial;
    *figures = (struct run_figures){.result = result, .name = name};
    if (strcmp(text_of(result, "schema"), "lockpick-result-1") != 0 || !json_is_array(trials))
        return error_set(error,
                         "%s is no result of a run: its schema is '%.40s', not "
                         "'lockpick-result-1'",
                         name, text_of(result, "schema"));
    environment_from_json(json_object_get(result, "environment"), &figures->environment);
    figures->environment.duration_ns = integer_of(result, "duration_ns");
    figures->planned = (size_t)integer_of(result, "planned");
    figures->repeats = memory_zeroed(json_array_size(trials) + 1, sizeof *figures->repeats);
    json_array_foreach(trials, index, trial)
    {
        figures->finished += !json_is_true(json_object_get(trial, "cut_short"));
        if (verdict_of(text_of(trial, "verdict")) != VERDICT_NOT_APPLICABLE)
            read_trial(trial, &figures->repeats[figures->count++]);
    }
    return 0;
}

void run_figures_free(struct run_figures *figures)
{
    for (size_t i = 0; i < figures->count; i++)
        free(figures->repeats[i].found);
    free(figures->repeats);
    json_decref(figures->result);
    *figures = (struct run_figures){0};
}
