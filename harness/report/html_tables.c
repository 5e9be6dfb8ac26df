#include "harness/report/html.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool same_scheme(const struct trial_result *a, const struct trial_result *b)
{
    return strcmp(a->trial->scheme, b->trial->scheme) == 0;
}

static bool same_scenario(const struct trial_result *a, const struct trial_result *b)
{
    return a->trial->scenario == b->trial->scenario;
}

// Indices of the trials that are the first of their kind, in order. The caller frees.
static size_t *firsts(const struct run_result *run,
                      bool (*same)(const struct trial_result *, const struct trial_result *),
                      size_t *count)
{
    size_t *first = memory_new(run->count * sizeof *first);
    *count = 0;
    for (size_t i = 0; i < run->count; i++) {
        bool known = false;
        for (size_t j = 0; j < *count && !known; j++)
            known = same(&run->trials[first[j]], &run->trials[i]);
        if (!known)
            first[(*count)++] = i;
    }
    return first;
}

// Repeats that ended alike share one chip.
static bool ended_alike(const struct trial_result *a, const struct trial_result *b)
{
    struct text found_a = {0};
    struct text found_b = {0};
    found_text(&a->judgement, &found_a);
    found_text(&b->judgement, &found_b);
    bool alike = a->judgement.verdict == b->judgement.verdict &&
                 a->judgement.expectation == b->judgement.expectation &&
                 strcmp(text_string(&found_a), text_string(&found_b)) == 0;
    text_free(&found_a);
    text_free(&found_b);
    return alike;
}

static void add_chip(struct page *page, size_t index, size_t repeats)
{
    const struct trial_result *result = &page->run->trials[index];
    struct text *out = &page->text;
    char target[40];
    if (trial_is_unfit(result))
        snprintf(target, sizeof target, "#unfit");
    else
        snprintf(target, sizeof target, "#trial-%zu", index + 1);
    text_add(out, "<div class=\"cell\">");
    html_add_verdict(out, result->judgement.verdict, target);
    if (repeats > 1)
        text_format(out, " × %zu", repeats);
    if (judgement_first_violation(&result->judgement) != NULL) {
        struct text found = {0};
        found_text(&result->judgement, &found);
        text_add(out, "<span class=\"small\">");
        html_add(out, text_string(&found));
        text_add(out, "</span>");
        text_free(&found);
    }
    text_add(out, " ");
    html_add_expectation(out, result->judgement.expectation);
    text_add(out, "</div>");
}

// `label` is the name of the column, which narrow screens show in the cell.
static void add_cell(struct page *page, size_t scenario, size_t scheme, const char *label)
{
    const struct run_result *run = page->run;
    const struct trial_result *trials = run->trials;
    size_t *members = memory_new(run->count * sizeof *members);
    size_t count = 0;
    for (size_t i = 0; i < run->count; i++) {
        if (same_scenario(&trials[i], &trials[scenario]) &&
            same_scheme(&trials[i], &trials[scheme]))
            members[count++] = i;
    }
    text_add(&page->text, "<td");
    if (count > 0) {
        text_add(&page->text, " data-label=\"");
        html_add(&page->text, label);
        text_add(&page->text, "\"");
    }
    text_add(&page->text, ">");
    for (size_t i = 0; i < count; i++) {
        size_t repeats = 0;
        bool known = false;
        for (size_t j = 0; j < count; j++) {
            bool alike = ended_alike(&trials[members[i]], &trials[members[j]]);
            known = known || (alike && j < i);
            repeats += alike;
        }
        if (!known)
            add_chip(page, members[i], repeats);
    }
    free(members);
    text_add(&page->text, "</td>");
}

// What the properties mean, once for all trials.
static void add_meanings(struct page *page)
{
    const struct judgement *judgement = NULL;
    struct text *out = &page->text;
    for (size_t i = 0; i < page->run->count && judgement == NULL; i++) {
        if (page->run->trials[i].judgement.finding_count > 0)
            judgement = &page->run->trials[i].judgement;
    }
    if (judgement == NULL)
        return;
    text_add(out, "<details class=\"trial\"><summary>What the properties mean</summary>"
                  "<dl class=\"inside\">\n");
    for (size_t i = 0; i < judgement->finding_count; i++) {
        text_format(out, "<dt>%s</dt><dd>", judgement->findings[i].check->name);
        html_add(out, judgement->findings[i].check->summary);
        text_add(out, "</dd>\n");
    }
    text_add(out, "</dl></details>\n");
}

