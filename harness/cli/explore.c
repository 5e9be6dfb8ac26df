// explore: a lock and nothing else, in every order of its steps.
#include "harness/base/file.h"
#include "harness/cli/verb.h"
#include "harness/explain/story.h"
#include "harness/explore/search.h"
#include "harness/run/perform.h"
#include "harness/run/run_files.h"
#include "harness/run/vocabulary.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FALLBACK_SECONDS 60
#define SEED 1 // tokens are drawn from it, and nothing else

struct explore_options {
    struct run_options run; // first: some of its options are options here
    int64_t clients, operations, faults, leases, seconds;
};

static const struct option explore_options[] = {
    {"clients", "N", "so many clients (default: 2)", NUMBER(struct explore_options, clients, 4)},
    {"operations", "N", "so many operations each (default: 1)",
     NUMBER(struct explore_options, operations, 4)},
    {"faults", "N", "lost requests, lost replies and crashes: at most so many (default: 1)",
     NUMBER(struct explore_options, faults, 3)},
    {"leases", "N", "at most so many leases pass (default: 1)",
     NUMBER(struct explore_options, leases, 3)},
    {"for", "SECONDS", "at most so long for each lock (default: 60)",
     NUMBER(struct explore_options, seconds, 86400)},
    OPTION_OUT,
    {.name = NULL},
};

struct exploration {
    const struct explore_options *options;
    bool is_terminal;
    const char *scheme; // that is explored
};

// --- what is said --------------------------------------------------------------------------------

static void show(void *context, const struct search_progress *progress)
{
    const struct exploration *exploration = context;
    if (exploration->is_terminal)
        fprintf(stderr, "\r\033[K%s: %llu schedules, %.0f/s; %llu states, %llu waiting",
                exploration->scheme, (unsigned long long)progress->schedules,
                (double)progress->schedules / progress->seconds,
                (unsigned long long)progress->states, (unsigned long long)progress->waiting);
}

static void say_work(const struct exploration *exploration, const struct search_result *result)
{
    const struct explore_options *options = exploration->options;
    printf("  %lld clients, %lld operation%s each, up to %lld fault%s, up to %lld lease%s that "
           "pass: %llu schedules, %llu states, %.1f s\n",
           (long long)options->clients, (long long)options->operations,
           options->operations == 1 ? "" : "s", (long long)options->faults,
           options->faults == 1 ? "" : "s", (long long)options->leases,
           options->leases == 1 ? "" : "s", (unsigned long long)result->progress.schedules,
           (unsigned long long)result->progress.states, result->progress.seconds);
    if (result->admitted > 0)
        printf("  %llu schedules break %s, as a lock of its traits admits\n",
               (unsigned long long)result->admitted, result->admitted_text);
    if (result->progress.too_long > 0)
        printf("  %llu schedules were left out, of more than %d moves\n",
               (unsigned long long)result->progress.too_long, MOST_MOVES);
    if (result->progress.unlike > 0)
        printf("  %llu schedules did not go as they had gone before\n",
               (unsigned long long)result->progress.unlike);
}

// The scenario that does the same again.
static int write_counterexample(const struct trial *trial, const struct check *broken,
                                const char *lines, const char *folder, struct error *error)
{
    struct text text = {0};
    char *scenario = scenario_as_run(trial->scenario, SEED, NULL, NULL);
    char *path = path_join(folder, "counterexample.yaml");
    text_format(&text, "%sschedule:\n", scenario);
    for (const char *line = lines; *line != '\0'; line += strcspn(line, "\n") + 1)
        text_format(&text, "  - \"%.*s\"\n", (int)strcspn(line, "\n"), line);
    text_format(&text, "expect: [{schemes: %s, verdict: %s%s%s}]\n", trial->scheme,
                broken->shows == SHOWS_SILENCE ? "stuck" : "unsafe",
                broken->shows == SHOWS_SILENCE ? "" : ", because: ",
                broken->shows == SHOWS_SILENCE ? "" : broken->name);
    int result = file_write(path, text.bytes, text.length, error);
    if (result == 0)
        printf("\n  the same again: lockpick run %s\n", path);
    free(path);
    free(scenario);
    text_free(&text);
    return result;
}

static int say_found(struct replay *replay, const struct trial *trial, const char *folder,
                     struct search_result *result, struct error *error)
{
    const struct digest *digest;
    struct judgement judgement;
    struct text lines = {0};
    int status = search_replay(replay, trial, &result->found, &lines, error) < 0
                     ? -1
                     : replay_judge(replay, &digest, &judgement, error);
    if (status == 0) {
        char *story = story_tell(digest, &judgement);
        printf("  the shortest schedule found, %zu steps, which broke it %d times of %d:\n",
               result->found.count, result->replayed, REPLAYS);
        for (const char *line = lines.bytes; *line != '\0'; line += strcspn(line, "\n") + 1)
            printf("    %.*s\n", (int)strcspn(line, "\n"), line);
        printf("\n%s", story);
        free(story);
        status = write_counterexample(trial, result->broken, lines.bytes, folder, error);
    }
    text_free(&lines);
    replay_end(replay);
    return status;
}

