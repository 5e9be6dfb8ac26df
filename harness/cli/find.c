// find: the highest rate at which a lock still meets a target, looked for trial by trial.
#include "harness/base/clock.h"
#include "harness/base/file.h"
#include "harness/base/text.h"
#include "harness/cli/find_report.h"
#include "harness/cli/verb.h"
#include "harness/run/loopback.h"
#include "harness/run/run_folder.h"
#include "harness/run/scenario_files.h"
#include "harness/run/vocabulary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- in the sandbox ------------------------------------------------------------------------------

static void tell_nobody(const struct find_result *result)
{
    (void)result;
}

// find.json, and what of it goes to standard output. 0, or -1 and said.
static int write_json(const struct find_request *request, const struct find_result *results,
                      size_t count, bool print)
{
    struct error error = {0};
    char *json = find_json(request, results, count);
    char *path = path_join(request->folder, "find.json");
    int written = file_write(path, json, strlen(json), &error);
    if (written != 0)
        fprintf(stderr, "lockpick find: %s\n", error.text);
    if (print)
        puts(json);
    else
        printf("histories: %s\n", request->folder);
    free(path);
    free(json);
    return written;
}

// What could not be tried on this machine is no failure.
static int exit_code_of(const struct find_result *results, size_t count)
{
    bool any[FIND_NOT_TRIED + 1] = {false};
    for (size_t i = 0; i < count; i++)
        any[results[i].outcome] = true;
    if (any[FIND_FAILED])
        return EXIT_ENVIRONMENT;
    if (any[FIND_NONE])
        return EXIT_MISSED;
    return any[FIND_DRIVER] ? EXIT_INCONCLUSIVE : EXIT_AS_EXPECTED;
}

static int conduct(const struct sandbox *sandbox, void *context)
{
    struct find_request *request = context;
    const struct plan *plan = request->plan;
    bool is_silent = request->options.json;
    struct find_result *results = memory_zeroed(plan->count, sizeof *results);
    size_t count = 0;
    request->sandbox = sandbox;
    for (size_t i = 0; i < plan->count && !sandbox_is_interrupted(sandbox); i++) {
        struct find_result *result = &results[count++];
        find_search(request, &plan->trials[i], is_silent ? tell_nobody : find_print_step, result);
        if (!is_silent)
            find_print_answer(result);
        if (result->outcome == FIND_FAILED)
            fprintf(stderr, "lockpick find: %s: %s\n", plan->trials[i].name, result->reason);
    }
    int code = exit_code_of(results, count);
    if (write_json(request, results, count, is_silent) != 0)
        code = EXIT_ENVIRONMENT;
    for (size_t i = 0; i < count; i++)
        find_result_free(&results[i]);
    free(results);
    return code;
}

// --- the command ---------------------------------------------------------------------------------

// The phase that says what is to be found, or NULL.
static struct load_settings *find_phase(const struct scenario *scenario)
{
    for (size_t i = 0; i < scenario->load_count; i++) {
        int64_t limit_ns;
        find_figure(&scenario->load[i].find, &limit_ns);
        if (limit_ns > 0)
            return &scenario->load[i];
    }
    return NULL;
}

static int find_in(const struct run_options *options, struct scenario_set *set,
                   const struct vocabulary *vocabulary)
{
    struct error error = {0};
    struct plan plan;
    struct scenario *scenario = set->scenarios[0];
    struct find_request request = {
        .options = *options, .scenario = scenario, .phase = find_phase(scenario), .plan = &plan};
    if (set->count != 1 || request.phase == NULL)
        return usage_error(&find_verb, "%s",
                           set->count != 1 ? "one scenario at a time"
                                           : "the scenario does not say what to find: "
                                             "load: {rate: 100/s, find: {p99: < 50ms}}");
    request.first_rate = request.phase->rate;
    uint64_t seed = options->seed != 0 ? (uint64_t)options->seed : (uint64_t)scenario->seed;
    seed = seed != 0 ? seed : (uint64_t)clock_realtime_ns() % 1000000000 + 1;
    scenario->seed = (int64_t)seed;
    request.options.quiet = true;
    if (plan_make(set->scenarios, 1, vocabulary, options->scheme, 1, seed, &plan, &error) != 0) {
        fprintf(stderr, "lockpick find: %s\n", error.text);
        return EXIT_USAGE;
    }
    int code = EXIT_ENVIRONMENT;
    request.folder = run_folder_make(options, set, &plan, &error);
    if (request.folder == NULL)
        fprintf(stderr, "lockpick find: %s\n", error.text);
    else
        code = sandbox_run_why(why_loopback(options, &plan),
                               &(struct sandbox_work){.body = conduct,
                                                      .context = &request,
                                                      .sweep = run_folder_sweep,
                                                      .folder = request.folder});
    free(request.folder);
    plan_free(&plan);
    return code;
}

static bool has_other_options(const struct run_options *options)
{
    return options->github || options->tap || options->junit != NULL || options->csv != NULL ||
           options->repeat != 0 || options->jobs != 0;
}

static int run(int argc, char **argv)
{
    struct run_options options;
    struct error error = {0};
    int code = EXIT_USAGE;
    if (run_options_parse(argc, argv, &options, &error) != 0 ||
        run_folder_check(&options, &error) != 0) {
        run_options_free(&options);
        return usage_error(&find_verb, "%s", error.text);
    }
    struct vocabulary *vocabulary = vocabulary_new();
    struct scenario_set set = {0};
    if (has_other_options(&options))
        code = usage_error(&find_verb, "of the options of run, it takes --set, --scheme, --seed, "
                                       "--json, --out and --no-namespaces");
    else if (scenario_set_load(&options, vocabulary, &set) == 0)
        code = find_in(&options, &set, vocabulary);
    scenario_set_free(&set);
    vocabulary_free(vocabulary);
    run_options_free(&options);
    return code;
}

static void print_help(FILE *out)
{
    fputs(
        "The scenario says what is to be met, and with which rate to begin:\n"
        "  load: {for: 5s, rate: 100/s, find: {p99: < 50ms}}\n"
        "The rate is doubled until the target is missed, then bisected to a twentieth; each is a\n"
        "trial with a lock of its own. The two rates that enclose the answer are then tried "
        "again,\n"
        "in turn, until two of three trials of each agree; if they do not bear it out, the search\n"
        "goes on. A latency counts from when its operation was to begin. A rate that is not held,\n"
        "by more than a hundredth of its operations, misses every target. Where the driver was\n"
        "the limit, that is said: then it is no answer about the lock. No rate is tried that is "
        "too\n"
        "low to begin enough operations for the figure: a hundred for p99, a thousand for p99.9.\n"
        "All steps are in find.json in the run's folder; --json prints it instead of the tables.\n"
        "Takes --set, --scheme, --seed, --json, --out and --no-namespaces, as run does.\n\n"
        "exit codes: 0 found, 1 no rate meets it, 2 usage or scenario, 3 the driver was the "
        "limit,\n"
        "4 environment missing or broken\n",
        out);
}

const struct verb find_verb = {
    .name = "find",
    .arguments = "FILE [options]",
    .summary = "Looks for the highest rate at which a lock meets a target",
    .print_help = print_help,
    .run = run,
};
