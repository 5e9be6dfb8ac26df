#include "harness/report/costs.h"

#include "harness/base/table.h"
#include "harness/report/summary.h"

#include <math.h>
#include <string.h>

// A figure that tells of the driver gets a mark.
static void add_percentile(struct table *table, const struct histogram *histogram, double percent,
                           bool is_marked)
{
    char text[40];
    if (histogram->total == 0) {
        table_cell(table, COLOUR_GREY, "–");
        return;
    }
    text_duration(histogram_percentile_ns(histogram, percent), text, sizeof text - 1);
    if (is_marked)
        strcat(text, "*");
    table_cell(table, is_marked ? COLOUR_YELLOW : COLOUR_PLAIN, text);
}

static void add_number(struct table *table, bool is_known, const char *format, double value)
{
    char text[32];
    if (is_known && isfinite(value))
        snprintf(text, sizeof text, format, value);
    else
        snprintf(text, sizeof text, "–");
    table_cell(table, COLOUR_PLAIN, text);
}

static void add_cost(struct table *table, const struct scheme_cost *cost)
{
    const struct histogram *acquire = &cost->latencies[LATENCY_ACQUIRE];
    const struct histogram *hand_off = &cost->latencies[LATENCY_HAND_OFF];
    char rate[40];
    struct text marked = {0};
    struct text scheme = {0};
    text_format(&marked, "%s%s", rate_text(cost->rate.median, rate, sizeof rate),
                cost->driver_bound > 0 ? "*" : "");
    text_format(&scheme, "%s%s", cost->trial->scheme, costs_mark(cost->trial));
    table_cell(table, COLOUR_PLAIN, text_string(&scheme));
    table_cell(table, cost->driver_bound > 0 ? COLOUR_YELLOW : COLOUR_PLAIN, text_string(&marked));
    add_percentile(table, acquire, 50, cost->late[PERCENTILE_p50] > 0);
    add_percentile(table, acquire, 99, cost->late[PERCENTILE_p99] > 0);
    add_percentile(table, acquire, 99.9, cost->late[PERCENTILE_p999] > 0);
    add_percentile(table, acquire, 100, cost->late[PERCENTILE_max] > 0);
    add_percentile(table, hand_off, 50, false);
    add_percentile(table, hand_off, 99, false);
    add_number(table, true, "%.1f", cost->commands_per_hold);
    add_number(table, cost->fairness.count > 0, "%.2f", cost->fairness.median);
    text_free(&marked);
    text_free(&scheme);
}

static bool is_first_of_scenario(const struct run_result *run, size_t index)
{
    for (size_t i = 0; i < index; i++) {
        if (run->trials[i].trial->scenario == run->trials[index].trial->scenario)
            return false;
    }
    return true;
}

// Why the first trial of the scheme whose figures are the driver's, or that has late ones, is so.
static const char *reason_of(const struct run_result *run, const struct trial *trial, bool is_late)
{
    for (size_t i = 0; i < run->count; i++) {
        const struct trial_result *result = &run->trials[i];
        if (result->trial->scenario == trial->scenario &&
            strcmp(result->trial->scheme, trial->scheme) == 0 && result->has_history &&
            (is_late ? driver_bound_any_late(&result->statistics.driver_bound)
                     : result->statistics.driver_bound.is_bound))
            return result->statistics.driver_bound.reason;
    }
    return "";
}

// Says so if the open loop of the scheme's repeats was not: what began late counts with its
// waiting, but what never began has no latency at all. A hundredth may be on its way at the end.
static void add_rate_note(const struct run_result *run, const struct trial *trial,
                          struct text *notes)
{
    int64_t due = 0;
    int64_t begun = 0;
    for (size_t i = 0; i < run->count; i++) {
        const struct trial_result *result = &run->trials[i];
        if (result->trial->scenario != trial->scenario || !result->has_history ||
            strcmp(result->trial->scheme, trial->scheme) != 0)
            continue;
        due += result->statistics.due;
        begun += result->statistics.begun;
    }
    char texts[2][40];
    if ((due - begun) * 100 > due)
        text_format(notes, "%s could not hold the rate: %s of %s begun\n", trial->scheme,
                    rate_text((double)begun, texts[0], sizeof texts[0]),
                    rate_text((double)due, texts[1], sizeof texts[1]));
}

static bool any_late(const struct scheme_cost *cost)
{
    for (enum percentile i = 0; i < PERCENTILE_COUNT; i++) {
        if (cost->late[i] > 0)
            return true;
    }
    return false;
}

