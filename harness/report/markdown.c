// Each part is made for itself, in the room that it may take at most; the table of verdicts, which
// comes first, gets what the others leave.
#include "harness/report/markdown.h"

#include "harness/check/expectation.h"
#include "harness/report/markdown_parts.h"
#include "harness/report/summary.h"

#include <stdio.h>
#include <string.h>

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

static void add_lead(const struct run_result *run, struct text *out)
{
    struct text sentence = {0};
    summary_sentence(run, &sentence);
    text_add(out, "### Lockpick\n\n");
    markdown_add(out, text_string(&sentence));
    text_add(out, "\n\n");
    text_free(&sentence);
    if (run->remarks != NULL && run->remarks[0] != '\0') {
        markdown_add(out, run->remarks);
        text_add(out, "\n\n");
    }
}

// What a line that counts the rest takes at most.
#define LINE_BYTES 100

char *report_markdown_within(const struct run_result *run, size_t most_bytes)
{
    struct text out = {0};
    struct text rest = {0};
    struct text environment = {0};
    add_lead(run, &out);
    add_environment(run, &environment);
    add_stories(run, &rest, most_bytes * 2 / 5);
    markdown_thresholds(run, &rest, most_bytes / 2);
    markdown_costs(run, &rest, most_bytes * 7 / 10);
    size_t taken = rest.length + environment.length + 4 * LINE_BYTES;
    add_verdicts(run, &out, most_bytes > taken ? most_bytes - taken : 0);
    (void)markdown_fit(&out, &rest, most_bytes);
    (void)markdown_fit(&out, &environment, most_bytes);
    return out.bytes;
}

char *report_markdown(const struct run_result *run)
{
    return report_markdown_within(run, 65000);
}