static int tell(const struct exploration *exploration, struct replay *replay,
                const struct trial *trial, const char *folder, struct search_result *result)
{
    static const char *const ends[] = {
        [SEARCH_BROKEN] = "BROKEN",
        [SEARCH_EXHAUSTED] = "exhausted: no schedule breaks it",
        [SEARCH_UNDECIDED] = "not broken, but not all schedules were made: undecided",
        [SEARCH_OUT_OF_TIME] = "not broken within the time, and not exhausted",
        [SEARCH_INTERRUPTED] = "interrupted: not broken until then, and not exhausted",
    };
    struct error error = {0};
    if (exploration->is_terminal)
        fputs("\r\033[K", stderr);
    if (result->end == SEARCH_FAILED)
        return verb_fails(&explore_verb, EXIT_ENVIRONMENT, "%s: %s", trial->scheme,
                          result->error.text);
    printf("%s: %s%s%s%s\n", trial->scheme, ends[result->end],
           result->end == SEARCH_BROKEN ? " (" : "",
           result->end == SEARCH_BROKEN ? result->broken->name : "",
           result->end == SEARCH_BROKEN ? ")" : "");
    say_work(exploration, result);
    if (result->end == SEARCH_BROKEN && say_found(replay, trial, folder, result, &error) != 0)
        return verb_fails(&explore_verb, EXIT_ENVIRONMENT, "%s: %s", trial->scheme, error.text);
    return result->end == SEARCH_BROKEN      ? EXIT_MISSED
           : result->end == SEARCH_UNDECIDED ? EXIT_INCONCLUSIVE
                                             : EXIT_AS_EXPECTED;
}

// --- the work ------------------------------------------------------------------------------------

static int explore_trial(struct exploration *exploration, const struct trial *trial,
                         struct server_pool *pool, const struct sandbox *sandbox,
                         const char *run_folder)
{
    const struct explore_options *options = exploration->options;
    const struct search_limits limits = {.faults = (int)options->faults,
                                         .leases = (int)options->leases,
                                         .for_ns = options->seconds * NS_PER_S,
                                         .interrupted = sandbox->interrupted};
    struct error error = {0};
    struct search_result result;
    struct text folder = {0};
    text_format(&folder, "%s/trials/%s", run_folder, trial->name);
    struct replay *replay = NULL;
    exploration->scheme = trial->scheme;
    int code = EXIT_ENVIRONMENT;
    if (!replay_is_possible(trial, &error)) {
        printf("%s\n", error.text);
        code = EXIT_INCONCLUSIVE;
    } else if (folder_make(folder.bytes, &error) != 0 ||
               (replay = replay_open(trial, pool, folder.bytes, &error)) == NULL) {
        verb_fails(&explore_verb, code, "%s: %s", trial->scheme, error.text);
    } else {
        search(replay, trial, &limits, show, exploration, &result);
        code = tell(exploration, replay, trial, folder.bytes, &result);
    }
    replay_close(replay);
    text_free(&folder);
    return code;
}

static int conduct(void *context, const struct sandbox *sandbox, const struct plan *plan,
                   char *folder)
{
    struct exploration *exploration = context;
    struct server_pool pool;
    char *servers = path_join(folder, "servers");
    int code = EXIT_AS_EXPECTED;
    server_pool_start(&pool, sandbox, servers);
    for (size_t i = 0; i < plan->count && !sandbox_is_interrupted(sandbox); i++) {
        int of_trial = explore_trial(exploration, &plan->trials[i], &pool, sandbox, folder);
        // One that is broken outweighs one that is not decided.
        if (of_trial != EXIT_AS_EXPECTED && code != EXIT_MISSED)
            code = of_trial;
    }
    server_pool_stop(&pool);
    free(servers);
    return code;
}

static int load(void *context, const struct vocabulary *vocabulary, struct scenario_set *set,
                struct error *error)
{
    const struct exploration *exploration = context;
    const struct run_options *run = &exploration->options->run;
    set->scenarios = memory_zeroed(run->path_count, sizeof *set->scenarios);
    for (size_t i = 0; i < run->path_count; i++) {
        set->scenarios[i] = explored_scenario(run->paths[i], exploration->options->clients,
                                              exploration->options->operations, vocabulary);
        if (set->scenarios[i] == NULL)
            return error_set(error, "there is no scheme '%s'; lockpick list schemes names all",
                             run->paths[i]);
        set->count++;
    }
    return 0;
}

static int make_plan(void *context, const struct scenario_set *set,
                     const struct vocabulary *vocabulary, uint64_t seed, struct plan *plan,
                     struct error *error)
{
    (void)context;
    return plan_make(set->scenarios, set->count, vocabulary, NULL, 0, seed, plan, error);
}

static int run(const struct words *words, void *from)
{
    static const struct scenario_run how = {load, make_plan, conduct};
    struct explore_options *options = from;
    struct exploration exploration = {options, isatty(STDERR_FILENO), NULL};
    struct error error = {0};
    options->clients = options->clients > 0 ? options->clients : 2;
    options->operations = options->operations > 0 ? options->operations : 1;
    options->faults = options->faults > 0 ? options->faults : 1;
    options->leases = options->leases > 0 ? options->leases : 1;
    options->seconds = options->seconds > 0 ? options->seconds : FALLBACK_SECONDS;
    options->run.paths = words->items;
    options->run.path_count = words->count;
    options->run.seed = SEED;
    if (words->count == 0)
        return usage_error(&explore_verb, "which lock? Give the name of a scheme");
    int code = run_scenarios(&options->run, &how, &exploration, &error);
    return error.text[0] != '\0' ? verb_fails(&explore_verb, code, "%s", error.text) : code;
}

extern const char template_help_explore[];
const struct verb explore_verb = {
    .name = "explore",
    .arguments = "SCHEME... [options]",
    .summary = "Looks for the shortest order of steps that breaks a lock",
    .help = template_help_explore,
    .options = explore_options,
    .room = sizeof(struct explore_options),
    .run = run,
};
