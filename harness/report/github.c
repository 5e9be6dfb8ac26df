#include "harness/report/github.h"

#include "harness/report/junit.h"
#include "harness/report/markdown.h"
#include "harness/report/summary.h"
#include "harness/report/thresholds.h"

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
    return !is_error(result) && result->judgement.verdict == VERDICT_UNKNOWN &&
           !trial_is_measurement(result);
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

// Those that were missed, then those that were not measured.
static void annotate_thresholds(FILE *out, const struct threshold_outcomes *outcomes)
{
    for (int missed = 1; missed >= 0; missed--) {
        for (size_t i = 0; i < outcomes->count; i++) {
            const struct threshold_outcome *outcome = &outcomes->items[i];
            const struct trial *trial = outcome->trial;
            struct text text = {0};
            if (outcome->result == THRESHOLD_MET ||
                (outcome->result == THRESHOLD_MISSED) != (missed == 1))
                continue;
            fprintf(out, "::%s file=", missed == 1 ? "error" : "warning");
            print_escaped(out, trial->scenario->path, true);
            int line = outcome->threshold->place.line;
            fprintf(out, ",line=%d,title=", line > 0 ? line : 1);
            text_format(&text, "%s: %s", trial->scenario->name, trial->scheme);
            print_escaped(out, text_string(&text), true);
            fputs("::", out);
            text_free(&text);
            threshold_sentence(outcome, &text);
            print_escaped(out, text_string(&text), false);
            fputc('\n', out);
            text_free(&text);
        }
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

void report_github(const struct run_report *report, FILE *out)
{
    const struct run_result *run = report->run;
    for (size_t i = 0; i < run->count; i++) {
        if (is_error(&run->trials[i]))
            annotate(out, "error", &run->trials[i]);
    }
    for (size_t i = 0; i < run->count; i++) {
        if (is_warning(&run->trials[i]))
            annotate(out, "warning", &run->trials[i]);
    }
    annotate_skipped(out, run);
    annotate_thresholds(out, &report->thresholds);
    for (size_t i = 0; i < run->count; i++) {
        const char *story = run->trials[i].story;
        if (story != NULL && story[0] != '\0')
            print_story(out, &run->trials[i]);
    }
    struct text sentence = {0};
    summary_sentence(report, &sentence);
    fputs("::notice title=Lockpick::", out);
    print_escaped(out, text_string(&sentence), false);
    fputc('\n', out);
    text_free(&sentence);
}

// Below the MiB that GitHub takes.
#define MOST_BYTES (1000 * 1000)

char *report_github_summary(const struct run_report *report)
{
    return report_markdown_within(report, MOST_BYTES);
}
