#include "harness/report/html_rows.h"

#include "harness/report/costs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// A table of more is read by nobody, and result.json has them all.
#define MOST_ROWS 200

// Of two verdicts, that which a reader must not miss.
static bool is_worse(enum verdict verdict, enum verdict than)
{
    static const int gravity[] = {
        [VERDICT_SAFE] = 1,           [VERDICT_UNSAFE] = 5,  [VERDICT_STUCK] = 4,
        [VERDICT_UNKNOWN] = 2,        [VERDICT_SKIPPED] = 0, [VERDICT_ERROR] = 3,
        [VERDICT_NOT_APPLICABLE] = 0,
    };
    return gravity[verdict] > gravity[than];
}

void html_add_verdict_of(struct page *page, const struct scheme_cost *cost)
{
    const struct trial_result *trials = page->run->trials;
    char target[40];
    size_t worst = SIZE_MAX;
    for (size_t i = 0; i < page->run->count; i++) {
        if (cost_row_has(cost, &trials[i]) &&
            (worst == SIZE_MAX ||
             is_worse(trials[i].judgement.verdict, trials[worst].judgement.verdict)))
            worst = i;
    }
    snprintf(target, sizeof target, "#trial-%zu", worst + 1);
    text_add(&page->text, "<td class=\"word\">");
    if (worst != SIZE_MAX)
        html_add_verdict(&page->text, trials[worst].judgement.verdict, target);
    text_add(&page->text, "</td>");
}

void html_add_percentile(struct text *out, const struct histogram *histogram, double percent)
{
    char text[32];
    text_format(out, "<td>%s</td>", cost_percentile(histogram, percent, text, sizeof text));
}

void html_add_number(struct text *out, const char *format, double value)
{
    char text[40] = "–";
    if (isfinite(value))
        snprintf(text, sizeof text, format, value);
    text_format(out, "<td>%s</td>", text);
}

// Bars compare the schemes within one scenario: across scenarios they would mean nothing. Locks
// that let everybody in are fast, and no measure for the others.
static double highest_rate(const struct run_result *run, const struct scenario *scenario)
{
    double highest[2] = {0, 0};
    for (size_t i = 0; i < run->count; i++) {
        const struct trial_result *result = &run->trials[i];
        bool is_kept = judgement_first_violation(&result->judgement) == NULL;
        if (result->trial->scenario == scenario)
            highest[is_kept] = fmax(highest[is_kept], result->statistics.holds_per_second);
    }
    return highest[1] > 0 ? highest[1] : highest[0];
}

// The groups, above the names.
static void add_groups(struct text *out, const struct html_heading *headings)
{
    text_add(out, "<tr><td></td>");
    for (size_t i = 0; headings[i].name != NULL;) {
        size_t end = i + 1;
        while (headings[end].name != NULL && strcmp(headings[end].group, headings[i].group) == 0)
            end++;
        if (headings[i].group[0] == '\0')
            text_format(out, "<td colspan=\"%zu\"></td>", end - i);
        else
            text_format(out, "<th scope=\"colgroup\" colspan=\"%zu\">%s</th>", end - i,
                        headings[i].group);
        i = end;
    }
    text_add(out, "</tr>");
}

static void add_head(struct text *out, const char *name, const struct html_heading *headings)
{
    text_format(out, "<h3>%s</h3>\n", name);
    html_begin_scroll(out, name);
    text_add(out, "<table class=\"costs\"><thead>");
    add_groups(out, headings);
    text_add(out, "<tr><th scope=\"col\">scheme</th>");
    for (size_t i = 0; headings[i].name != NULL; i++)
        text_format(out, "<th scope=\"col\"%s>%s</th>",
                    strcmp(headings[i].name, "verdict") == 0 ? " class=\"word\"" : "",
                    headings[i].name);
    text_add(out, "</tr></thead>\n");
}

static void begin_scenario(struct text *out, const struct scenario *scenario, size_t columns,
                           bool is_first)
{
    text_format(out, "%s<tbody><tr><th class=\"group\" scope=\"rowgroup\" colspan=\"%zu\">",
                is_first ? "" : "</tbody>", columns);
    html_add(out, scenario->name);
    text_add(out, "</th></tr>\n");
}

static void add_scheme(struct text *out, const struct scheme_cost *cost)
{
    text_add(out, "<tr><th scope=\"row\">");
    html_add(out, cost->trial->scheme);
    text_add(out, costs_mark(cost->trial));
    if (cost->repeats > 1)
        text_format(out, " <small>× %zu</small>", cost->repeats);
    text_add(out, "</th>");
}

void html_add_cost_table(struct page *page, const char *name, const struct html_heading *headings,
                         void (*add)(struct page *page, const struct scheme_cost *cost,
                                     double highest))
{
    const struct run_result *run = page->run;
    const struct scenario *scenario = NULL;
    struct text *out = &page->text;
    size_t columns = 1;
    size_t rows = 0;
    while (headings[columns - 1].name != NULL)
        columns++;
    add_head(out, name, headings);
    for (size_t i = 0; i < run->count; i++) {
        struct scheme_cost cost;
        if (!cost_row_begins_at(run, i) || rows++ >= MOST_ROWS)
            continue;
        if (run->trials[i].trial->scenario != scenario)
            begin_scenario(out, run->trials[i].trial->scenario, columns, scenario == NULL);
        scenario = run->trials[i].trial->scenario;
        scheme_cost_make(run, i, &cost);
        add_scheme(out, &cost);
        add(page, &cost, highest_rate(run, scenario));
        text_add(out, "</tr>\n");
        scheme_cost_free(&cost);
    }
    text_format(out, "%s</table></div>\n", scenario != NULL ? "</tbody>" : "");
    if (rows > MOST_ROWS)
        text_format(out, "<p class=\"small quiet\">And %zu more, in result.json.</p>\n",
                    rows - MOST_ROWS);
}
