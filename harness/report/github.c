#include "harness/report/github.h"

#include "harness/report/junit.h"
#include "harness/report/summary.h"

#include <stdlib.h>
#include <string.h>

// Values of properties end at a comma or a colon too.
static void print_escaped(FILE *out, const char *text, bool in_property)
{
    for (; *text != '\0'; text++) {
        if (strchr("%\r\n", *text) != NULL || (in_property && strchr(":,", *text) != NULL))
            fprintf(out, "%%%02X", (unsigned)*text);
        else
            fputc(*text, out);
    }
}

// `::error file=pause.yaml,line=12,title=pause%3A none::`, and then the message.
static void begin_annotation(FILE *out, const char *command, const struct trial *trial)
{
    struct text title = {0};
    text_format(&title, "%s: ", trial->scenario->name);
    scheme_text(trial, &title);
    fprintf(out, "::%s file=", command);
    print_escaped(out, trial->scenario->path, true);
    fprintf(out, ",line=%d,title=", trial_line(trial));
    print_escaped(out, text_string(&title), true);
    fputs("::", out);
    text_free(&title);
}

static void annotate(FILE *out, const char *command, const struct trial_result *result)
{
    const struct judgement *judgement = &result->judgement;
    struct text message = {0};
    if (judgement->expectation_text[0] != '\0')
        text_format(&message, "%s\n", judgement->expectation_text);
    text_add(&message, judgement->reason);
    if (result->folder != NULL)
        text_format(&message, "\nfiles: %s", result->folder);
    begin_annotation(out, command, result->trial);
    print_escaped(out, text_string(&message), false);
    fputc('\n', out);
    text_free(&message);
}

static bool is_error(const struct trial_result *result)
{
    return result->judgement.expectation == EXPECTATION_MISSED ||
           result->judgement.verdict == VERDICT_ERROR;
}

static bool is_warning(const struct trial_result *result)
{
    return !is_error(result) && result->judgement.verdict == VERDICT_UNKNOWN;
}

static bool is_skipped(const struct trial_result *result)
{
    return !is_error(result) && result->judgement.verdict == VERDICT_SKIPPED;
}

// One for each reason, at the first trial that has it: GitHub shows ten annotations of a kind for
// each step.
static void annotate_skipped(FILE *out, const struct run_result *run)
{
    for (size_t i = 0; i < run->count; i++) {
        const struct trial_result *first = &run->trials[i];
        size_t before = 0;
        size_t all = 0;
        if (!is_skipped(first))
            continue;
        for (size_t j = 0; j < run->count; j++) {
            bool same = is_skipped(&run->trials[j]) &&
                        strcmp(run->trials[j].judgement.reason, first->judgement.reason) == 0;
            before += same && j < i;
            all += same;
        }
        if (before > 0)
            continue;
        begin_annotation(out, run->strict ? "error" : "warning", first->trial);
        fprintf(out, "%zu trial%s skipped: ", all, all == 1 ? "" : "s");
        print_escaped(out, first->judgement.reason, false);
        fputc('\n', out);
    }
}

// Prints what is no command so that the runner takes no line of it for one: it looks for "::" where
// a line begins, blanks or not, and for "##[" anywhere.
static void print_plain(FILE *out, const char *text)
{
    bool at_start = true;
    for (; *text != '\0'; text++) {
        if (at_start && strncmp(text, "::", 2) == 0)
            fputs("| ", out);
        fputc(*text, out);
        if (strncmp(text, "##[", 3) == 0)
            fputc(' ', out);
        at_start = *text == '\n' || *text == '\r' || (at_start && strchr(" \t\v\f", *text) != NULL);
    }
    if (!at_start)
        fputc('\n', out);
}

static void print_story(FILE *out, const struct trial_result *result)
{
    struct text scheme = {0};
    scheme_text(result->trial, &scheme);
    fprintf(out, "::group::%s ", verdict_name(result->judgement.verdict));
    print_escaped(out, result->trial->scenario->name, false);
    fputs(": ", out);
    print_escaped(out, text_string(&scheme), false);
    fputc('\n', out);
    print_plain(out, result->judgement.reason);
    print_plain(out, result->story);
    fputs("::endgroup::\n", out);
    text_free(&scheme);
}

