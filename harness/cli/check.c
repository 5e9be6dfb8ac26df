// check: decides a history that is there already: another tool's, or one of Lockpick's own.
#include "harness/base/scope.h"
#include "harness/base/table.h"
#include "harness/cli/check_case.h"
#include "harness/cli/verb.h"
#include "harness/import/entry.h"
#include "harness/report/run_report.h"
#include "harness/run/stored_run.h"
#include "harness/scenario/units.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

// --- options -------------------------------------------------------------------------------------

const char *const failed_releases[] = {"held", "released", NULL};
const char *const failed_acquires[] = {"nothing", "busy", NULL};
const char *const owners[] = {"process", "client", NULL};
static const char *const values[] = {"shape", "name", "permits", "token", "nothing", NULL};

static int take_model(void *options, char *name, struct error *error)
{
    AUTO_TEXT struct text models = {0};
    const char *names[16] = {0};
    const struct model *model = model_find(name);
    ((struct check_options *)options)->model = model;
    if (model != NULL)
        return 0;
    for (size_t i = 0; i < 15 && model_catalogue[i] != NULL; i++)
        names[i] = model_catalogue[i]->name;
    const char *advice = suggest(name, names);
    if (*advice == '\0') {
        text_add(&models, "; expected one of ");
        text_join(&models, names, NULL);
    }
    return error_set(error, "there is no model '%s'%s%s", name, advice, text_string(&models));
}

static int take_lease(void *options, char *text, struct error *error)
{
    int64_t *lease_ns = &((struct check_options *)options)->model_options.lease_ns;
    return duration_read(text, lease_ns) == READING_FINE && *lease_ns > 0
               ? 0
               : error_set(error, "--lease takes a time, as 300ms, 5s or 2m, not '%s'", text);
}

// Cuts "FROM=TO", the value of an option of that form, at its last '='.
static int split(const char *form, char *rule, size_t count, const char **from, const char **to,
                 struct error *error)
{
    char *equals = strrchr(rule, '=');
    rule += *rule == ':' && equals != rule + 1; // a keyword, as EDN writes it
    if (equals == NULL || equals == rule || equals[1] == '\0')
        return error_set(error, "%s, not '%s'", form, rule);
    if (count == CHECK_MOST_RULES)
        return error_set(error, "%.*s may be given %d times", (int)strcspn(form, " "), form,
                         CHECK_MOST_RULES);
    *equals = '\0';
    *from = rule;
    *to = equals + 1;
    return 0;
}

static int take_rename(void *into, char *rule, struct error *error)
{
    struct check_options *options = into;
    struct import_rename *rename = &options->renames[options->import.rename_count];
    if (split("--f takes NAME=MEANING", rule, options->import.rename_count, &rename->from,
              &rename->to, error) != 0)
        return -1;
    rename->to += *rename->to == ':';
    options->import.rename_count++;
    return entry_knows_function(rename->to)
               ? 0
               : error_set(error,
                           "--f %s=%s: '%s' is none that Lockpick knows; expected acquire, "
                           "release, renew, skip, or another that `lockpick help check` lists",
                           rename->from, rename->to, rename->to);
}

static int take_failure(void *into, char *rule, struct error *error)
{
    static const struct import_failure meanings[] = {{"held", false, CLAIM_NOTHING},
                                                     {"released", false, CLAIM_LOCK},
                                                     {"nothing", true, CLAIM_NOTHING},
                                                     {"busy", true, CLAIM_LOCK}};
    struct check_options *options = into;
    struct import_failure *failure = &options->failures[options->import.failure_count];
    const char *from;
    const char *to;
    if (split("--failed takes ERROR=MEANING", rule, options->import.failure_count, &from, &to,
              error) != 0)
        return -1;
    options->import.failure_count++;
    for (size_t i = 0; i < sizeof meanings / sizeof meanings[0]; i++) {
        if (strcmp(meanings[i].error, to) != 0)
            continue;
        *failure = meanings[i];
        failure->error = from;
        return 0;
    }
    return error_set(error,
                     "--failed %s=%s: expected held or released, of a release; nothing or busy, of "
                     "an acquire",
                     from, to);
}

