// compare: two runs, or two schemes of one, held against each other; or two schemes of a scenario,
// which are run interleaved, on the same servers.
#include "harness/base/file.h"
#include "harness/base/scope.h"
#include "harness/base/table.h"
#include "harness/cli/verb.h"
#include "harness/report/comparison.h"
#include "harness/report/fields.h"
#include "harness/report/pictures/picture.h"
#include "harness/report/run_report.h"
#include "harness/run/perform.h"
#include "harness/run/run_files.h"
#include "harness/run/stored_run.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#define USUAL_MARGIN "5%"
#define USUAL_REPEATS 7

struct compare_options {
    struct run_options run; // of interleaved runs
    struct comparison_options comparison;
    const char *margin;
    const char *schemes[2];
    size_t scheme_count;
    bool all; // also shows what did not change
};

static int take_compared(void *into, char *name, struct error *error)
{
    struct compare_options *options = into;
    if (options->scheme_count == 2)
        return error_set(error, "two schemes at a time: %s and %s, not %s too", options->schemes[0],
                         options->schemes[1], name);
    options->schemes[options->scheme_count++] = name;
    return 0;
}

static const struct option compare_options[] = {
    {"scheme", "NAME", "the two that are compared, the baseline first (of two runs: only these)",
     TAKEN_BY(take_compared)},
    {"margin", "N%", "a difference of less does not matter (default: " USUAL_MARGIN ")",
     TEXT(struct compare_options, margin)},
    {"anyway", "", "compares costs although the environments differ, and marks it",
     FLAG(struct compare_options, comparison.anyway)},
    {"all", "", "of many figures, also shows those that did not change",
     FLAG(struct compare_options, all)},
    {"json", "", "prints all of it as JSON", FLAG(struct run_options, json)},
    {"repeat", "N", "of a scenario: how often each scheme has its turn (default: 7)",
     NUMBER(struct run_options, repeat, 1000)},
    OPTION_SET,
    OPTION_SEED,
    OPTION_OUT,
    OPTION_NO_NAMESPACES,
    {.name = NULL},
};

// Prints the comparison, frees it, and returns the exit code.
static int show(struct comparison *comparison, const struct compare_options *options)
{
    if (options->run.json) {
        AUTO_FREE char *json = comparison_json(comparison);
        puts(json);
    } else {
        comparison_print(comparison, options->all, stdout, colour_wanted(stdout));
    }
    int code = comparison_exit_code(comparison);
    comparison_free(comparison);
    return code;
}

// --- interleaved runs ----------------------------------------------------------------------------

struct request {
    const struct compare_options *options;
    struct run_options run; // as the trials are performed
};

// Says why what was not tried was not, each reason once. True if there was any such trial.
static bool complain_of_untried(const struct run_result *run)
{
    const char *last = "";
    bool any = false;
    for (size_t i = 0; i < run->count; i++) {
        const struct judgement *judgement = &run->trials[i].judgement;
        if (judgement->verdict < VERDICT_SKIPPED)
            continue;
        if (strcmp(judgement->reason, last) != 0)
            verb_fails(&compare_verb, 0, "%s: %s: %s", run->trials[i].trial->name,
                       verdict_name(judgement->verdict), judgement->reason);
        last = judgement->reason;
        any = true;
    }
    return any;
}

static int conduct(void *context, const struct sandbox *sandbox, const struct plan *plan,
                   char *folder)
{
    const struct request *request = context;
    const struct compare_options *options = request->options;
    struct run_result run = {.folder = folder, .seed = plan->seed};
    struct run_report report;
    struct run_figures figures;
    struct comparison comparison;
    struct error error = {0};
    perform_plan(plan, &request->run, sandbox, &run);
    bool is_short =
        complain_of_untried(&run) || run.count < run.planned || sandbox_is_interrupted(sandbox);
    if (run_pictures_write(&run, run.has_plots, &error) != 0)
        verb_fails(&compare_verb, 0, "the pictures of the run: %s", error.text);
    run_report_make(&run, &report);
    bool is_written = run_outputs_write_folder(&report) == 0;
    run_folder_publish(folder);
    int code = EXIT_ENVIRONMENT;
    if (run_figures_make(report_json_value(&report), folder, &figures, &error) == 0) {
        comparison_of_schemes(&figures, options->schemes[0], options->schemes[1],
                              &options->comparison, &comparison);
        comparison.is_broken = is_short || !is_written;
        code = show(&comparison, options);
    } else {
        verb_fails(&compare_verb, code, "%s", error.text);
    }
    if (!options->run.json)
        printf("report: %s/report.html\n", folder);
    run_figures_free(&figures);
    run_report_free(&report);
    run_pictures_free(&run);
    performed_free(&run);
    return code;
}