void costs_add_notes(const struct run_result *run, const struct scheme_cost *cost,
                     struct text *notes)
{
    if (cost->driver_bound > 0)
        text_format(notes, "* %s is driver-bound in %zu of %zu: %s\n", cost->trial->scheme,
                    cost->driver_bound, cost->repeats, reason_of(run, cost->trial, false));
    else if (any_late(cost))
        text_format(notes, "* %s: %s\n", cost->trial->scheme, reason_of(run, cost->trial, true));
    add_rate_note(run, cost->trial, notes);
    if (cost->expired > 0)
        text_format(notes, "%s: of %zu of %zu grants the lease was over when they came\n",
                    cost->trial->scheme, cost->expired, cost->leased);
}

const char *costs_mark(const struct trial *trial)
{
    return trial->foreign != NULL && trial->foreign->plugin == NULL ? "†" : "";
}

// The names of the marked schemes whose times are of that source; returns how many they are.
static size_t name_those_of(const struct run_result *run, const struct scenario *scenario,
                            unsigned source, struct text *names)
{
    size_t count = 0;
    for (size_t i = 0; i < run->count; i++) {
        const struct trial_result *result = &run->trials[i];
        const struct trial *trial = result->trial;
        if (!result->has_history || *costs_mark(trial) == '\0' ||
            (scenario != NULL && trial->scenario != scenario) || result->statistics.times != source)
            continue;
        bool is_named = false;
        for (size_t j = 0; j < i && !is_named; j++)
            is_named = run->trials[j].has_history &&
                       strcmp(run->trials[j].trial->scheme, trial->scheme) == 0 &&
                       run->trials[j].statistics.times == source &&
                       (scenario == NULL || run->trials[j].trial->scenario == scenario);
        if (is_named)
            continue;
        text_format(names, "%s%s", count > 0 ? ", " : "", trial->scheme);
        count++;
    }
    return count;
}

void costs_add_mark_meaning(const struct run_result *run, const struct scenario *scenario,
                            struct text *out)
{
    const char *before = "† a program of its own (exec): ";
    for (unsigned source = 0; source < TIME_SOURCES; source++) {
        struct text names = {0};
        size_t count = name_those_of(run, scenario, source, &names);
        if (count > 0) {
            text_format(out, "%s%s: %s", before, names.bytes, time_source_words(source, count > 1));
            before = "; ";
        }
        text_free(&names);
    }
}

static void print_scenario(const struct run_result *run, size_t first, FILE *out, bool coloured)
{
    static const char *const headings[] = {"scheme", "locks/s", "p50",  "p99",  "p99.9", "max",
                                           "ho p50", "ho p99",  "cmds", "Jain", NULL};
    const struct scenario *scenario = run->trials[first].trial->scenario;
    struct table *table = table_new(headings);
    struct text notes = {0};
    struct text meaning = {0};
    size_t lines = 0;
    bool any_mark = false;
    for (int column = 1; headings[column] != NULL; column++)
        table_align_right(table, column);
    for (size_t i = first; i < run->count; i++) {
        struct scheme_cost cost;
        if (run->trials[i].trial->scenario != scenario || !scheme_cost_begins_at(run, i))
            continue;
        scheme_cost_make(run, i, &cost);
        if (cost.repeats > 0) {
            add_cost(table, &cost);
            costs_add_notes(run, &cost, &notes);
            any_mark = any_mark || *costs_mark(cost.trial) != '\0';
            lines++;
        }
        scheme_cost_free(&cost);
    }
    if (lines > 0) {
        fputs("\nWhat it cost in ", out);
        colour_print(out, coloured, COLOUR_BOLD, scenario->name);
        fputs(": locks/s; acquire; hand-off (ho) to one who waited; commands a lock; fairness\n",
              out);
        table_print(table, out, coloured);
        if (any_mark) {
            costs_add_mark_meaning(run, scenario, &meaning);
            fprintf(out, "%s\n", text_string(&meaning));
        }
        fputs(text_string(&notes), out);
    }
    text_free(&meaning);
    text_free(&notes);
    table_free(table);
}

static bool is_alone(const struct run_result *run, const struct scenario *scenario)
{
    for (size_t i = 0; i < run->count; i++) {
        if (run->trials[i].trial->scenario != scenario)
            return false;
    }
    return true;
}

void costs_print(const struct run_result *run, FILE *out, bool coloured)
{
    for (size_t i = 0; i < run->count; i++) {
        const struct scenario *scenario = run->trials[i].trial->scenario;
        if (is_first_of_scenario(run, i) &&
            (scenario_measures(scenario) || is_alone(run, scenario)))
            print_scenario(run, i, out, coloured);
    }
}
