#include "harness/report/costs.h"

#include "harness/base/table.h"
#include "harness/report/figures.h"
#include "harness/report/summary.h"

#include <math.h>
#include <string.h>

void costs_add_notes(const struct scheme_cost *cost, struct text *notes)
{
    const char *scheme = cost->trial->scheme;
    char texts[2][40];
    if (cost->driver_bound > 0)
        text_format(notes, "* %s is driver-bound in %zu of %zu: %s\n", scheme, cost->driver_bound,
                    cost->repeats, cost->bound_reason);
    else if (scheme_cost_any_late(cost))
        text_format(notes, "* %s: %s\n", scheme, cost->late_reason);
    // What began late counts with its waiting, but what never began has no latency at all. A
    // hundredth may be on its way at the end.
    if ((cost->due - cost->begun) * 100 > cost->due)
        text_format(notes, "%s could not hold the rate: %s of %s begun\n", scheme,
                    rate_text((double)cost->begun, texts[0], sizeof texts[0]),
                    rate_text((double)cost->due, texts[1], sizeof texts[1]));
    if (cost->expired > 0)
        text_format(notes, "%s: of %zu of %zu grants the lease was over when they came\n", scheme,
                    cost->expired, cost->leased);
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

// --- at the terminal -----------------------------------------------------------------------------

// A figure that tells of the driver gets a mark.
static void add_cost(struct table *table, const struct scheme_cost *cost)
{
    struct text scheme = {0};
    text_format(&scheme, "%s%s", cost->trial->scheme, costs_mark(cost->trial));
    table_cell(table, COLOUR_PLAIN, text_string(&scheme));
    text_free(&scheme);
    for (enum figure figure = 0; figure < FIGURE_COUNT; figure++) {
        double value = figure_of(figure, cost, false);
        bool is_marked = isfinite(value) && figure_is_drivers(figure, cost);
        char text[40];
        if (!figure_is(figure, IN_TERMINAL))
            continue;
        figure_text(figure, value, text, sizeof text - 1);
        if (is_marked)
            strcat(text, "*");
        table_cell(table,
                   is_marked          ? COLOUR_YELLOW
                   : !isfinite(value) ? COLOUR_GREY
                                      : COLOUR_PLAIN,
                   text);
    }
}

// The headings must outlive the table.
static struct table *start_table(const char *headings[FIGURE_COUNT + 2])
{
    int columns = 0;
    headings[columns++] = "scheme";
    for (enum figure figure = 0; figure < FIGURE_COUNT; figure++) {
        const char *brief = figure_forms[figure].brief;
        if (figure_is(figure, IN_TERMINAL))
            headings[columns++] = brief != NULL ? brief : figure_title(figure);
    }
    headings[columns] = NULL;
    struct table *table = table_new(headings);
    for (int column = 1; column < columns; column++)
        table_align_right(table, column);
    return table;
}

// The costs from `first` on that are of its scenario.
static void print_scenario(const struct run_report *report, size_t first, FILE *out, bool coloured)
{
    const struct scenario *scenario = report->costs[first].trial->scenario;
    const char *headings[FIGURE_COUNT + 2];
    struct table *table = start_table(headings);
    struct text notes = {0};
    struct text meaning = {0};
    size_t lines = 0;
    for (size_t i = first; i < report->cost_count; i++) {
        const struct scheme_cost *cost = &report->costs[i];
        if (cost->trial->scenario != scenario || cost->repeats == 0)
            continue;
        add_cost(table, cost);
        costs_add_notes(cost, &notes);
        lines++;
    }
    if (lines > 0) {
        fputs("\nWhat it cost in ", out);
        colour_print(out, coloured, COLOUR_BOLD, scenario->name);
        fputs(": locks/s; acquire; hand-off (ho) to one who waited; commands a lock; fairness\n",
              out);
        table_print(table, out, coloured);
        costs_add_mark_meaning(report->run, scenario, &meaning);
        fprintf(out, meaning.length > 0 ? "%s\n" : "%s", text_string(&meaning));
        fputs(text_string(&notes), out);
    }
    text_free(&meaning);
    text_free(&notes);
    table_free(table);
}

void costs_print(const struct run_report *report, FILE *out, bool coloured)
{
    const struct scheme_cost *costs = report->costs;
    bool is_alone = true;
    for (size_t i = 1; i < report->cost_count; i++)
        is_alone = is_alone && costs[i].trial->scenario == costs[0].trial->scenario;
    for (size_t i = 0; i < report->cost_count; i++) {
        size_t first = 0;
        while (costs[first].trial->scenario != costs[i].trial->scenario)
            first++;
        if (first == i && (is_alone || scenario_measures(costs[i].trial->scenario)))
            print_scenario(report, i, out, coloured);
    }
}
