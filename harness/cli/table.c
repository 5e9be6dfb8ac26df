// table: what a folder of scenarios reproduces, as a table in Markdown: which schemes must break,
// which must survive, and how often that was seen in the runs whose results are given.
#include "harness/base/scope.h"
#include "harness/cli/verb.h"
#include "harness/report/fields.h"
#include "harness/run/run_files.h"
#include "harness/run/vocabulary.h"
#include "harness/scenario/plan.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

// What was seen of one scenario in all results.
struct seen {
    size_t trials;
    size_t as_expected;
    char last[11]; // the day of the last run, "2026-11-21"
};

struct results {
    json_t **roots;
    char **labels; // of the column that each belongs to, "" without one
    size_t count;
};

#define MOST_COLUMNS 8

// --- results -------------------------------------------------------------------------------------

// "idle:results/…/result.json" belongs to the column "idle".
static int load_results(const char *const *paths, size_t count, struct results *results)
{
    results->roots = memory_zeroed(count, sizeof(json_t *));
    results->labels = memory_zeroed(count, sizeof(char *));
    for (size_t i = 0; i < count; i++) {
        struct error error = {0};
        const char *colon = strchr(paths[i], ':');
        const char *path = colon != NULL ? colon + 1 : paths[i];
        json_t *root = json_read(path, &error);
        if (json_array_size(json_object_get(root, "trials")) == 0) {
            json_decref(root);
            return verb_fails(&table_verb, -1, "%s is no result of a run: %s", path,
                              root == NULL ? error.text : "it has no trials");
        }
        results->labels[i] = memory_string(paths[i]);
        results->labels[i][colon != NULL ? colon - paths[i] : 0] = '\0';
        results->roots[results->count++] = root;
    }
    return 0;
}

// The different labels, in their order, NULL-terminated.
static void columns_of(const struct results *results, const char *labels[MOST_COLUMNS + 1])
{
    size_t count = 0;
    labels[0] = NULL;
    for (size_t i = 0; i < results->count && count < MOST_COLUMNS; i++) {
        if (!text_is_one_of(results->labels[i], labels)) {
            labels[count++] = results->labels[i];
            labels[count] = NULL;
        }
    }
}

// True if the run missed a threshold of that scenario and scheme.
static bool missed_threshold(const json_t *root, const char *scenario, const char *scheme)
{
    size_t index;
    json_t *outcome;
    json_array_foreach(json_object_get(root, "thresholds"), index, outcome)
    {
        if (strcmp(text_at(outcome, "scenario"), scenario) == 0 &&
            strcmp(text_at(outcome, "scheme"), scheme) == 0 &&
            strcmp(text_at(outcome, "result"), "met") != 0)
            return true;
    }
    return false;
}

// Adds what the run has seen of the scenario.
static void see_run(const json_t *root, const char *scenario, struct seen *seen)
{
    size_t index;
    json_t *trial;
    const char *began = text_at(json_object_get(root, "environment"), "began");
    json_array_foreach(json_object_get(root, "trials"), index, trial)
    {
        const char *expectation = text_at(json_object_get(trial, "expectation"), "result");
        if (strcmp(text_at(json_object_get(trial, "scenario"), "name"), scenario) != 0 ||
            expectation[0] == '\0' || strcmp(expectation, "none") == 0)
            continue;
        seen->trials++;
        seen->as_expected += strcmp(expectation, "met") == 0 &&
                             !missed_threshold(root, scenario, text_at(trial, "scheme"));
        if (strncmp(began, seen->last, 10) > 0)
            snprintf(seen->last, sizeof seen->last, "%.10s", began);
    }
}

// --- the table -----------------------------------------------------------------------------------

// "F18" of "f18-redlock-amnesiac-restart", and the rest as words: "redlock amnesiac restart".
static void write_title(const char *name, struct text *out)
{
    size_t digits = name[0] == 'f' ? strspn(name + 1, "0123456789") : 0;
    bool is_numbered = digits > 0 && name[digits + 1] == '-';
    if (is_numbered)
        text_format(out, "F%.*s ", (int)digits, name + 1);
    text_add(out, "| ");
    for (const char *next = is_numbered ? name + digits + 2 : name; *next != '\0'; next++)
        text_format(out, "%c", *next == '-' ? ' ' : *next);
}

