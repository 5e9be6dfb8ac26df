// Each part is made for itself, in the room that it may take at most; the table of verdicts, which
// comes first, gets what the others leave.
#include "harness/report/markdown.h"

#include "harness/check/expectation.h"
#include "harness/report/costs.h"
#include "harness/report/figures.h"
#include "harness/report/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- text ---------------------------------------------------------------------------------------

// Adds text so that no character means anything to Markdown or HTML, not even inside of a table.
static void markdown_add(struct text *out, const char *text)
{
    for (; *text != '\0'; text++) {
        if (strchr("|&<>*_`~[]\\", *text) != NULL)
            text_format(out, "&#%d;", *text);
        else
            text_add_bytes(out, strchr("\r\n", *text) != NULL ? " " : text, 1);
    }
}

// The same as the cell of a table, without the bar behind it.
static void markdown_cell(struct text *out, const char *text)
{
    text_add(out, "| ");
    markdown_add(out, text);
    text_add(out, " ");
}

// Adds `part`, and empties it, if the whole stays below `most` bytes.
static bool markdown_fit(struct text *out, struct text *part, size_t most)
{
    bool fits = out->length + part->length < most;
    if (fits)
        text_add(out, text_string(part));
    text_free(part);
    *part = (struct text){0};
    return fits;
}

// Adds text as a block of code, which nothing in it ends.
static void markdown_block(struct text *out, const char *text)
{
    struct text fence = {0};
    size_t longest = 2;
    for (const char *at = text; *at != '\0';) {
        size_t length = strspn(at, "`");
        longest = length > longest ? length : longest;
        at += length > 0 ? length : 1;
    }
    for (size_t i = 0; i <= longest; i++)
        text_add(&fence, "`");
    text_format(out, "%stext\n%s%s%s\n", text_string(&fence), text,
                text[0] != '\0' && text[strlen(text) - 1] == '\n' ? "" : "\n", text_string(&fence));
    text_free(&fence);
}

// --- verdicts ------------------------------------------------------------------------------------

bool markdown_is_urgent(const struct trial_result *result)
{
    const struct judgement *judgement = &result->judgement;
    return judgement->expectation == EXPECTATION_MISSED || judgement->verdict == VERDICT_ERROR ||
           (judgement->verdict == VERDICT_UNKNOWN && !trial_is_measurement(result));
}

static void add_expected_cell(struct text *out, const struct expectation *expectation)
{
    struct text cell = {0};
    if (expectation == NULL)
        text_add(&cell, "–");
    else
        expectation_describe(expectation, &cell);
    markdown_cell(out, text_string(&cell));
    text_free(&cell);
}

// "✗ UNSAFE": the sign tells whether that is as expected.
static void add_verdict(struct text *out, const struct judgement *judgement)
{
    if (judgement->expectation == EXPECTATION_MISSED || judgement->verdict == VERDICT_ERROR)
        text_add(out, "✗ ");
    else if (judgement->verdict == VERDICT_UNKNOWN || judgement->verdict == VERDICT_SKIPPED)
        text_add(out, "? ");
    else if (judgement->expectation == EXPECTATION_MET)
        text_add(out, "✓ ");
    text_add(out, verdict_name(judgement->verdict));
}

static void add_verdict_cell(struct text *out, const struct judgement *judgement)
{
    struct text found = {0};
    struct text cell = {0};
    add_verdict(&cell, judgement);
    found_text(judgement, &found);
    if (judgement_first_violation(judgement) != NULL)
        text_format(&cell, text_string(&found)[0] == '(' ? " %s" : " (%s)", text_string(&found));
    markdown_cell(out, text_string(&cell));
    text_free(&found);
    text_free(&cell);
}

// How many repeats came out like this one, itself included; 0 if one before it tells of them.
static size_t alike(const struct run_result *run, size_t index)
{
    const struct trial_result *result = &run->trials[index];
    size_t count = 0;
    for (size_t i = 0; i < run->count; i++) {
        const struct trial_result *other = &run->trials[i];
        if (other->trial->scenario != result->trial->scenario ||
            strcmp(other->trial->scheme, result->trial->scheme) != 0 ||
            !trials_ended_alike(other, result))
            continue;
        if (i < index)
            return 0;
        count++;
    }
    return count;
}

static void add_row(struct text *out, const struct trial_result *result, size_t repeats)
{
    struct text scheme = {0};
    text_add(&scheme, result->trial->scheme);
    if (repeats > 1)
        text_format(&scheme, " × %zu", repeats);
    markdown_cell(out, result->trial->scenario->name);
    markdown_cell(out, text_string(&scheme));
    add_expected_cell(out, result->trial->expectation);
    add_verdict_cell(out, &result->judgement);
    text_add(out, "|\n");
    text_free(&scheme);
}

// In which rows the trials are that one table tells of, or both do.
struct rows {
    const struct run_result *run;
    bool urgent, others;
};

static bool has_row(const struct rows *rows, size_t index)
{
    return markdown_is_urgent(&rows->run->trials[index]) ? rows->urgent : rows->others;
}

