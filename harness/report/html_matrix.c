// Which scheme came out how in which scenario.
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

// In large tables, only the verdict: what was found is said where it leads to.
static void add_found(struct text *out, const struct judgement *judgement)
{
    struct text found = {0};
    found_text(judgement, &found);
    text_add(out, "<span class=\"small\">");
    html_add(out, text_string(&found));
    text_add(out, "</span>");
    text_free(&found);
}

static void add_chip(struct page *page, size_t index, size_t repeats, bool large)
{
    const struct trial_result *result = &page->run->trials[index];
    const struct judgement *judgement = &result->judgement;
    struct text *out = &page->text;
    char target[40];
    if (trial_is_unfit(result))
        snprintf(target, sizeof target, "#unfit");
    else
        snprintf(target, sizeof target, "#trial-%zu", index + 1);
    text_add(out, "<div class=\"cell\">");
    html_add_verdict(out, result->judgement.verdict, target);
    if (repeats > 1)
        text_format(out, " ×\u00a0%zu", repeats);
    if (!large && judgement_first_violation(judgement) != NULL)
        add_found(out, judgement);
    if (!large || judgement->expectation == EXPECTATION_MISSED) {
        text_add(out, " ");
        html_add_expectation(out, judgement->expectation);
    }
    text_add(out, "</div>");
}

// `label` is the name of the column, which narrow screens show in the cell.
static void add_cell(struct page *page, size_t scenario, size_t scheme, const char *label,
                     bool large)
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
            bool alike = trials_ended_alike(&trials[members[i]], &trials[members[j]]);
            known = known || (alike && j < i);
            repeats += alike;
        }
        if (!known)
            add_chip(page, members[i], repeats, large);
    }
    free(members);
    text_add(&page->text, "</td>");
}

static void add_meaning(struct text *out, const char *name, const char *meaning)
{
    text_format(out, "<dt>%s</dt><dd>", name);
    html_add(out, meaning);
    text_add(out, "</dd>\n");
}

static void add_verdicts(struct text *out)
{
    static const char *const meanings[] = {
        [VERDICT_SAFE] = ("every property was decided and kept, every fault was proven in effect, "
                          "and traffic flowed meanwhile"),
        [VERDICT_UNSAFE] = "a promise was broken; the properties say which, the story proves it",
        [VERDICT_STUCK] = ("somebody waited and nobody held, but nobody was granted the lock; or a "
                           "release was never answered"),
        [VERDICT_UNKNOWN] = "it could not be decided, and the reason says why",
        [VERDICT_SKIPPED] = "not run: something is missing on this machine",
        [VERDICT_ERROR] = "the harness or its set-up failed: no verdict about the lock",
        [VERDICT_NOT_APPLICABLE] = "not run: the scheme lacks what the scenario asks for",
    };
    for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++)
        add_meaning(out, verdict_name((enum verdict)i), meanings[i]);
    add_meaning(out, "as expected",
                "the scenario said so beforehand. A lock that is UNSAFE as expected is UNSAFE");
}

// What the words mean, once for all trials.
static void add_meanings(struct page *page)
{
    const struct judgement *judgement = NULL;
    struct text *out = &page->text;
    for (size_t i = 0; i < page->run->count && judgement == NULL; i++) {
        if (page->run->trials[i].judgement.finding_count > 0)
            judgement = &page->run->trials[i].judgement;
    }
    text_add(out, "<details class=\"trial\"><summary>What the verdicts and properties mean"
                  "</summary><div class=\"inside\"><dl>\n");
    add_verdicts(out);
    text_add(out, "</dl>\n");
    if (judgement != NULL)
        text_add(out, "<dl>\n");
    for (size_t i = 0; judgement != NULL && i < judgement->finding_count; i++)
        add_meaning(out, judgement->findings[i].check->name, judgement->findings[i].check->summary);
    text_add(out, judgement != NULL ? "</dl></div></details>\n" : "</div></details>\n");
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
    bool large;        // too many cells to have each say more than its verdict
};

#define MOST_COLUMNS 8
#define MOST_CELLS 48

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
    matrix.large = matrix.row_count * matrix.column_count > MOST_CELLS;
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
        add_cell(page, down ? column : row, down ? row : column, name_of(page->run, column, !down),
                 matrix->large);
    }
    text_add(&page->text, "</tr>\n");
}

void html_add_matrix(struct page *page)
{
    const struct run_result *run = page->run;
    struct text *out = &page->text;
    struct matrix matrix = matrix_make(run);
    text_add(out, "<section id=\"verdicts\"><h2>Verdicts</h2>\n");
    if (matrix.large)
        text_add(out, "<p class=\"small quiet\">Each verdict leads to its trial. Those that the "
                      "scenario did not expect are marked.</p>\n");
    html_begin_scroll(out, "Verdicts by scenario and scheme");
    text_format(out, "<table class=\"matrix%s\"><thead><tr><th scope=\"col\">%s</th>",
                matrix.large ? " large" : "", matrix.schemes_down ? "scheme" : "scenario");
    for (size_t i = 0; i < matrix.column_count; i++) {
        text_add(out, "<th scope=\"col\">");
        html_add(out, name_of(run, matrix.columns[i], !matrix.schemes_down));
        text_add(out, "</th>");
    }
    text_add(out, "</tr></thead><tbody>\n");
    for (size_t i = 0; i < matrix.row_count; i++)
        add_row(page, &matrix, matrix.rows[i]);
    text_add(out, "</tbody></table></div>\n");
    if (!matrix.large && has_harmless(run))
        text_add(out, "<p class=\"small quiet\">Properties in parentheses were violated without "
                      "harm.</p>\n");
    add_meanings(page);
    html_add_whole_pictures(page, PLACE_VERDICTS);
    text_add(out, "</section>\n");
    free(matrix.rows);
    free(matrix.columns);
}

void html_add_unfit(struct page *page)
{
    struct text *out = &page->text;
    struct unfit *list;
    size_t count = unfit_list(page->run, &list);
    if (count > 0) {
        text_add(out, "<section id=\"unfit\"><h2>Not applicable</h2>\n");
        html_begin_scroll(out, "Not applicable");
        text_add(out, "<table><thead><tr><th scope=\"col\">scheme</th>"
                      "<th scope=\"col\">trials</th><th scope=\"col\">why</th></tr></thead>"
                      "<tbody>\n");
    }
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
