// table: what a folder of scenarios reproduces, as a table in Markdown: which schemes must break,
// which must survive, and how often that was seen in the runs whose results are given.
#include "harness/base/scope.h"
#include "harness/cli/verb.h"
#include "harness/report/fields.h"
#include "harness/run/run_files.h"
#include "harness/scenario/plan.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

// Results of runs, and the label of the column that each belongs to, "" without one.
struct results {
    json_t **roots;
    struct string_list labels;
    struct string_list columns; // the different labels, in their order
};

// --- results -------------------------------------------------------------------------------------

// "idle:results/…/result.json" belongs to the column "idle".
static int load_results(const char *const *paths, size_t count, struct results *results)
{
    results->roots = memory_zeroed(count, sizeof(json_t *));
    for (size_t i = 0; i < count; i++) {
        struct error error = {0};
        const char *colon = strchr(paths[i], ':');
        const char *path = colon != NULL ? colon + 1 : paths[i];
        AUTO_FREE char *label =
            text_formatted("%.*s", (int)(colon != NULL ? colon - paths[i] : 0), paths[i]);
        json_t *root = results->roots[i] = json_read(path, &error);
        string_list_add(&results->labels, label);
        if (!string_list_has(&results->columns, label))
            string_list_add(&results->columns, label);
        if (json_array_size(json_object_get(root, "trials")) == 0)
            return verb_fails(&table_verb, -1, "%s is no result of a run: %s", path,
                              root == NULL ? error.text : "it has no trials");
    }
    return 0;
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

// What was seen of the scenario in all results of that label.
static void write_seen(const struct results *results, const char *label, const char *scenario,
                       struct text *out)
{
    size_t trials = 0, as_expected = 0, index;
    json_t *trial;
    char last[11] = ""; // the day of the last run, "2026-11-21"
    for (size_t i = 0; i < results->labels.count; i++) {
        const json_t *root = results->roots[i];
        const char *began = text_at(json_object_get(root, "environment"), "began");
        if (strcmp(results->labels.items[i], label) != 0)
            continue;
        json_array_foreach(json_object_get(root, "trials"), index, trial)
        {
            const char *expectation = text_at(json_object_get(trial, "expectation"), "result");
            if (strcmp(text_at(json_object_get(trial, "scenario"), "name"), scenario) != 0 ||
                expectation[0] == '\0' || strcmp(expectation, "none") == 0)
                continue;
            trials++;
            as_expected += strcmp(expectation, "met") == 0 &&
                           !missed_threshold(root, scenario, text_at(trial, "scheme"));
            if (strncmp(began, last, 10) > 0)
                snprintf(last, sizeof last, "%.10s", began);
        }
    }
    if (trials > 0)
        text_format(out, " %zu of %zu, %s |", as_expected, trials, last);
    else
        text_add(out, " not run |");
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

// Adds the schemes that are to break, and those that are to survive: a * after those that must end
// up stuck, a † after those of which only a figure shows it.
static void write_schemes(struct scenario *scenario, const struct vocabulary *vocabulary,
                          struct text *out)
{
    struct plan plan;
    struct text schemes[2] = {{0}, {0}};
    struct error error = {0};
    (void)plan_make(&scenario, 1, vocabulary, NULL, 1, 1, &plan, &error); // none has no trials
    for (size_t i = 0; i < plan.count; i++) {
        const struct trial *trial = &plan.trials[i];
        if (trial->expectation == NULL || trial->skip_reason != NULL)
            continue;
        bool is_safe = trial->expectation->verdict == EXPECT_SAFE;
        // A count that may not be 0 says that it must be seen to do what it should not.
        bool is_counted = false;
        for (size_t j = 0; is_safe && j < scenario->threshold_count; j++) {
            const struct threshold *threshold = &scenario->thresholds[j];
            is_counted |= metric_forms[threshold->limit.metric].unit == UNIT_COUNT &&
                          !limit_is_met(&threshold->limit, 0) &&
                          (threshold->schemes.count == 0 ||
                           patterns_mean(&threshold->schemes, trial->scheme, trial->traits));
        }
        struct text *list = &schemes[is_safe && !is_counted];
        text_add_item(list, trial->scheme);
        if (trial->expectation->verdict == EXPECT_STUCK)
            text_add(list, "\\*");
        text_add(list, is_counted ? "†" : "");
    }
    for (int i = 0; i < 2; i++) {
        text_format(out, " | %s", schemes[i].length > 0 ? schemes[i].bytes : "–");
        text_free(&schemes[i]);
    }
    plan_free(&plan);
}

static void print_table(const struct scenario_set *set, const struct vocabulary *vocabulary,
                        const struct results *results)
{
    const struct string_list *columns = &results->columns;
    fputs("| | failure | breaks (\\*: stuck; †: a figure) | survives | the one command |", stdout);
    for (size_t i = 0; i < columns->count; i++)
        printf(" as expected%s%s |", columns->items[i][0] == '\0' ? "" : ", ", columns->items[i]);
    fputs("\n|---|---|---|---|---|", stdout);
    for (size_t i = 0; i < columns->count; i++)
        fputs("---|", stdout);
    putchar('\n');
    for (size_t i = 0; i < set->count; i++) {
        AUTO_TEXT struct text row = {0};
        text_add(&row, "| ");
        write_title(set->scenarios[i]->name, &row);
        write_schemes(set->scenarios[i], vocabulary, &row);
        text_format(&row, " | `lockpick run %s` |", set->scenarios[i]->path);
        for (size_t j = 0; j < columns->count; j++)
            write_seen(results, columns->items[j], set->scenarios[i]->name, &row);
        puts(row.bytes);
    }
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
    for (size_t i = 0; i < results.labels.count; i++)
        json_decref(results.roots[i]);
    free(results.roots);
    string_list_free(&results.labels);
    string_list_free(&results.columns);
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
