// run: from scenario files to verdicts, a report and an exit code.
#include "harness/base/random.h"
#include "harness/cli/verb.h"
#include "harness/report/pictures/picture.h"
#include "harness/run/applicability.h"
#include "harness/run/draw.h"
#include "harness/run/perform.h"
#include "harness/run/run_files.h"
#include "harness/run/slots.h"
#include "harness/run/vocabulary.h"

#include <signal.h>
#include <stdlib.h>

static const struct option run_options[] = {
    OPTION_SET,
    OPTION_SCHEME,
    OPTION_SEED,
    {"repeat", "N", "runs each trial N times", NUMBER(struct run_options, repeat, 1000)},
    {"again", "N", "runs a trial that could not be decided again, up to N times (default: 0)",
     NUMBER(struct run_options, again, 100)},
    {"jobs", "N",
     "N trials with faults at a time (default: as many as leave processors and memory free)",
     NUMBER(struct run_options, jobs, MAX_SLOTS)},
    OPTION_OUT,
    {"keep-going", "", "goes on after a trial that missed its expectation",
     FLAG(struct run_options, keep_going)},
    OPTION_NO_NAMESPACES,
    OPTIONS_OF_OUTPUTS,
    {.name = NULL},
};

struct request {
    const struct run_options *options;
    const struct plan *plan;
};

// In the sandbox, as the conductor.
static int conduct(const struct sandbox *sandbox, char *folder, void *context)
{
    const struct request *request = context;
    struct run_result run = {
        .folder = folder, .seed = request->plan->seed, .strict = request->options->strict};
    const char *open = open_to_strangers(request->plan);
    struct error error = {0};
    if (sandbox->isolation == ISOLATION_LOOPBACK && !request->options->json)
        fprintf(stderr, "lockpick run: on loopback ports, not in namespaces: %s\n",
                sandbox->why_loopback);
    if (sandbox->isolation == ISOLATION_LOOPBACK && open != NULL)
        fprintf(stderr,
                "lockpick run: WARNING: while this run lasts, every user of this machine can read "
                "and change what is in its %s servers, and so spoil its verdicts\n",
                open);
    perform_plan(request->plan, request->options, sandbox, &run);
    run.lacks_files = run_pictures_write(&run, run.has_plots, &error) != 0;
    if (run.lacks_files)
        verb_fails(&run_verb, 0, "the pictures of the run: %s", error.text);
    int code = run_outputs_write(&run, request->options);
    run_folder_publish(run.folder);
    run_pictures_free(&run);
    performed_free(&run);
    return code;
}

// Of the run; what a file says of its own counts for its scenarios, unless --seed is said.
static uint64_t choose_seed(const struct run_options *options, const struct scenario_set *set)
{
    int64_t seed = set->scenarios[0]->seed;
    for (size_t i = 0; options->seed != 0 && i < set->count; i++)
        seed = set->scenarios[i]->seed = options->seed;
    for (size_t i = 1; i < set->count; i++)
        seed = set->scenarios[i]->seed == seed ? seed : 0;
    if (seed != 0)
        return (uint64_t)seed;
    struct random random;
    random_start(&random, (uint64_t)clock_realtime_ns(), 0);
    return random_below(&random, 1000000000) + 1; // short enough to be typed again
}

static int run_set(const struct run_options *options, const struct scenario_set *set,
                   const struct vocabulary *vocabulary)
{
    struct error error = {0};
    struct plan plan;
    if (plan_make(set->scenarios, set->count, vocabulary, options->scheme, options->repeat,
                  choose_seed(options, set), &plan, &error) != 0)
        return verb_fails(&run_verb, EXIT_USAGE, "%s", error.text);
    for (size_t i = 0; i < set->count; i++)
        draw_tell(&plan, set->scenarios[i], stderr);
    int code = EXIT_USAGE;
    struct request request = {.options = options, .plan = &plan};
    char *folder = NULL;
    if (draw_plan(&plan, vocabulary) == 0) {
        code = run_outputs_check(options, &error) == 0
                   ? perform_in_sandbox(options, set, &plan, conduct, &request, &folder, &error)
                   : EXIT_ENVIRONMENT;
        if (folder == NULL)
            verb_fails(&run_verb, code, "%s", error.text);
    }
    if (code > 128)
        verb_fails(&run_verb, code,
                   "ended by signal %d%s; what was recorded until then is in %s, and `lockpick "
                   "report %s` judges it",
                   code - 128, code - 128 == SIGBUS ? " (no room left on the disk?)" : "", folder,
                   folder);
    free(folder);
    plan_free(&plan);
    return code;
}

static int run(const struct words *words, void *from)
{
    struct run_options *options = from;
    struct error error = {0};
    options->paths = words->items;
    options->path_count = words->count;
    if (options->json + options->github + options->tap > 1)
        return usage_error(&run_verb,
                           "%s both want standard output; the run's folder has a result.json in "
                           "any case",
                           !options->tap   ? "--json and --github"
                           : options->json ? "--json and --tap"
                                           : "--tap and --github");
    if (words->count == 0)
        return usage_error(&run_verb, "which scenario? Give a file, or a folder of files");
    if (run_folder_check(options, &error) != 0)
        return usage_error(&run_verb, "%s", error.text);
    struct vocabulary *vocabulary = vocabulary_new();
    struct scenario_set set;
    int code = EXIT_USAGE;
    if (scenario_set_load(options, vocabulary, &set) == 0)
        code = run_set(options, &set, vocabulary);
    scenario_set_free(&set);
    vocabulary_free(vocabulary);
    return code;
}

extern const char template_help_run[];
const struct verb run_verb = {
    .name = "run",
    .arguments = "FILE|DIR... [options]",
    .summary = "Runs scenarios against real servers and decides what each lock is worth",
    .help = template_help_run,
    .options = run_options,
    .room = sizeof(struct run_options),
    .run = run,
};