void report_github(const struct run_result *run, FILE *out)
{
    for (size_t i = 0; i < run->count; i++) {
        if (is_error(&run->trials[i]))
            annotate(out, "error", &run->trials[i]);
    }
    for (size_t i = 0; i < run->count; i++) {
        if (is_warning(&run->trials[i]))
            annotate(out, "warning", &run->trials[i]);
    }
    annotate_skipped(out, run);
    for (size_t i = 0; i < run->count; i++) {
        const char *story = run->trials[i].story;
        if (story != NULL && story[0] != '\0')
            print_story(out, &run->trials[i]);
    }
    struct text sentence = {0};
    summary_sentence(run, &sentence);
    fputs("::notice title=Lockpick::", out);
    print_escaped(out, text_string(&sentence), false);
    fputc('\n', out);
    text_free(&sentence);
}

// As a reference, no character means anything to Markdown, not even inside of a table.
static void add_escaped(struct text *out, const char *text)
{
    for (; *text != '\0'; text++) {
        if (strchr("|&<>*_`~[]\\", *text) != NULL)
            text_format(out, "&#%d;", *text);
        else
            text_add_bytes(out, strchr("\r\n", *text) != NULL ? " " : text, 1);
    }
}

static void add_cell(struct text *out, const char *text)
{
    text_add(out, "| ");
    add_escaped(out, text);
    text_add(out, " ");
}

static void add_expected_cell(struct text *out, const struct expectation *expectation)
{
    static const char *const verdicts[] = {"SAFE", "UNSAFE", "STUCK"};
    struct text cell = {0};
    if (expectation == NULL) {
        text_add(&cell, "–");
    } else {
        const struct string_list *because = &expectation->because;
        text_add(&cell, verdicts[expectation->verdict]);
        for (size_t i = 0; i < because->count; i++)
            text_format(&cell, "%s%s", i == 0 ? " (" : ", ", because->items[i]);
        text_add(&cell, because->count > 0 ? ")" : "");
    }
    add_cell(out, text_string(&cell));
    text_free(&cell);
}

static void add_verdict_cell(struct text *out, const struct trial_result *result)
{
    const struct judgement *judgement = &result->judgement;
    struct text found = {0};
    struct text cell = {0};
    if (is_error(result))
        text_add(&cell, "✗ ");
    else if (judgement->verdict == VERDICT_UNKNOWN || judgement->verdict == VERDICT_SKIPPED)
        text_add(&cell, "? ");
    else if (judgement->expectation == EXPECTATION_MET)
        text_add(&cell, "✓ ");
    text_add(&cell, verdict_name(judgement->verdict));
    found_text(judgement, &found);
    if (judgement_first_violation(judgement) != NULL)
        text_format(&cell, " (%s)", text_string(&found));
    add_cell(out, text_string(&cell));
    text_free(&found);
    text_free(&cell);
}

static void add_row(struct text *out, const struct trial_result *result)
{
    struct text scheme = {0};
    scheme_text(result->trial, &scheme);
    add_cell(out, result->trial->scenario->name);
    add_cell(out, text_string(&scheme));
    add_expected_cell(out, result->trial->expectation);
    add_verdict_cell(out, result);
    text_add(out, "|\n");
    text_free(&scheme);
}

// Below the MiB there is room for a last row and the closing line.
#define MOST_BYTES (1000 * 1000)

char *report_github_summary(const struct run_result *run)
{
    struct text out = {0};
    struct text sentence = {0};
    size_t rows = 0;
    summary_sentence(run, &sentence);
    text_add(&out, "### Lockpick\n\n");
    add_escaped(&out, text_string(&sentence));
    text_add(&out, "\n\n| scenario | scheme | expected | verdict |\n|---|---|---|---|\n");
    for (int urgent = 1; urgent >= 0; urgent--) {
        for (size_t i = 0; i < run->count && out.length < MOST_BYTES; i++) {
            const struct trial_result *result = &run->trials[i];
            if ((is_error(result) || is_warning(result)) != (urgent == 1))
                continue;
            add_row(&out, result);
            rows++;
        }
    }
    if (rows < run->count)
        text_format(&out, "\nand %zu more, in report.html\n", run->count - rows);
    text_add(&out, "\n");
    text_free(&sentence);
    return out.bytes;
}
