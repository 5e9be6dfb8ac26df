// The thresholds, and what each lock cost.
#include "harness/report/cost_rows.h"
#include "harness/report/costs.h"
#include "harness/report/markdown_parts.h"
#include "harness/report/summary.h"
#include "harness/report/thresholds.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Those that were met are but counted.
void markdown_thresholds(const struct run_result *run, struct text *out, size_t most)
{
    struct threshold_outcomes outcomes;
    size_t left = 0;
    if (!thresholds_any(run))
        return;
    thresholds_decide(run, &outcomes);
    text_format(out, "\n#### Thresholds\n\n%zu met, %zu missed, %zu not measured\n", outcomes.met,
                outcomes.missed, outcomes.not_measured);
    for (size_t i = 0; i < outcomes.count; i++) {
        const struct threshold_outcome *outcome = &outcomes.items[i];
        struct text line = {0};
        struct text sentence = {0};
        if (outcome->result == THRESHOLD_MET)
            continue;
        threshold_sentence(outcome, &sentence);
        text_add(&line, "\n- ");
        markdown_add(&line, outcome->trial->scenario->name);
        text_add(&line, ", ");
        markdown_add(&line, outcome->trial->scheme);
        text_add(&line, ": ");
        markdown_add(&line, text_string(&sentence));
        left += !markdown_fit(out, &line, most);
        text_free(&sentence);
    }
    if (left > 0)
        text_format(out, "\n- and %zu more, in report.html", left);
    text_add(out, "\n");
    thresholds_free(&outcomes);
}

static void add_percentile(struct text *out, const struct scheme_cost *cost, enum latency latency,
                           double percent, bool is_marked)
{
    const struct histogram *histogram = &cost->latencies[latency];
    char text[40];
    text_add(out, "| ");
    // A number and its unit stay together, however narrow the column.
    for (const char *at = cost_percentile(histogram, percent, text, sizeof text); *at != '\0'; at++)
        text_add_bytes(out, *at == ' ' ? "\u00a0" : at, *at == ' ' ? strlen("\u00a0") : 1);
    text_add(out, is_marked && percentile_has_enough(histogram->total, percent) ? "\\* " : " ");
}

static void add_number(struct text *out, const char *format, double value)
{
    text_add(out, "| ");
    if (isfinite(value))
        text_format(out, format, value);
    else
        text_add(out, "–");
    text_add(out, " ");
}

static void add_cost(struct text *out, const struct scheme_cost *cost)
{
    char texts[3][40];
    text_add(out, "| ");
    markdown_add(out, cost->trial->scheme);
    text_format(out, "%s | %s%s", costs_mark(cost->trial),
                rate_text(cost->rate.median, texts[0], sizeof texts[0]),
                cost->driver_bound > 0 ? "\\*" : "");
    if (cost->repeats > 1)
        text_format(out, " (%s–%s)", rate_text(cost->rate.least, texts[1], sizeof texts[1]),
                    rate_text(cost->rate.most, texts[2], sizeof texts[2]));
    text_add(out, " ");
    add_percentile(out, cost, LATENCY_ACQUIRE, 50, cost->late[PERCENTILE_p50] > 0);
    add_percentile(out, cost, LATENCY_ACQUIRE, 99, cost->late[PERCENTILE_p99] > 0);
    add_percentile(out, cost, LATENCY_ACQUIRE, 99.9, cost->late[PERCENTILE_p999] > 0);
    add_percentile(out, cost, LATENCY_ACQUIRE, 100, cost->late[PERCENTILE_max] > 0);
    add_percentile(out, cost, LATENCY_HAND_OFF, 50, false);
    add_number(out, "%.1f", cost->commands_per_hold);
    add_number(out, "%.2f", cost->fairness.count > 0 ? cost->fairness.median : NAN);
    text_add(out, "|\n");
}

// Each scenario has a table of its own: one with a column of scenarios is wider than GitHub's page.
static void begin_table(struct text *out, const struct scenario *scenario)
{
    text_add(out, "\n**");
    markdown_add(out, scenario->name);
    text_add(out, "**\n\n| scheme | locks/s | p50 | p99 | p99.9 | max | hand-off | cmds | Jain |\n"
                  "|---|--:|--:|--:|--:|--:|--:|--:|--:|\n");
}

// A line each, that may wrap: in a block of code they would scroll.
static void add_lines(struct text *out, const struct text *lines, size_t most)
{
    struct text part = {0};
    char *rest = memory_string(text_string(lines));
    char *at = rest;
    for (char *line; (line = strsep(&at, "\n")) != NULL;) {
        if (line[0] == '\0')
            continue;
        text_add(&part, part.length == 0 ? "\n" : "<br>\n");
        markdown_add(&part, line);
    }
    text_add(&part, part.length > 0 ? "\n" : "");
    markdown_fit(out, &part, most);
    free(rest);
}

void markdown_costs(const struct run_result *run, struct text *out, size_t most)
{
    struct text notes = {0};
    size_t left = 0;
    const struct scenario *scenario = NULL;
    bool any_mark = false;
    for (size_t i = 0; i < run->count; i++) {
        struct scheme_cost cost;
        struct text row = {0};
        if (!cost_row_begins_at(run, i))
            continue;
        if (scenario == NULL)
            text_add(out, "\n#### Costs\n\nFrom p50 to max: acquire. Hand-off: p50, to one who "
                          "waited. Cmds: commands for each lock. Jain: fairness. In brackets: the "
                          "least and the most of the repeats.\n");
        if (run->trials[i].trial->scenario != scenario)
            begin_table(&row, run->trials[i].trial->scenario);
        scenario = run->trials[i].trial->scenario;
        scheme_cost_make(run, i, &cost);
        add_cost(&row, &cost);
        if (left > 0 || !markdown_fit(out, &row, most))
            left++;
        else
            costs_add_notes(run, &cost, &notes);
        any_mark = any_mark || *costs_mark(cost.trial) != '\0';
        text_free(&row);
        scheme_cost_free(&cost);
    }
    if (left > 0)
        text_format(out, "\nand %zu more, in report.html\n", left);
    if (any_mark) {
        struct text meaning = {0};
        text_add(&meaning, "\n");
        costs_add_mark_meaning(run, NULL, &meaning);
        text_add(&meaning, "\n");
        markdown_fit(out, &meaning, most);
    }
    add_lines(out, &notes, most);
    text_free(&notes);
}