// True if the matrix shows a property in parentheses.
static bool has_harmless(const struct run_result *run)
{
    for (size_t i = 0; i < run->count; i++) {
        const struct judgement *judgement = &run->trials[i].judgement;
        for (size_t j = 0; j < judgement->finding_count; j++) {
            const struct finding *finding = &judgement->findings[j];
            if (finding->state == FINDING_VIOLATED && finding->harmless &&
                judgement_first_violation(judgement) != NULL)
                return true;
        }
    }
    return false;
}

// The trials that name the rows, and those that name the columns.
struct matrix {
    size_t *rows, *columns;
    size_t row_count, column_count;
    bool schemes_down; // each row is a scheme, because there are many of them
};

#define MOST_COLUMNS 8

static struct matrix matrix_make(const struct run_result *run)
{
    struct matrix matrix = {0};
    size_t schemes;
    size_t scenarios;
    size_t *of_schemes = firsts(run, same_scheme, &schemes);
    size_t *of_scenarios = firsts(run, same_scenario, &scenarios);
    matrix.schemes_down = schemes > MOST_COLUMNS && schemes > scenarios;
    matrix.rows = matrix.schemes_down ? of_schemes : of_scenarios;
    matrix.columns = matrix.schemes_down ? of_scenarios : of_schemes;
    matrix.row_count = matrix.schemes_down ? schemes : scenarios;
    matrix.column_count = matrix.schemes_down ? scenarios : schemes;
    return matrix;
}

static const char *name_of(const struct run_result *run, size_t trial, bool scheme)
{
    return scheme ? run->trials[trial].trial->scheme : run->trials[trial].trial->scenario->name;
}

static void add_row(struct page *page, const struct matrix *matrix, size_t row)
{
    bool down = matrix->schemes_down;
    text_add(&page->text, "<tr><th scope=\"row\">");
    html_add(&page->text, name_of(page->run, row, down));
    text_add(&page->text, "</th>");
    for (size_t i = 0; i < matrix->column_count; i++) {
        size_t column = matrix->columns[i];
        add_cell(page, down ? column : row, down ? row : column, name_of(page->run, column, !down));
    }
    text_add(&page->text, "</tr>\n");
}

void html_add_matrix(struct page *page)
{
    const struct run_result *run = page->run;
    struct text *out = &page->text;
    struct matrix matrix = matrix_make(run);
    text_format(out,
                "<section id=\"verdicts\"><h2>Verdicts</h2>\n<div class=\"scroll\" "
                "tabindex=\"0\"><table class=\"matrix\"><thead><tr><th scope=\"col\">%s</th>",
                matrix.schemes_down ? "scheme" : "scenario");
    for (size_t i = 0; i < matrix.column_count; i++) {
        text_add(out, "<th scope=\"col\">");
        html_add(out, name_of(run, matrix.columns[i], !matrix.schemes_down));
        text_add(out, "</th>");
    }
    text_add(out, "</tr></thead><tbody>\n");
    for (size_t i = 0; i < matrix.row_count; i++)
        add_row(page, &matrix, matrix.rows[i]);
    text_add(out, "</tbody></table></div>\n");
    if (has_harmless(run))
        text_add(out, "<p class=\"small quiet\">Properties in parentheses were violated without "
                      "harm.</p>\n");
    add_meanings(page);
    text_add(out, "</section>\n");
    free(matrix.rows);
    free(matrix.columns);
}

void html_add_unfit(struct page *page)
{
    struct text *out = &page->text;
    struct unfit *list;
    size_t count = unfit_list(page->run, &list);
    if (count > 0)
        text_add(out, "<section id=\"unfit\"><h2>Not applicable</h2>\n<div class=\"scroll\" "
                      "tabindex=\"0\"><table><thead><tr><th scope=\"col\">scheme</th>"
                      "<th scope=\"col\">trials</th><th scope=\"col\">why</th></tr></thead>"
                      "<tbody>\n");
    for (size_t i = 0; i < count; i++) {
        text_add(out, "<tr><th scope=\"row\">");
        html_add(out, list[i].scheme);
        text_format(out, "</th><td>%zu</td><td>", list[i].count);
        html_add(out, list[i].reason);
        text_add(out, "</td></tr>\n");
    }
    if (count > 0)
        text_add(out, "</tbody></table></div></section>\n");
    free(list);
}

