// run: from scenario files to verdicts, a report and an exit code.
#include "harness/base/random.h"
#include "harness/cli/verb.h"
#include "harness/locks/lock.h"
#include "harness/report/pictures/picture.h"
#include "harness/run/draw.h"
#include "harness/run/loopback.h"
#include "harness/run/performance.h"
#include "harness/run/run_folder.h"
#include "harness/run/run_outputs.h"
#include "harness/run/scenario_files.h"
#include "harness/run/vocabulary.h"
#include "harness/stores/store.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct request {
    const struct run_options *options;
    const struct plan *plan;
    char *folder;
};

// In the sandbox, as the conductor.
static int conduct(const struct sandbox *sandbox, void *context)
{
    const struct request *request = context;
    struct run_result run = {
        .folder = request->folder, .seed = request->plan->seed, .strict = request->options->strict};
    const char *open = open_to_strangers(request->plan);
    if (sandbox->isolation == ISOLATION_LOOPBACK && !request->options->json)
        fprintf(stderr, "lockpick run: on loopback ports, not in namespaces: %s\n",
                sandbox->why_loopback);
    if (sandbox->isolation == ISOLATION_LOOPBACK && open != NULL)
        fprintf(stderr,
                "lockpick run: WARNING: while this run lasts, every user of this machine can read "
                "and change what is in its %s servers, and so spoil its verdicts\n",
                open);
    struct error error = {0};
    perform_plan(request->plan, request->options, sandbox, &run);
    run.lacks_files = run_pictures_write(&run, run.has_plots, &error) != 0;
    if (run.lacks_files)
        fprintf(stderr, "lockpick run: the pictures of the run: %s\n", error.text);
    int code = run_outputs_write(&run, request->options);
    run_folder_publish(run.folder);
    run_pictures_free(&run);
    performance_free(&run);
    return code;
}

// Of the run; what a file says of its own counts for its scenarios, unless --seed is said.
static uint64_t choose_seed(const struct run_options *options, const struct scenario_set *set)
{
    int64_t seed = set->scenarios[0]->seed;
    if (options->seed != 0)
        return (uint64_t)options->seed;
    for (size_t i = 1; i < set->count; i++)
        seed = set->scenarios[i]->seed == seed ? seed : 0;
    if (seed != 0)
        return (uint64_t)seed;
    struct random random;
    random_start(&random, (uint64_t)clock_realtime_ns(), 0);
    return random_below(&random, 1000000000) + 1; // short enough to be typed again
}

static void say_how_it_ended(int signal_number, const char *folder)
{
    fprintf(stderr,
            "lockpick run: ended by signal %d%s; what was recorded until then is in %s, and "
            "`lockpick report %s` judges it\n",
            signal_number, signal_number == SIGBUS ? " (no room left on the disk?)" : "", folder,
            folder);
}

static int run_set(const struct run_options *options, struct scenario_set *set,
                   const struct vocabulary *vocabulary)
{
    struct error error = {0};
    struct plan plan;
    uint64_t seed = choose_seed(options, set);
    for (size_t i = 0; options->seed != 0 && i < set->count; i++)
        set->scenarios[i]->seed = options->seed;
    if (plan_make(set->scenarios, set->count, vocabulary, options->scheme, options->repeat, seed,
                  &plan, &error) != 0) {
        fprintf(stderr, "lockpick run: %s\n", error.text);
        return EXIT_USAGE;
    }
    for (size_t i = 0; i < set->count; i++)
        draw_tell(&plan, set->scenarios[i], stderr);
    if (draw_plan(&plan, vocabulary) != 0) {
        plan_free(&plan);
        return EXIT_USAGE;
    }
    int code = EXIT_ENVIRONMENT;
    struct request request = {.options = options, .plan = &plan};
    if (run_outputs_check(options, &error) != 0 ||
        (request.folder = run_folder_make(options, set, &plan, &error)) == NULL)
        fprintf(stderr, "lockpick run: %s\n", error.text);
    else
        code = sandbox_run_why(why_loopback(options, &plan),
                               &(struct sandbox_work){.body = conduct,
                                                      .context = &request,
                                                      .sweep = run_folder_sweep,
                                                      .folder = request.folder});
    if (code > 128)
        say_how_it_ended(code - 128, request.folder);
    free(request.folder);
    plan_free(&plan);
    return code;
}

static int run(int argc, char **argv)
{
    struct run_options options;
    struct error error = {0};
    if (run_options_parse(argc, argv, &options, &error) != 0 ||
        run_folder_check(&options, &error) != 0) {
        run_options_free(&options);
        return usage_error(&run_verb, "%s", error.text);
    }
    struct vocabulary *vocabulary = vocabulary_new();
    struct scenario_set set;
    int code = EXIT_USAGE;
    if (scenario_set_load(&options, vocabulary, &set) == 0)
        code = run_set(&options, &set, vocabulary);
    scenario_set_free(&set);
    vocabulary_free(vocabulary);
    run_options_free(&options);
    return code;
}

const struct verb run_verb = {
    .name = "run",
    .arguments = "FILE|DIR... [options]",
    .summary = "Runs scenarios against real servers and decides what each lock is worth",
    .print_help = run_options_print,
    .run = run,
};
