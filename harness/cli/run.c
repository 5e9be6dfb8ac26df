// run: from scenario files to verdicts, a report and an exit code; replay: the same of one trial
// that a run has left.
#include "harness/base/file.h"
#include "harness/base/scope.h"
#include "harness/cli/verb.h"
#include "harness/report/pictures/picture.h"
#include "harness/run/servers.h"
#include "harness/run/slots.h"
#include "harness/run/stored_run.h"

#include <stdlib.h>
#include <string.h>

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
    struct run_options options;
    const char *trial; // the only one that is run again; NULL: all are run
};

int verb_conducts(void *context, const struct sandbox *sandbox, const struct plan *plan,
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
    struct request *request = from;
    if (words->count == 0)
        return usage_error(&run_verb, "which scenario? Give a file, or a folder of files");
    static const struct scenario_run how = {.conduct = verb_conducts};
    return verb_runs_scenarios(&run_verb, words, &request->options, &how, request);
}

extern const char template_help_run[];
const struct verb run_verb = {
    .name = "run",
    .arguments = "FILE|DIR... [options]",
    .summary = "Runs scenarios against real servers and decides what each lock is worth",
    .help = template_help_run,
    .options = run_options,
    .room = sizeof(struct request),
    .run = run,
};

// --- replay --------------------------------------------------------------------------------------

static const struct option replay_options[] = {
    OPTION_SET, OPTION_OUT, OPTION_NO_NAMESPACES, OPTIONS_OF_OUTPUTS, {.name = NULL},
};

// Of the files in the run's as-run/ the one that the trial is of: NAME.yaml of a trial NAME or
// NAME--SCHEME. NULL if there is none.
static char *find_as_run(const char *run, const char *trial)
{
    AUTO_FREE char *folder = path_join(run, "as-run");
    AUTO_LIST struct string_list names = folder_entries(folder);
    const char *best = NULL;
    size_t longest = 0;
    for (size_t i = 0; i < names.count; i++) {
        const char *name = names.items[i];
        size_t length = strlen(name) > 5 ? strlen(name) - strlen(".yaml") : 0;
        const char *rest = trial + length;
        if (length <= longest || strncmp(trial, name, length) != 0 ||
            (*rest != '\0' && strncmp(rest, "--", 2) != 0))
            continue;
        best = name;
        longest = length;
    }
    return best != NULL                          ? path_join(folder, best)
           : mode_at("%s/as-run.yaml", run) != 0 ? path_join(run, "as-run.yaml")
                                                 : NULL;
}

static int plan_replay(void *context, const struct scenario_set *set,
                       const struct vocabulary *vocabulary, uint64_t seed, struct plan *plan,
                       struct error *error)
{
    const struct request *request = context;
    size_t kept = 0;
    if (plan_make(set->scenarios, set->count, vocabulary, NULL, 0, seed, plan, error) != 0)
        return -1;
    for (size_t i = 0; i < plan->count; i++) {
        struct trial *trial = &plan->trials[i];
        if (strcmp(trial->name, request->trial) == 0) {
            plan->trials[kept++] = *trial;
        } else {
            free(trial->name);
            free(trial->skip_reason);
        }
    }
    plan->count = kept;
    return kept > 0 ? 0
                    : error_set(error, "%s: there is no trial %s", set->scenarios[0]->path,
                                request->trial);
}

static int replay(const struct words *words, void *from)
{
    static const struct scenario_run how = {.plan = plan_replay, .conduct = verb_conducts};
    struct request *request = from;
    struct stored_path stored;
    if (words->count != 1)
        return usage_error(&replay_verb, "which trial? Give one folder, results/RUN/trials/TRIAL");
    stored_path_find(words->items[0], &stored);
    AUTO_FREE char *path = stored.trial != NULL ? find_as_run(stored.run, stored.trial) : NULL;
    int code = EXIT_USAGE;
    if (path == NULL) {
        usage_error(&replay_verb, "%s is no trial of a run: expected results/RUN/trials/TRIAL",
                    words->items[0]);
    } else {
        const char *items[] = {path, NULL};
        request->trial = stored.trial;
        code = verb_runs_scenarios(&replay_verb, &(struct words){items, 1}, &request->options, &how,
                                   request);
    }
    stored_path_free(&stored);
    return code;
}

const struct verb replay_verb = {
    .name = "replay",
    .arguments = "TRIAL [options]",
    .summary = "Runs a trial again, with the faults that were drawn for it",
    .options = replay_options,
    .room = sizeof(struct request),
    .run = replay,
};