// One plan of both schemes, whose repeats take turns.
static int make_plan(void *context, const struct scenario_set *set,
                     const struct vocabulary *vocabulary, uint64_t seed, struct plan *plan,
                     struct error *error)
{
    const struct compare_options *options = ((struct request *)context)->options;
    struct plan plans[2] = {0};
    int64_t repeats = set->scenarios[0]->repeat;
    repeats = options->run.repeat > 0   ? options->run.repeat
              : repeats > USUAL_REPEATS ? repeats
                                        : USUAL_REPEATS;
    int result = 0;
    for (int i = 0; i < 2 && result == 0; i++)
        result = plan_make(set->scenarios, set->count, vocabulary,
                           (const char *const[]){options->schemes[i], NULL}, repeats, seed,
                           &plans[i], error);
    for (int i = 0; i < 2 && result == 0; i++) {
        if (strcmp(plans[i].trials[0].scheme, options->schemes[i]) != 0)
            result =
                error_set(error, "--scheme takes the name of one scheme here, such as %s, not '%s'",
                          plans[i].trials[0].scheme, options->schemes[i]);
    }
    if (result == 0)
        plan_interleave(&plans[0], &plans[1], plan);
    plan_free(&plans[0]);
    plan_free(&plans[1]);
    return result;
}

// --- a stored run --------------------------------------------------------------------------------

// What result.json would say of the run, were it judged now; NULL with `error` set if it cannot be.
static json_t *judge_anew(const char *folder, bool *was_stopped, struct error *error)
{
    struct stored_runs runs;
    struct run_report report;
    json_t *result = NULL;
    char *const folders[] = {(char *)(size_t)folder};
    if (stored_runs_open(folders, 1, NULL, HISTORIES_ALL, &runs, error) == 0) {
        stored_runs_judge(&runs, folder, TRIAL_FILES_NONE);
        run_report_make(&runs.result, &report);
        result = report_json_value(&report);
        run_report_free(&report);
        fputs(text_string(&runs.differences.text), stderr);
    }
    *was_stopped = runs.was_stopped;
    stored_runs_free(&runs);
    return result;
}

// Judged anew if its histories are there, else by what its result.json says. 0, or -1 with `error`
// set; run_figures_free in either case.
static int load_run(const char *path, struct run_figures *figures, struct error *error)
{
    struct error why = {0};
    struct error problem = {0};
    bool folder = S_ISDIR(mode_at("%s", path));
    AUTO_FREE char *file = folder ? path_join(path, "result.json") : memory_string(path);
    bool was_stopped = false;
    json_t *result = folder ? judge_anew(path, &was_stopped, &why) : NULL;
    *figures = (struct run_figures){0};
    if (result == NULL && (result = json_read(file, &problem)) != NULL && folder)
        verb_fails(&compare_verb, 0, "%s: taken as its result.json says: %s", path, why.text);
    int code = -1;
    if (result != NULL)
        code = run_figures_make(result, path, figures, error);
    else if (folder && mode_at("%s/as-run", path) == 0 && mode_at("%s/as-run.yaml", path) == 0)
        error_set(error, "%s holds no run: neither as-run.yaml nor a result.json that can be read",
                  path);
    else if (folder)
        error_set(error, "%s: %.400s; nor can its result.json be read: %.200s", path, why.text,
                  problem.text);
    else
        error_set(error, "cannot read %s as the result.json of a run: %.200s", path, problem.text);
    figures->was_stopped = was_stopped;
    return code;
}

static bool has_scheme(const struct run_figures *run, const char *pattern)
{
    for (size_t i = 0; i < run->count; i++) {
        if (text_matches(run->repeats[i].scheme, pattern))
            return true;
    }
    return false;
}

static int no_such_scheme(const struct run_figures *run, const char *scheme)
{
    AUTO_LIST struct string_list tried = {0};
    AUTO_TEXT struct text known = {0};
    for (size_t i = 0; i < run->count; i++) {
        if (!string_list_has(&tried, run->repeats[i].scheme))
            string_list_add(&tried, run->repeats[i].scheme);
    }
    text_join(&known, (const char *const *)tried.items, NULL);
    return verb_fails(&compare_verb, EXIT_INCONCLUSIVE,
                      "the run in %s has not tried '%s'; it tried %s", run->name, scheme,
                      known.length > 0 ? text_string(&known) : "nothing");
}

static bool are_one_run(const char *const paths[2])
{
    char *real[2];
    for (int i = 0; i < 2; i++) {
        AUTO_FREE char *file = path_join(paths[i], "result.json");
        real[i] = realpath(S_ISDIR(mode_at("%s", paths[i])) ? file : paths[i], NULL);
    }
    bool is_one = real[0] != NULL && real[1] != NULL && strcmp(real[0], real[1]) == 0;
    free(real[0]);
    free(real[1]);
    return is_one;
}