// The schemes that are to survive, or to break: a * after those that must end up stuck, a † after
// those of which only a figure shows it.
static void write_schemes(const struct scenario *scenario, const struct vocabulary *vocabulary,
                          bool survive, struct text *out)
{
    size_t count = 0;
    struct plan plan;
    struct error error = {0};
    struct scenario *one = (struct scenario *)(size_t)scenario;
    if (plan_make(&one, 1, vocabulary, NULL, 1, 1, &plan, &error) != 0)
        return;
    for (size_t i = 0; i < plan.count; i++) {
        const struct trial *trial = &plan.trials[i];
        if (trial->expectation == NULL || trial->skip_reason != NULL)
            continue;
        bool is_safe = trial->expectation->verdict == EXPECT_SAFE;
        // A count that may not be 0 says that it must be seen to do what it should not.
        bool is_counted = false;
        for (size_t j = 0; is_safe && j < scenario->threshold_count; j++) {
            const struct threshold *threshold = &scenario->thresholds[j];
            is_counted |= metric_is_count(threshold->limit.metric) &&
                          !limit_is_met(&threshold->limit, 0) &&
                          (threshold->schemes.count == 0 ||
                           patterns_mean(&threshold->schemes, trial->scheme, trial->traits));
        }
        if ((is_safe && !is_counted) != survive)
            continue;
        text_format(out, "%s%s%s%s", count++ > 0 ? ", " : "", trial->scheme,
                    trial->expectation->verdict == EXPECT_STUCK ? "\\*" : "",
                    is_counted ? "†" : "");
    }
    if (count == 0)
        text_add(out, "–");
    plan_free(&plan);
}

static void print_row(const struct scenario *scenario, const struct vocabulary *vocabulary,
                      const struct results *results)
{
    AUTO_TEXT struct text row = {0};
    const char *labels[MOST_COLUMNS + 1];
    columns_of(results, labels);
    text_add(&row, "| ");
    write_title(scenario->name, &row);
    text_add(&row, " | ");
    write_schemes(scenario, vocabulary, false, &row);
    text_add(&row, " | ");
    write_schemes(scenario, vocabulary, true, &row);
    text_format(&row, " | `lockpick run %s` |", scenario->path);
    for (size_t i = 0; labels[i] != NULL; i++) {
        struct seen seen = {0};
        for (size_t j = 0; j < results->count; j++) {
            if (strcmp(results->labels[j], labels[i]) == 0)
                see_run(results->roots[j], scenario->name, &seen);
        }
        if (seen.trials > 0)
            text_format(&row, " %zu of %zu, %s |", seen.as_expected, seen.trials, seen.last);
        else
            text_add(&row, " not run |");
    }
    puts(row.bytes);
}

static void print_table(const struct scenario_set *set, const struct vocabulary *vocabulary,
                        const struct results *results)
{
    const char *labels[MOST_COLUMNS + 1];
    columns_of(results, labels);
    fputs("| | failure | breaks (\\*: stuck; †: a figure) | survives | the one command |", stdout);
    for (size_t i = 0; labels[i] != NULL; i++)
        printf(" as expected%s%s |", labels[i][0] == '\0' ? "" : ", ", labels[i]);
    fputs("\n|---|---|---|---|---|", stdout);
    for (size_t i = 0; labels[i] != NULL; i++)
        fputs("---|", stdout);
    putchar('\n');
    for (size_t i = 0; i < set->count; i++)
        print_row(set->scenarios[i], vocabulary, results);
}

static int run(const struct words *words, void *none)
{
    (void)none;
    if (words->count == 0)
        return usage_error(&table_verb, "which folder of scenarios?");
    struct run_options options = {
        .paths = words->items, .path_count = 1, .are_stored = true, .own_files_only = true};
    struct vocabulary *vocabulary = vocabulary_new();
    struct scenario_set set;
    struct results results = {0};
    int code = EXIT_USAGE;
    if (scenario_set_load(&options, vocabulary, &set) == 0 &&
        load_results(words->items + 1, words->count - 1, &results) == 0) {
        print_table(&set, vocabulary, &results);
        code = EXIT_AS_EXPECTED;
    }
    for (size_t i = 0; i < results.count; i++) {
        json_decref(results.roots[i]);
        free(results.labels[i]);
    }
    free(results.roots);
    free(results.labels);
    scenario_set_free(&set);
    vocabulary_free(vocabulary);
    return code;
}

extern const char template_help_table[];
const struct verb table_verb = {
    .name = "table",
    .arguments = "FILE|DIR [[LABEL:]RESULT.json...]",
    .summary = "Prints what scenarios reproduce as a table in Markdown",
    .help = template_help_table,
    .run = run,
};
