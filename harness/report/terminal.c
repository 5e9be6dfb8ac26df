// What a person at the terminal reads: verdicts, then stories, then how the run ended.
#include "harness/base/table.h"
#include "harness/report/costs.h"
#include "harness/report/summary.h"
#include "harness/report/thresholds.h"

#include <stdlib.h>
#include <string.h>

static enum colour colour_of(enum verdict verdict)
{
    switch (verdict) {
    case VERDICT_SAFE:
        return COLOUR_GREEN;
    case VERDICT_UNSAFE:
    case VERDICT_STUCK:
    case VERDICT_ERROR:
        return COLOUR_RED;
    case VERDICT_UNKNOWN:
        return COLOUR_YELLOW;
    case VERDICT_SKIPPED:
    case VERDICT_NOT_APPLICABLE:
        return COLOUR_GREY;
    }
    return COLOUR_PLAIN;
}

static void add_expectation(struct table *table, enum expectation_result expectation)
{
    if (expectation == EXPECTATION_MET)
        table_cell(table, COLOUR_GREEN, "✓ expected");
    else if (expectation == EXPECTATION_MISSED)
        table_cell(table, COLOUR_RED, "✗ MISSED");
    else
        table_cell(table, COLOUR_GREY, "–");
}

static void add_numbers(struct table *table, const struct trial_result *result)
{
    const struct statistics *statistics = &result->statistics;
    char text[64];
    if (!result->has_history) {
        for (int i = 0; i < 4; i++)
            table_cell(table, COLOUR_GREY, "–");
        return;
    }
    table_cell(table, COLOUR_PLAIN, rate_text(statistics->holds_per_second, text, sizeof text));
    table_cell(table, COLOUR_PLAIN,
               latency_text(&statistics->acquire, statistics->acquire.p50_ns, text, sizeof text));
    table_cell(table, COLOUR_PLAIN,
               latency_text(&statistics->acquire, statistics->acquire.p99_ns, text, sizeof text));
    table_cell(table, COLOUR_PLAIN, text_duration(statistics->longest_wait_ns, text, sizeof text));
}

static void print_table(const struct run_result *run, FILE *out, bool coloured)
{
    static const char *const headings[] = {"scenario",     "scheme",  "verdict",     "found",
                                           "as expected",  "holds/s", "acquire p50", "p99",
                                           "longest wait", NULL};
    struct table *table = table_new(headings);
    for (int column = 5; column <= 8; column++)
        table_align_right(table, column);
    for (size_t i = 0; i < run->count; i++) {
        const struct trial_result *result = &run->trials[i];
        enum verdict verdict = result->judgement.verdict;
        if (trial_is_unfit(result))
            continue;
        struct text scheme = {0};
        struct text found = {0};
        scheme_text(result->trial, &scheme);
        found_text(&result->judgement, &found);
        table_cell(table, COLOUR_PLAIN, result->trial->scenario->name);
        table_cell(table, COLOUR_PLAIN, text_string(&scheme));
        table_cell(table, colour_of(verdict), verdict_name(verdict));
        table_cell(table, COLOUR_PLAIN, text_string(&found));
        add_expectation(table, result->judgement.expectation);
        add_numbers(table, result);
        text_free(&scheme);
        text_free(&found);
    }
    table_print(table, out, coloured);
    table_free(table);
}

// A line for each scheme and reason, however many scenarios it is that do not apply.
static void print_unfit(const struct run_result *run, FILE *out, bool coloured)
{
    static const char *const headings[] = {"n/a: scheme", "trials", "why", NULL};
    struct unfit *list;
    size_t count = unfit_list(run, &list);
    struct table *table = table_new(headings);
    table_align_right(table, 1);
    for (size_t i = 0; i < count; i++) {
        char trials[24];
        snprintf(trials, sizeof trials, "%zu", list[i].count);
        table_cell(table, COLOUR_GREY, list[i].scheme);
        table_cell(table, COLOUR_GREY, trials);
        table_cell(table, COLOUR_GREY, list[i].reason);
    }
    if (count > 0) {
        fputc('\n', out);
        table_print(table, out, coloured);
    }
    table_free(table);
    free(list);
}

static void print_indented(FILE *out, const char *text)
{
    bool at_start = true;
    for (; *text != '\0'; text++) {
        if (at_start && *text != '\n')
            fputs("    ", out);
        fputc(*text, out);
        at_start = *text == '\n';
    }
    if (!at_start)
        fputc('\n', out);
}