// Bars compare the schemes within one scenario: across scenarios they would mean nothing.
static double highest_rate(const struct run_result *run, size_t index)
{
    double highest = 0;
    for (size_t i = 0; i < run->count; i++) {
        double rate = run->trials[i].statistics.holds_per_second;
        if (same_scenario(&run->trials[i], &run->trials[index]) && rate > highest)
            highest = rate;
    }
    return highest;
}

static void add_number(struct text *out, const char *text)
{
    text_format(out, "<td>%s</td>", text);
}

static void add_costs_row(struct page *page, size_t index)
{
    const struct trial_result *result = &page->run->trials[index];
    const struct statistics *statistics = &result->statistics;
    struct text *out = &page->text;
    struct text scheme = {0};
    char text[64];
    scheme_text(result->trial, &scheme);
    text_add(out, "<tr><th scope=\"row\">");
    html_add(out, text_string(&scheme));
    text_add(out, "</th><td class=\"word\">");
    text_free(&scheme);
    snprintf(text, sizeof text, "#trial-%zu", index + 1);
    html_add_verdict(out, result->judgement.verdict, text);
    double highest = highest_rate(page->run, index);
    text_format(out, "</td><td class=\"bar\" style=\"--share:%.0f%%\">%s</td>",
                highest > 0 ? 100 * statistics->holds_per_second / highest : 0,
                rate_text(statistics->holds_per_second, text, sizeof text));
    const struct percentiles *acquire = &statistics->acquire;
    const struct percentiles *hand_off = &statistics->hand_off;
    add_number(out, latency_text(acquire, acquire->p50_ns, text, sizeof text));
    add_number(out, latency_text(acquire, acquire->p99_ns, text, sizeof text));
    add_number(out, latency_text(acquire, acquire->p999_ns, text, sizeof text));
    add_number(out, latency_text(hand_off, hand_off->p50_ns, text, sizeof text));
    add_number(out, latency_text(hand_off, hand_off->p99_ns, text, sizeof text));
    add_number(out, text_duration(statistics->longest_wait_ns, text, sizeof text));
    text_format(out, "<td>%.3f</td><td>%.2f</td></tr>\n", statistics->fairness,
                statistics->attempts_per_hold);
}

void html_add_costs(struct page *page)
{
    static const char *const headings[] = {"holds/s",       "acquire p50",  "acquire p99",
                                           "acquire p99.9", "hand-off p50", "hand-off p99",
                                           "longest wait",  "fairness",     "attempts/hold"};
    const size_t columns = sizeof headings / sizeof *headings;
    struct text *out = &page->text;
    text_add(out, "<section id=\"costs\"><h2>Costs</h2>\n<p class=\"quiet small\">Holds per "
                  "second mislead alone: a longer back-off raises them while somebody waits. "
                  "Fairness is Jain's index, 1 when all workers got the same.</p>\n"
                  "<div class=\"scroll\" tabindex=\"0\"><table class=\"costs\"><thead><tr>"
                  "<th scope=\"col\">scheme</th><th class=\"word\" scope=\"col\">verdict</th>");
    for (size_t i = 0; i < columns; i++)
        text_format(out, "<th scope=\"col\">%s</th>", headings[i]);
    text_add(out, "</tr></thead>\n");
    const struct scenario *scenario = NULL;
    for (size_t i = 0; i < page->run->count; i++) {
        const struct trial_result *result = &page->run->trials[i];
        if (!result->has_history)
            continue;
        if (result->trial->scenario != scenario) {
            text_format(out, "%s<tbody><tr><th scope=\"rowgroup\" colspan=\"%zu\">",
                        scenario != NULL ? "</tbody>" : "", columns + 2);
            scenario = result->trial->scenario;
            html_add(out, scenario->name);
            text_add(out, "</th></tr>\n");
        }
        add_costs_row(page, i);
    }
    text_format(out, "%s</table></div></section>\n", scenario != NULL ? "</tbody>" : "");
}
