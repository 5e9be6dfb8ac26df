// run: from scenario files to verdicts, a report and an exit code.
#include "harness/cli/verb.h"
#include "harness/report/pictures/picture.h"
#include "harness/run/servers.h"
#include "harness/run/slots.h"

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

static int conduct(void *context, const struct sandbox *sandbox, const struct plan *plan,
                   char *folder)
{
    const struct run_options *options = context;
    struct run_result run = {.folder = folder, .seed = plan->seed, .strict = options->strict};
    const char *open = open_to_strangers(plan);
    struct error error = {0};
    if (sandbox->isolation == ISOLATION_LOOPBACK && !options->json)
        fprintf(stderr, "lockpick run: on loopback ports, not in namespaces: %s\n",
                sandbox->why_loopback);
    if (sandbox->isolation == ISOLATION_LOOPBACK && open != NULL)
        fprintf(stderr,
                "lockpick run: WARNING: while this run lasts, every user of this machine can read "
                "and change what is in its %s servers, and so spoil its verdicts\n",
                open);
    perform_plan(plan, options, sandbox, &run);
    run.lacks_files = run_pictures_write(&run, run.has_plots, &error) != 0;
    if (run.lacks_files)
        verb_fails(&run_verb, 0, "the pictures of the run: %s", error.text);
    int code = run_outputs_write(&run, options);
    run_folder_publish(run.folder);
    run_pictures_free(&run);
    performed_free(&run);
    return code;
}

static int run(const struct words *words, void *from)
{
    struct run_options *options = from;
    if (options->json + options->github + options->tap > 1)
        return usage_error(&run_verb,
                           "%s both want standard output; the run's folder has a result.json in "
                           "any case",
                           !options->tap   ? "--json and --github"
                           : options->json ? "--json and --tap"
                                           : "--tap and --github");
    if (words->count == 0)
        return usage_error(&run_verb, "which scenario? Give a file, or a folder of files");
    static const struct scenario_run how = {.conduct = conduct};
    return verb_runs_scenarios(&run_verb, words, options, &how, options);
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
