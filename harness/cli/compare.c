// compare: two runs, or two schemes, held against each other.
#include "harness/base/file.h"
#include "harness/cli/compare_options.h"
#include "harness/cli/verb.h"
#include "harness/report/json_values.h"
#include "harness/report/run_report.h"
#include "harness/run/compare_turns.h"
#include "harness/run/run_folder.h"
#include "harness/run/stored_run.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool is_folder(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static bool has_scenarios(const char *folder)
{
    struct stat status;
    char *many = path_join(folder, "as-run");
    char *one = path_join(folder, "as-run.yaml");
    bool has = stat(many, &status) == 0 || stat(one, &status) == 0;
    free(many);
    free(one);
    return has;
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text);
    size_t tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

// --- a stored run --------------------------------------------------------------------------------

// True if every trial that was tried has its history still.
static bool can_be_judged(const struct stored_run *run)
{
    bool all = stored_run_has_history(run);
    for (size_t i = 0; all && i < run->result.count; i++) {
        struct stat status;
        char *path = path_join(run->result.trials[i].folder, "history.bin");
        all = !stored_run_was_tried(run, i) || stat(path, &status) == 0;
        free(path);
    }
    return all;
}

// What result.json would say of the run, were it judged now; NULL with `error` set if it cannot be.
static json_t *judge_anew(const char *folder, bool *was_stopped, struct error *error)
{
    struct stored_run run;
    json_t *result = NULL;
    if (stored_run_open(folder, NULL, &run, error) != 0) {
        stored_run_free(&run);
        return NULL;
    }
    if (can_be_judged(&run)) {
        for (size_t i = 0; i < run.result.count; i++)
            stored_run_decide(&run, i, TRIAL_FILES_NONE, &run.result.trials[i]);
        struct run_report report;
        run_report_make(&run.result, &report);
        result = report_json_value(&report);
        run_report_free(&report);
        fputs(text_string(&run.differences), stderr);
    } else {
        error_set(error, "some histories of the run in %s are gone", folder);
    }
    *was_stopped = run.was_stopped;
    stored_run_free(&run);
    return result;
}

// Judged anew if its histories are there, else by what its result.json says. 0, or -1 with `error`
// set; run_figures_free in either case.
static int load_run(const char *path, struct run_figures *figures, struct error *error)
{
    struct error why = {0};
    struct error problem = {0};
    bool folder = is_folder(path);
    char *file = folder ? path_join(path, "result.json") : memory_string(path);
    bool was_stopped = false;
    json_t *result = folder ? judge_anew(path, &was_stopped, &why) : NULL;
    *figures = (struct run_figures){0};
    if (result == NULL) {
        result = json_read(file, &problem);
        if (result != NULL && folder)
            fprintf(stderr, "lockpick compare: %s: taken as its result.json says: %s\n", path,
                    why.text);
    }
    int code = -1;
    if (result != NULL)
        code = run_figures_make(result, path, figures, error);
    else if (folder && !has_scenarios(path))
        error_set(error, "%s holds no run: neither as-run.yaml nor a result.json that can be read",
                  path);
    else if (folder)
        error_set(error, "%s: %.400s; nor can its result.json be read: %.200s", path, why.text,
                  problem.text);
    else
        error_set(error, "cannot read %s as the result.json of a run: %.200s", path, problem.text);
    figures->was_stopped = was_stopped;
    free(file);
    return code;
}

// --- the three ways ------------------------------------------------------------------------------

static int cannot_load(const struct error *error)
{
    fprintf(stderr, "lockpick compare: %s\n", error->text);
    return EXIT_USAGE;
}

static bool has_scheme(const struct run_figures *run, const char *pattern)
{
    for (size_t i = 0; i < run->count; i++) {
        if (text_matches(run->repeats[i].scheme, pattern))
            return true;
    }
    return false;
}

static bool came_before(const struct run_figures *run, size_t index)
{
    for (size_t i = 0; i < index; i++) {
        if (strcmp(run->repeats[i].scheme, run->repeats[index].scheme) == 0)
            return true;
    }
    return false;
}

static int no_such_scheme(const struct run_figures *run, const char *scheme)
{
    struct text known = {0};
    for (size_t i = 0; i < run->count; i++) {
        if (!came_before(run, i))
            text_format(&known, "%s%s", known.length > 0 ? ", " : "", run->repeats[i].scheme);
    }
    fprintf(stderr, "lockpick compare: the run in %s has not tried '%s'; it tried %s\n", run->name,
            scheme, known.length > 0 ? text_string(&known) : "nothing");
    text_free(&known);
    return EXIT_INCONCLUSIVE;
}