// Two runs, or two schemes of one.
static int compare_stored(const struct words *words, const struct compare_options *options)
{
    struct run_figures runs[2] = {0};
    struct run_figures *latest = &runs[words->count - 1];
    struct comparison comparison;
    struct error error = {0};
    const char *const *schemes = options->schemes;
    const char *untried = NULL;
    int code = EXIT_USAGE;
    if (load_run(words->items[words->count - 1], latest, &error) != 0) {
        verb_fails(&compare_verb, code, "%s", error.text);
    } else if (words->count == 2 && load_run(words->items[0], &runs[0], &error) != 0) {
        // A baseline that is not there is nothing to be green about.
        code = verb_fails(&compare_verb, EXIT_INCONCLUSIVE,
                          "inconclusive: there is no baseline: %s\n"
                          "(keep a run there, or at least its result.json)",
                          error.text);
    } else {
        for (size_t i = options->scheme_count; i-- > 0;) {
            if (!has_scheme(&runs[0], schemes[i]) && !has_scheme(&runs[1], schemes[i]))
                untried = schemes[i];
        }
        if (untried != NULL) {
            code = no_such_scheme(latest, untried);
        } else if (words->count == 1) {
            comparison_of_schemes(&runs[0], schemes[0], schemes[1], &options->comparison,
                                  &comparison);
            code = show(&comparison, options);
        } else {
            comparison_of_runs(&runs[0], &runs[1], &options->comparison, &comparison);
            comparison.is_one_run = are_one_run(words->items);
            code = show(&comparison, options);
        }
    }
    run_figures_free(&runs[0]);
    run_figures_free(&runs[1]);
    return code;
}

// --- the command ---------------------------------------------------------------------------------

// 0, or the exit code of wrong usage.
static int check_usage(const struct words *words, struct compare_options *options)
{
    const char *const *schemes = options->schemes;
    const char *margin = options->margin != NULL ? options->margin : USUAL_MARGIN;
    char *end;
    double percent = strtod(margin, &end);
    options->comparison.margin = percent / 100;
    if (end == margin || strcmp(end, "%") != 0 || !(percent >= 0 && percent <= 100))
        return usage_error(&compare_verb, "--margin takes a percentage such as 5%%, not '%s'",
                           margin);
    if (words->count == 0)
        return usage_error(&compare_verb, "what? Give two runs, the baseline first; or a run or a "
                                          "scenario, with two --scheme");
    if (words->count > 2)
        return usage_error(&compare_verb, "two runs at a time: %s and %s, not %s too",
                           words->items[0], words->items[1], words->items[2]);
    if (words->count == 1 && options->scheme_count < 2)
        return usage_error(&compare_verb,
                           "%s with what? Give another run; or two schemes, --scheme X --scheme Y",
                           words->items[0]);
    if (words->count == 1 && strcmp(schemes[0], schemes[1]) == 0)
        return usage_error(&compare_verb,
                           "--scheme %s twice: a scheme has no difference from itself", schemes[0]);
    return 0;
}

static int run(const struct words *words, void *from)
{
    static const struct scenario_run interleaved = {.plan = make_plan, .conduct = conduct};
    struct compare_options *options = from;
    struct request request = {.options = options, .run = options->run};
    if (check_usage(words, options) != 0)
        return EXIT_USAGE;
    const char *path = words->items[0];
    bool is_scenario = words->count == 1 && !S_ISDIR(mode_at("%s", path)) &&
                       fnmatch("*.y?(a)ml", path, FNM_EXTMATCH) == 0;
    for (size_t i = 0; i < options->scheme_count; i++)
        options->comparison.only[i] = options->schemes[i];
    request.run.keep_going = true;
    request.run.jobs = 1; // one after the other, whatever strikes them
    if (is_scenario)
        return verb_runs_scenarios(&compare_verb, words, &request.run, &interleaved, &request);
    const struct run_options *run = &options->run;
    const char *alien = run->repeat > 0           ? "--repeat"
                        : run->override_count > 0 ? "--set"
                        : run->seed > 0           ? "--seed"
                        : run->out != NULL        ? "--out"
                        : run->no_namespaces      ? "--no-namespaces"
                                                  : NULL;
    if (alien != NULL)
        return usage_error(&compare_verb,
                           "%s is for a scenario, which is run; %s is a run that was", alien, path);
    return compare_stored(words, options);
}

extern const char template_help_compare[];
const struct verb compare_verb = {
    .name = "compare",
    .arguments = "A B | RUN|FILE --scheme X --scheme Y",
    .summary = "Says what got slower, faster or worse, and what cannot be told",
    .help = template_help_compare,
    .options = compare_options,
    .room = sizeof(struct compare_options),
    .run = run,
};