static void print_trial(const struct trial_result *result, FILE *out, bool coloured)
{
    const struct judgement *judgement = &result->judgement;
    struct text scheme = {0};
    scheme_text(result->trial, &scheme);
    fputc('\n', out);
    colour_print(out, coloured, colour_of(judgement->verdict), verdict_name(judgement->verdict));
    fputs("  ", out);
    colour_print(out, coloured, COLOUR_BOLD, result->trial->scenario->name);
    fprintf(out, " · %s\n", text_string(&scheme));
    text_free(&scheme);
    if (judgement->expectation == EXPECTATION_MISSED) {
        fputs("  ", out);
        colour_print(out, coloured, COLOUR_RED, "MISSED: ");
        fprintf(out, "%s\n", judgement->expectation_text);
    } else if (judgement->verdict > VERDICT_STUCK && judgement->expectation_text[0] != '\0') {
        fprintf(out, "  %s\n", judgement->expectation_text);
    }
    fprintf(out, "  %s\n", judgement->reason);
    if (result->story != NULL && result->story[0] != '\0')
        print_indented(out, result->story);
    if (result->folder != NULL && judgement->verdict != VERDICT_SKIPPED &&
        judgement->verdict != VERDICT_NOT_APPLICABLE)
        fprintf(out, "  files: %s\n", result->folder);
}

// Trials of one scenario that found the same have the same story: the first tells it, and the
// missed come before all others.
static bool told_before(const struct run_result *run, size_t index)
{
    const struct trial_result *result = &run->trials[index];
    struct text found = {0};
    found_text(&result->judgement, &found);
    bool told = false;
    for (size_t i = 0; i < run->count && !told; i++) {
        const struct trial_result *other = &run->trials[i];
        if (i >= index && other->judgement.expectation != EXPECTATION_MISSED)
            continue;
        if (other->trial->scenario != result->trial->scenario ||
            other->judgement.verdict != result->judgement.verdict)
            continue;
        struct text before = {0};
        found_text(&other->judgement, &before);
        told = strcmp(text_string(&before), text_string(&found)) == 0;
        text_free(&before);
    }
    text_free(&found);
    return told;
}

static bool has_story(const struct trial_result *result)
{
    return judgement_first_violation(&result->judgement) != NULL;
}

// A violation that did harm, as was expected.
static bool is_expected_violation(const struct trial_result *result)
{
    enum verdict verdict = result->judgement.verdict;
    return result->judgement.expectation == EXPECTATION_MET &&
           (verdict == VERDICT_UNSAFE || verdict == VERDICT_STUCK) && has_story(result);
}

// What was expected needs but one example of each scenario: the first of it.
static bool is_example(const struct run_result *run, size_t index)
{
    for (size_t i = 0; i < index; i++) {
        if (run->trials[i].trial->scenario == run->trials[index].trial->scenario &&
            is_expected_violation(&run->trials[i]))
            return false;
    }
    return is_expected_violation(&run->trials[index]);
}

static bool is_worth_telling(const struct run_result *run, size_t index, bool quiet)
{
    const struct trial_result *result = &run->trials[index];
    const struct judgement *judgement = &result->judgement;
    if (judgement->expectation == EXPECTATION_MISSED)
        return true;
    if (judgement->verdict == VERDICT_UNKNOWN || judgement->verdict == VERDICT_ERROR)
        return true;
    if (!has_story(result) || told_before(run, index))
        return false;
    if (judgement->expectation == EXPECTATION_MET)
        return !quiet && is_example(run, index);
    return true;
}

// The missed ones come before all others. Returns how many stories it told.
static size_t print_trials(const struct run_result *run, bool missed, FILE *out, bool coloured,
                           bool quiet)
{
    size_t told = 0;
    for (size_t i = 0; i < run->count; i++) {
        const struct trial_result *result = &run->trials[i];
        if ((result->judgement.expectation == EXPECTATION_MISSED) != missed ||
            !is_worth_telling(run, i, quiet))
            continue;
        print_trial(result, out, coloured);
        told += has_story(result);
    }
    return told;
}

void report_print(const struct run_report *report, FILE *out, bool coloured, bool quiet)
{
    const struct run_result *run = report->run;
    print_table(run, out, coloured);
    print_unfit(run, out, coloured);
    size_t told = print_trials(run, true, out, coloured, quiet);
    told += print_trials(run, false, out, coloured, quiet);
    size_t stories = 0;
    for (size_t i = 0; i < run->count; i++)
        stories += has_story(&run->trials[i]);
    if (stories > told && !quiet)
        fprintf(out, "\n%zu more stor%s in the report.\n", stories - told,
                stories - told == 1 ? "y is" : "ies are");
    if (!quiet)
        costs_print(report, out, coloured);
    thresholds_print(&report->thresholds, out, coloured, quiet);
    if (run->remarks != NULL)
        fprintf(out, "\n%s", run->remarks);
    struct text machine = {0};
    machine_sentence(run, &machine);
    if (machine.length > 0 && !quiet)
        fprintf(out, "\nmachine: %s\n", machine.bytes);
    text_free(&machine);
    // The sentence says why trials were skipped; the caller, why there are no plots.
    struct text sentence = {0};
    summary_sentence(report, &sentence);
    fputc('\n', out);
    colour_print(out, coloured, COLOUR_BOLD, text_string(&sentence));
    fputc('\n', out);
    text_free(&sentence);
}