#define OPTIONS struct check_options
static const struct option check_options[] = {
    {"model", "MODEL", "what the lock must be; without it, a run is judged by its scenario",
     TAKEN_BY(take_model)},
    {"permits", "K", "of the semaphore: how many may be held at once",
     NUMBER(OPTIONS, model_options.permits, INT64_MAX)},
    {"depth", "N", "of the reentrant: how often one may hold it (default: any number)",
     NUMBER(OPTIONS, model_options.depth_limit, INT64_MAX)},
    {"lease", "TIME", "of mutex and fenced, as 300ms or 5s (see above)", TAKEN_BY(take_lease)},
    {"owner", "process|client", "who holds what a process acquires (see above)",
     WORD(OPTIONS, import.owner, owners), .said = offsetof(OPTIONS, says_owner)},
    {"concurrency", "N", "how many processes there were at first (default: found out)",
     NUMBER(OPTIONS, import.concurrency, 1 << 24)},
    {"f", "NAME=MEANING", "an f NAME is acquire, release, ... or skip (repeatable)",
     TAKEN_BY(take_rename)},
    {"value", "MEANING", "what a value alone says: name, permits, token or nothing",
     WORD(OPTIONS, import.value, values)},
    {"failed", "ERROR=MEANING",
     "what a failure with that error means: held or released, nothing or busy",
     TAKEN_BY(take_failure)},
    {"map-failed-release", "held|released", "what any other failed release means (see above)",
     WORD(OPTIONS, model_options.failed_release, failed_releases),
     .said = offsetof(OPTIONS, says_failed_release)},
    {"map-failed-acquire", "nothing|busy", "what any other failed acquire means (see above)",
     WORD(OPTIONS, model_options.failed_acquire, failed_acquires)},
    {"picture", "FILE", "draws the first violation by gnuplot: an SVG", TEXT(OPTIONS, picture)},
    {"json", "", "prints all of it as JSON", FLAG(OPTIONS, json)},
    {.name = NULL},
};

// What only a model can do, and what only some models can.
static int check_together(struct check_options *options, struct error *error)
{
    const struct model_options *given = &options->model_options;
    const struct model *model = options->model;
    struct import_options *import = &options->import;
    bool any = given->permits > 0 || given->depth_limit > 0 || given->lease_ns > 0 ||
               options->says_failed_release || options->says_owner || given->failed_acquire != 0 ||
               import->rename_count > 0 || import->failure_count > 0 || import->value != 0 ||
               import->concurrency > 0 || options->picture != NULL;
    if (model == NULL && any)
        return error_set(error, "these options need a --model; without one, a run is judged by its "
                                "own scenario");
    if (model == NULL)
        return 0;
    import->renames = options->renames;
    import->failures = options->failures;
    import->has_tokens = model->has_tokens;
    import->has_permits = model->has_permits;
    import->has_leases = given->lease_ns > 0;
    for (size_t i = 0; i < import->failure_count; i++) {
        if (import->failures[i].claim == CLAIM_LOCK && import->failures[i].of_acquire &&
            !model->decides_busy)
            return error_set(error, "--failed %s=busy: the model %s does not decide that",
                             import->failures[i].error, model->name);
    }
    if (options->picture != NULL &&
        (given->lease_ns > 0 || import->owner == OWNER_IS_CLIENT || model->is_ownerless))
        return error_set(error, "--picture draws holds that their own process ends: not those of "
                                "--lease, --owner client, ownerless or tokens");
    return model_check_options(model, given, error);
}

// --- by a model ----------------------------------------------------------------------------------

// Of two codes the one that matters more: what is malformed, then what is broken.
static int graver(int a, int b)
{
    static const int gravity[] = {
        [EXIT_AS_EXPECTED] = 0, [EXIT_INCONCLUSIVE] = 1, [EXIT_THRESHOLD] = 2,
        [EXIT_ENVIRONMENT] = 3, [EXIT_MISSED] = 4,       [EXIT_USAGE] = 5};
    return gravity[a] >= gravity[b] ? a : b;
}

// A row of the table of all histories at a glance. Returns the exit code.
static int add_row(struct table *table, const struct check_case *one, bool is_malformed)
{
    static const struct {
        enum colour colour;
        int code;
    } verdicts[] = {[CASE_LINEARIZABLE] = {COLOUR_GREEN, EXIT_AS_EXPECTED},
                    [CASE_NOT_LINEARIZABLE] = {COLOUR_RED, EXIT_MISSED},
                    [CASE_UNDECIDED] = {COLOUR_YELLOW, EXIT_INCONCLUSIVE}};
    const size_t numbers[] = {one->operations.count, one->operations.name_count,
                              one->analysis.violation_count};
    char number[24];
    table_cell(table, is_malformed ? COLOUR_RED : verdicts[one->verdict].colour,
               is_malformed ? "MALFORMED" : case_verdicts[one->verdict]);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        snprintf(number, sizeof number, "%zu", numbers[i]);
        table_cell(table, COLOUR_PLAIN, is_malformed ? "-" : number);
    }
    table_cell(table, COLOUR_PLAIN, one->name);
    return is_malformed ? EXIT_USAGE : verdicts[one->verdict].code;
}

static json_t *positive(int64_t number)
{
    return number > 0 ? json_integer(number) : json_null();
}

