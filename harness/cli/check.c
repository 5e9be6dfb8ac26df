// check: decides a history that is there already: another tool's, or one of Lockpick's own.
#include "harness/base/table.h"
#include "harness/cli/check_case.h"
#include "harness/cli/verb.h"
#include "harness/run/stored_path.h"
#include "harness/run/stored_run.h"

#include "harness/report/run_report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// --- by a model ----------------------------------------------------------------------------------

static int exit_code_of(enum case_verdict verdict)
{
    return verdict == CASE_NOT_LINEARIZABLE ? EXIT_MISSED
           : verdict == CASE_UNDECIDED      ? EXIT_INCONCLUSIVE
                                            : EXIT_AS_EXPECTED;
}

// Of two codes the one that matters more: what is malformed, then what is broken.
static int graver(int a, int b)
{
    static const int gravity[] = {
        [EXIT_AS_EXPECTED] = 0, [EXIT_INCONCLUSIVE] = 1, [EXIT_THRESHOLD] = 2,
        [EXIT_ENVIRONMENT] = 3, [EXIT_MISSED] = 4,       [EXIT_USAGE] = 5};
    return gravity[a] >= gravity[b] ? a : b;
}

static json_t *frame(const struct check_options *options, json_t *histories)
{
    const struct model_options *given = &options->model_options;
    json_t *root = json_object();
    json_object_set_new(root, "schema", json_string("lockpick-check-1"));
    json_object_set_new(root, "model", json_string(options->model->name));
    json_object_set_new(root, "permits",
                        given->permits > 0 ? json_integer(given->permits) : json_null());
    json_object_set_new(root, "depth",
                        given->depth_limit > 0 ? json_integer(given->depth_limit) : json_null());
    json_object_set_new(root, "lease_ns",
                        given->lease_ns > 0 ? json_integer(given->lease_ns) : json_null());
    json_object_set_new(root, "histories", histories);
    return root;
}

static void print_json(json_t *root)
{
    char *text = json_dumps(root, JSON_INDENT(2));
    if (text != NULL)
        puts(text);
    free(text);
    json_decref(root);
}

// All histories at a glance.
static struct table *new_table(void)
{
    static const char *const headings[] = {"verdict",    "operations", "locks",
                                           "violations", "history",    NULL};
    struct table *table = table_new(headings);
    for (int column = 1; column <= 3; column++)
        table_align_right(table, column);
    return table;
}

static void add_row(struct table *table, const struct check_case *one, bool is_malformed)
{
    static const enum colour colours[] = {COLOUR_GREEN, COLOUR_RED, COLOUR_YELLOW};
    char number[24];
    table_cell(table, is_malformed ? COLOUR_RED : colours[one->verdict],
               is_malformed ? "MALFORMED" : case_verdict_name(one->verdict));
    const size_t numbers[] = {one->operations.count, one->operations.name_count,
                              one->decision.violation_count};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        snprintf(number, sizeof number, "%zu", numbers[i]);
        table_cell(table, COLOUR_PLAIN, is_malformed ? "-" : number);
    }
    table_cell(table, COLOUR_PLAIN, one->name);
}

static int check_by_model(const struct check_options *options, const struct stored_path *stored)
{
    int code = EXIT_AS_EXPECTED;
    bool is_coloured = colour_wanted(stdout);
    json_t *histories = json_array();
    struct table *table = new_table();
    for (size_t i = 0; i < stored->history_count; i++) {
        struct check_case one;
        bool is_malformed = check_case_make(stored->histories[i], options, &one) != 0;
        code = graver(code, is_malformed ? EXIT_USAGE : exit_code_of(one.verdict));
        add_row(table, &one, is_malformed);
        if (!is_malformed && options->json)
            json_array_append_new(histories, check_case_json(&one));
        else if (!is_malformed)
            check_case_print(&one, is_coloured);
        check_case_free(&one);
    }
    if (options->json) {
        print_json(frame(options, histories));
    } else {
        json_decref(histories);
        if (stored->history_count > 1)
            table_print(table, stdout, is_coloured);
    }
    table_free(table);
    return code;
}

// --- by the scenario -----------------------------------------------------------------------------

static void print_run(const struct stored_run *run, const struct run_report *report, bool as_json)
{
    if (as_json) {
        char *json = report_json(report);
        puts(json);
        free(json);
        return;
    }
    report_print(report, stdout, colour_wanted(stdout), false);
    if (run->differences.length > 0)
        printf("not as it was judged before:\n%s", text_string(&run->differences));
    else if (run->compared > 0)
        printf("judged anew: %zu verdict%s, as in result.json\n", run->compared,
               run->compared == 1 ? "" : "s");
}

static int judge_anew(const struct check_options *options, const struct stored_path *stored)
{
    struct stored_run run;
    struct error error = {0};
    int code = EXIT_USAGE;
    if (stored_run_judge(stored->run, stored->trial, &run, &error) == 0) {
        struct run_report report;
        run_report_make(&run.result, &report);
        print_run(&run, &report, options->json);
        code = report_exit_code(&report);
        run_report_free(&report);
    } else {
        fprintf(stderr, "lockpick check: %s\n", error.text);
    }
    stored_run_free(&run);
    return code;
}

static int check(const struct check_options *options, const struct stored_path *stored)
{
    if (stored->history_count == 0)
        return usage_error(&check_verb,
                           "%s holds no history: expected a file, or a folder with histories "
                           "(.edn, .json, .jsonl, also .gz), or that of a trial or run",
                           options->paths[0]);
    if (options->model == NULL)
        return usage_error(&check_verb,
                           "%s belongs to no run of Lockpick's, so there is no scenario to judge "
                           "it by: --model MODEL says what its lock must be",
                           options->paths[0]);
    if (options->picture != NULL && stored->history_count > 1)
        return usage_error(&check_verb, "--picture: %s holds %zu histories; name one",
                           options->paths[0], stored->history_count);
    return check_by_model(options, stored);
}

// Runs are judged one after the other; of all other histories one table is made.
static int check_paths(const struct check_options *options)
{
    int code = EXIT_AS_EXPECTED;
    bool is_judged = false;
    struct stored_path all = {0};
    for (size_t i = 0; i < options->path_count; i++) {
        const char *path = options->paths[i];
        struct stored_path stored;
        if (strcmp(path, "-") != 0 && access(path, R_OK) != 0) {
            fprintf(stderr, "lockpick check: cannot open %s: %s\n", path, strerror(errno));
            code = EXIT_USAGE;
            continue;
        }
        stored_path_find(path, &stored);
        is_judged |= options->model == NULL && stored.run != NULL;
        if (options->model == NULL && stored.run != NULL)
            code = graver(code, judge_anew(options, &stored));
        else
            stored_path_move(&stored, &all);
        stored_path_free(&stored);
    }
    if (all.history_count > 0 || (code == EXIT_AS_EXPECTED && !is_judged))
        code = graver(code, check(options, &all));
    stored_path_free(&all);
    return code;
}

static int run(int argc, char **argv)
{
    struct check_options options;
    struct error error = {0};
    int code = check_options_parse(argc, argv, &options, &error) == 0
                   ? check_paths(&options)
                   : usage_error(&check_verb, "%s", error.text);
    check_options_free(&options);
    return code;
}

const struct verb check_verb = {
    .name = "check",
    .arguments = "HISTORY... --model MODEL | RUN... | TRIAL...",
    .summary = "Decides a history: another tool's, or a run's anew",
    .print_help = check_options_print,
    .run = run,
};