// Returns how many trials there was no room for; `most` is that of all of `out`.
static size_t add_rows(const struct rows *rows, struct text *out, size_t most)
{
    size_t left = 0;
    for (int urgent = 1; urgent >= 0; urgent--) {
        for (size_t i = 0; i < rows->run->count; i++) {
            struct text row = {0};
            if (!has_row(rows, i) || markdown_is_urgent(&rows->run->trials[i]) != (urgent == 1))
                continue;
            size_t repeats = alike(rows->run, i);
            if (repeats == 0)
                continue;
            add_row(&row, &rows->run->trials[i], repeats);
            if (left > 0 || !markdown_fit(out, &row, most))
                left += repeats;
            text_free(&row);
        }
    }
    return left;
}

// A table of more begins with what is urgent, and the rest is folded.
#define MOST_OPEN_ROWS 20

static void add_verdicts(const struct run_result *run, struct text *out, size_t most)
{
    static const char heading[] = "| scenario | scheme | expected | verdict |\n|---|---|---|---|\n";
    struct rows rows = {run, true, run->count <= MOST_OPEN_ROWS};
    size_t urgent = 0;
    for (size_t i = 0; i < run->count; i++)
        urgent += markdown_is_urgent(&run->trials[i]);
    size_t left = 0;
    if (rows.others || urgent > 0) {
        text_add(out, heading);
        left = add_rows(&rows, out, most);
    }
    if (!rows.others && urgent < run->count && left == 0) {
        rows = (struct rows){run, false, true};
        text_format(out, "\n<details><summary>The verdicts of the %s%zu trials</summary>\n\n%s",
                    urgent > 0 ? "other " : "", run->count - urgent, heading);
        left = add_rows(&rows, out, most);
        text_add(out, "\n</details>\n");
    } else if (!rows.others) {
        left += run->count - urgent;
    }
    if (left > 0)
        text_format(out, "\nand %zu more, in report.html\n", left);
}

// --- stories -------------------------------------------------------------------------------------

static void add_story(struct text *out, const struct trial_result *result)
{
    const struct judgement *judgement = &result->judgement;
    text_add(out, "<details><summary>");
    add_verdict(out, judgement);
    text_add(out, ": ");
    markdown_add(out, result->trial->scenario->name);
    text_add(out, ", ");
    markdown_add(out, result->trial->scheme);
    if (result->trial->repeat > 1)
        text_format(out, " (repeat %d)", result->trial->repeat);
    text_add(out, "</summary>\n\n");
    if (judgement->expectation_text[0] != '\0') {
        markdown_add(out, judgement->expectation_text);
        text_add(out, "\n\n");
    }
    markdown_add(out, judgement->reason);
    text_add(out, "\n\n");
    if (result->story != NULL && result->story[0] != '\0')
        markdown_block(out, result->story);
    text_add(out, "\n</details>\n");
}

static void add_stories(const struct run_result *run, struct text *out, size_t most)
{
    size_t left = 0;
    bool any = false;
    for (size_t i = 0; i < run->count; i++) {
        struct text story = {0};
        if (!markdown_is_urgent(&run->trials[i]))
            continue;
        if (!any)
            text_add(out, "\n#### Not as expected, or not decided\n\n");
        any = true;
        add_story(&story, &run->trials[i]);
        left += !markdown_fit(out, &story, most);
    }
    if (left > 0)
        text_format(out, "\nThe stor%s of %zu more %s in report.html.\n", left == 1 ? "y" : "ies",
                    left, left == 1 ? "is" : "are");
}

// --- thresholds and costs -----------------------------------------------------------------------