static int check_by_model(const struct check_options *options, const struct stored_path *stored)
{
    int code = EXIT_AS_EXPECTED;
    bool is_coloured = colour_wanted(stdout);
    json_auto_t *histories = json_array();
    struct table *table = TABLE_OF("verdict", "operations", "locks", "violations", "history");
    for (int column = 1; column <= 3; column++)
        table_align_right(table, column);
    for (size_t i = 0; i < stored->histories.count; i++) {
        struct check_case one;
        bool is_malformed = check_case_make(stored->histories.items[i], options, &one) != 0;
        code = graver(code, add_row(table, &one, is_malformed));
        if (!is_malformed && options->json)
            json_array_append_new(histories, check_case_json(&one));
        else if (!is_malformed)
            check_case_print(&one, is_coloured);
        check_case_free(&one);
    }
    if (options->json) {
        const struct model_options *given = &options->model_options;
        json_auto_t *root =
            json_pack("{s:s, s:s, s:o, s:o, s:o, s:O}", "schema", "lockpick-check-1", "model",
                      options->model->name, "permits", positive(given->permits), "depth",
                      positive(given->depth_limit), "lease_ns", positive(given->lease_ns),
                      "histories", histories);
        AUTO_FREE char *text = json_dumps(root, JSON_INDENT(2));
        if (text != NULL)
            puts(text);
    } else if (stored->histories.count > 1) {
        table_print(table, stdout, is_coloured);
    }
    table_free(table);
    return code;
}

// --- by the scenario -----------------------------------------------------------------------------

static int judge_anew(const struct check_options *options, const struct stored_path *stored)
{
    struct stored_runs runs;
    struct run_report report;
    struct error error = {0};
    if (stored_runs_open(&stored->run, 1, stored->trial, HISTORIES_NONE, &runs, &error) != 0) {
        stored_runs_free(&runs);
        return verb_fails(&check_verb, EXIT_USAGE, "%s", error.text);
    }
    stored_runs_judge(&runs, stored->run, TRIAL_FILES_NONE);
    run_report_make(&runs.result, &report);
    if (options->json) {
        AUTO_FREE char *json = report_json(&report);
        puts(json);
    } else {
        report_print(&report, stdout, colour_wanted(stdout), false);
        differences_print(&runs.differences, false);
    }
    int code = report_exit_code(&report);
    run_report_free(&report);
    stored_runs_free(&runs);
    return code;
}

static int check(const struct check_options *options, const char *path,
                 const struct stored_path *stored)
{
    if (stored->histories.count == 0)
        return usage_error(&check_verb,
                           "%s holds no history: expected a file, or a folder with histories "
                           "(.edn, .json, .jsonl, also .gz), or that of a trial or run",
                           path);
    if (options->model == NULL)
        return usage_error(&check_verb,
                           "%s belongs to no run of Lockpick's, so there is no scenario to judge "
                           "it by: --model MODEL says what its lock must be",
                           path);
    if (options->picture != NULL && stored->histories.count > 1)
        return usage_error(&check_verb, "--picture: %s holds %zu histories; name one", path,
                           stored->histories.count);
    return check_by_model(options, stored);
}

// Runs are judged one after the other; of all other histories one table is made.
static int run(const struct words *words, void *from)
{
    struct check_options *options = from;
    struct words given = *words;
    const char *standard_input = "-";
    struct error error = {0};
    if (given.count == 0 && !isatty(STDIN_FILENO) && options->model != NULL)
        given = (struct words){&standard_input, 1};
    if (given.count == 0)
        return usage_error(&check_verb,
                           "which history? Give a file, a folder of them, or - for standard "
                           "input; or the folder of a trial or run");
    if (check_together(options, &error) != 0)
        return usage_error(&check_verb, "%s", error.text);
    int code = EXIT_AS_EXPECTED;
    bool is_judged = false;
    struct stored_path all = {0};
    for (size_t i = 0; i < given.count; i++) {
        const char *path = given.items[i];
        struct stored_path stored;
        if (strcmp(path, "-") != 0 && access(path, R_OK) != 0) {
            code = verb_fails(&check_verb, EXIT_USAGE, "cannot open %s: %s", path, strerror(errno));
            continue;
        }
        stored_path_find(path, &stored);
        bool is_run = options->model == NULL && stored.run != NULL;
        is_judged |= is_run;
        if (is_run)
            code = graver(code, judge_anew(options, &stored));
        for (size_t j = 0; !is_run && j < stored.histories.count; j++)
            string_list_add(&all.histories, stored.histories.items[j]);
        stored_path_free(&stored);
    }
    if (all.histories.count > 0 || (code == EXIT_AS_EXPECTED && !is_judged))
        code = graver(code, check(options, given.items[0], &all));
    stored_path_free(&all);
    return code;
}

static void add_models(const char *word, struct text *out)
{
    (void)word;
    for (size_t i = 0; model_catalogue[i] != NULL; i++)
        text_format(out, "  %-17s %s\n", model_catalogue[i]->name, model_catalogue[i]->summary);
}

extern const char template_help_check[];
const struct verb check_verb = {
    .name = "check",
    .arguments = "HISTORY... --model MODEL | RUN... | TRIAL...",
    .summary = "Decides a history: another tool's, or a run's anew",
    .help = template_help_check,
    .fill = add_models,
    .options = check_options,
    .room = sizeof(struct check_options),
    .run = run,
};