static int compare_schemes_of(const struct compare_options *options)
{
    struct run_figures run;
    struct comparison comparison;
    struct error error = {0};
    const char *const *schemes = options->schemes;
    int code = EXIT_USAGE;
    if (load_run(options->run.paths[0], &run, &error) != 0) {
        code = cannot_load(&error);
    } else if (!has_scheme(&run, schemes[0]) || !has_scheme(&run, schemes[1])) {
        code = no_such_scheme(&run, has_scheme(&run, schemes[0]) ? schemes[1] : schemes[0]);
    } else {
        comparison_of_schemes(&run, schemes[0], schemes[1], &options->comparison, &comparison);
        code = compare_show(&comparison, options);
        comparison_free(&comparison);
    }
    run_figures_free(&run);
    return code;
}

// A baseline that is not there is nothing to be green about.
static int no_baseline(const char *why)
{
    fprintf(stderr,
            "lockpick compare: inconclusive: there is no baseline: %s\n"
            "(keep a run there, or at least its result.json)\n",
            why);
    return EXIT_INCONCLUSIVE;
}

// The first of the wanted schemes that neither run has tried, or NULL.
static const char *untried(const struct compare_options *options, const struct run_figures runs[2])
{
    for (size_t i = 0; i < options->scheme_count; i++) {
        if (!has_scheme(&runs[0], options->schemes[i]) &&
            !has_scheme(&runs[1], options->schemes[i]))
            return options->schemes[i];
    }
    return NULL;
}

static bool are_one_run(const char *const paths[2])
{
    char *real[2];
    for (int i = 0; i < 2; i++) {
        char *file = path_join(paths[i], "result.json");
        real[i] = realpath(is_folder(paths[i]) ? file : paths[i], NULL);
        free(file);
    }
    bool is_one = real[0] != NULL && real[1] != NULL && strcmp(real[0], real[1]) == 0;
    free(real[0]);
    free(real[1]);
    return is_one;
}

static int compare_loaded(const struct compare_options *options, const struct run_figures runs[2])
{
    const char *nobodys = untried(options, runs);
    struct comparison comparison;
    if (nobodys != NULL)
        return no_such_scheme(&runs[1], nobodys);
    comparison_of_runs(&runs[0], &runs[1], &options->comparison, &comparison);
    comparison.is_one_run = are_one_run((const char *const *)options->run.paths);
    int code = compare_show(&comparison, options);
    comparison_free(&comparison);
    return code;
}

static int compare_runs(const struct compare_options *options)
{
    struct run_figures runs[2] = {0};
    struct error error = {0};
    int code = EXIT_USAGE;
    if (load_run(options->run.paths[1], &runs[1], &error) != 0) {
        code = cannot_load(&error);
    } else if (load_run(options->run.paths[0], &runs[0], &error) != 0) {
        code = no_baseline(error.text);
    } else {
        code = compare_loaded(options, runs);
    }
    run_figures_free(&runs[0]);
    run_figures_free(&runs[1]);
    return code;
}

static int compare(const struct compare_options *options)
{
    const char *path = options->run.paths[0];
    bool is_scenario = !is_folder(path) && (ends_with(path, ".yaml") || ends_with(path, ".yml"));
    const char *alien = compare_options_of_runs(options);
    struct error error = {0};
    if (options->run.path_count == 1 && is_scenario)
        return run_folder_check(&options->run, &error) == 0
                   ? compare_in_turns(options)
                   : usage_error(&compare_verb, "%s", error.text);
    if (alien != NULL)
        return usage_error(&compare_verb,
                           "%s is for a scenario, which is run; %s is a run that was", alien, path);
    return options->run.path_count == 1 ? compare_schemes_of(options) : compare_runs(options);
}

static int run(int argc, char **argv)
{
    struct compare_options options;
    struct error error = {0};
    int code = compare_options_parse(argc, argv, &options, &error) == 0
                   ? compare(&options)
                   : usage_error(&compare_verb, "%s", error.text);
    compare_options_free(&options);
    return code;
}

const struct verb compare_verb = {
    .name = "compare",
    .arguments = "A B | RUN|FILE --scheme X --scheme Y",
    .summary = "Says what got slower, faster or worse, and what cannot be told",
    .print_help = compare_options_print,
    .run = run,
};