// Those that were met are but counted.
static void add_thresholds(const struct threshold_outcomes *outcomes, struct text *out, size_t most)
{
    size_t left = 0;
    if (outcomes->count == 0)
        return;
    text_format(out, "\n#### Thresholds\n\n%zu met, %zu missed, %zu not measured\n", outcomes->met,
                outcomes->missed, outcomes->not_measured);
    for (size_t i = 0; i < outcomes->count; i++) {
        const struct threshold_outcome *outcome = &outcomes->items[i];
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
}

// A number and its unit stay together, however narrow the column.
static void add_figure(struct text *out, enum figure figure, const struct scheme_cost *cost)
{
    double value = figure_of(figure, cost, true);
    char text[40];
    text_add(out, "| ");
    for (const char *at = figure_text(figure, value, text, sizeof text); *at != '\0'; at++)
        text_add_bytes(out, *at == ' ' ? "\u00a0" : at, *at == ' ' ? strlen("\u00a0") : 1);
    text_add(out, isfinite(value) && figure_is_drivers(figure, cost) ? "\\*" : "");
    if (figure == FIGURE_RATE && cost->repeats > 1) {
        text_format(out, " (%s–", rate_text(cost->rate.least, text, sizeof text));
        text_format(out, "%s)", rate_text(cost->rate.most, text, sizeof text));
    }
    text_add(out, " ");
}

static void add_cost(struct text *out, const struct scheme_cost *cost)
{
    text_add(out, "| ");
    markdown_add(out, cost->trial->scheme);
    text_format(out, "%s ", costs_mark(cost->trial));
    for (enum figure figure = 0; figure < FIGURE_COUNT; figure++) {
        if (figure_is(figure, IN_MARKDOWN))
            add_figure(out, figure, cost);
    }
    text_add(out, "|\n");
}

// Each scenario has a table of its own: one with a column of scenarios is wider than GitHub's page.
static void begin_table(struct text *out, const struct scenario *scenario)
{
    struct text rule = {0};
    text_add(out, "\n**");
    markdown_add(out, scenario->name);
    text_add(out, "**\n\n| scheme |");
    for (enum figure figure = 0; figure < FIGURE_COUNT; figure++) {
        const struct figure_form *form = &figure_forms[figure];
        if (!figure_is(figure, IN_MARKDOWN))
            continue;
        text_format(out, " %s |",
                    form->markdown != NULL ? form->markdown
                    : form->brief != NULL  ? form->brief
                                           : figure_title(figure));
        text_add(&rule, "--:|");
    }
    text_format(out, "\n|---|%s\n", rule.bytes);
    text_free(&rule);
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

static void add_costs(const struct run_report *report, struct text *out, size_t most)
{
    struct text notes = {0};
    struct text meaning = {0};
    size_t left = 0;
    const struct scenario *scenario = NULL;
    for (size_t i = 0; i < report->cost_count; i++) {
        const struct scheme_cost *cost = &report->costs[i];
        struct text row = {0};
        if (!run_report_has_row(report, cost))
            continue;
        if (scenario == NULL)
            text_add(out, "\n#### Costs\n\nFrom p50 to max: acquire. Hand-off: p50, to one who "
                          "waited. Cmds: commands for each lock. Jain: fairness. In brackets: the "
                          "least and the most of the repeats.\n");
        if (cost->trial->scenario != scenario)
            begin_table(&row, cost->trial->scenario);
        scenario = cost->trial->scenario;
        add_cost(&row, cost);
        if (left > 0 || !markdown_fit(out, &row, most))
            left++;
        else
            costs_add_notes(cost, &notes);
        text_free(&row);
    }
    if (left > 0)
        text_format(out, "\nand %zu more, in report.html\n", left);
    if (scenario != NULL)
        costs_add_mark_meaning(report->run, NULL, &meaning);
    if (meaning.length > 0) {
        struct text line = {0};
        text_format(&line, "\n%s\n", meaning.bytes);
        markdown_fit(out, &line, most);
    }
    add_lines(out, &notes, most);
    text_free(&meaning);
    text_free(&notes);
}

// --- all of it -----------------------------------------------------------------------------------

static void add_environment(const struct run_result *run, struct text *out)
{
    const struct environment *environment = &run->environment;
    const char *const texts[] = {environment->servers,   environment->durability,
                                 environment->placement, environment->isolation,
                                 environment->kernel,    environment->processor};
    text_add(out, "\n");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (texts[i][0] == '\0')
            continue;
        markdown_add(out, texts[i]);
        text_add(out, " · ");
    }
    size_t before = out->length;
    machine_sentence(run, out);
    if (out->length > before)
        text_add(out, " · ");
    text_format(out, "seed %llu", (unsigned long long)run->seed);
    if (environment->lockpick_version[0] != '\0') {
        text_add(out, " · Lockpick ");
        markdown_add(out, environment->lockpick_version);
    }
    text_add(out, "\n");
}

static void add_lead(const struct run_report *report, struct text *out)
{
    const char *remarks = report->run->remarks;
    struct text sentence = {0};
    summary_sentence(report, &sentence);
    text_add(out, "### Lockpick\n\n");
    markdown_add(out, text_string(&sentence));
    text_add(out, "\n\n");
    text_free(&sentence);
    if (remarks != NULL && remarks[0] != '\0') {
        markdown_add(out, remarks);
        text_add(out, "\n\n");
    }
}

// What a line that counts the rest takes at most.
#define LINE_BYTES 100

char *report_markdown_within(const struct run_report *report, size_t most_bytes)
{
    const struct run_result *run = report->run;
    struct text out = {0};
    struct text rest = {0};
    struct text environment = {0};
    add_lead(report, &out);
    add_environment(run, &environment);
    add_stories(run, &rest, most_bytes * 2 / 5);
    add_thresholds(&report->thresholds, &rest, most_bytes / 2);
    add_costs(report, &rest, most_bytes * 7 / 10);
    size_t taken = rest.length + environment.length + 4 * LINE_BYTES;
    add_verdicts(run, &out, most_bytes > taken ? most_bytes - taken : 0);
    (void)markdown_fit(&out, &rest, most_bytes);
    (void)markdown_fit(&out, &environment, most_bytes);
    return out.bytes;
}

char *report_markdown(const struct run_report *report)
{
    return report_markdown_within(report, 65000);
}
