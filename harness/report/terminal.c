// What a person at the terminal reads: verdicts, then stories, then how the run ended.
#include "harness/base/table.h"
#include "harness/report/summary.h"

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
    if (result->folder != NULL && judgement->verdict != VERDICT_SKIPPED)
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

static bool is_worth_telling(const struct run_result *run, size_t index, bool quiet)
{
    const struct trial_result *result = &run->trials[index];
    const struct judgement *judgement = &result->judgement;
    if (judgement->expectation == EXPECTATION_MISSED)
        return false; // told already, before all others
    if (judgement->verdict == VERDICT_UNKNOWN || judgement->verdict == VERDICT_ERROR)
        return true;
    if (judgement_first_violation(judgement) == NULL || told_before(run, index))
        return false;
    return !quiet || judgement->expectation == EXPECTATION_NONE;
}

void report_print(const struct run_result *run, FILE *out, bool coloured, bool quiet)
{
    print_table(run, out, coloured);
    for (size_t i = 0; i < run->count; i++) {
        if (run->trials[i].judgement.expectation == EXPECTATION_MISSED)
            print_trial(&run->trials[i], out, coloured);
    }
    for (size_t i = 0; i < run->count; i++) {
        if (is_worth_telling(run, i, quiet))
            print_trial(&run->trials[i], out, coloured);
    }
    for (size_t i = 0; i < run->count; i++) {
        if (run->trials[i].judgement.verdict == VERDICT_SKIPPED && !told_before(run, i))
            print_trial(&run->trials[i], out, coloured);
    }
    struct text sentence = {0};
    summary_sentence(run, &sentence);
    fputc('\n', out);
    colour_print(out, coloured, COLOUR_BOLD, text_string(&sentence));
    fputc('\n', out);
    if (!run->has_plots && run->plot_note[0] != '\0')
        fprintf(out, "%s\n", run->plot_note);
    text_free(&sentence);
}
