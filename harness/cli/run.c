// run: from scenario files to verdicts, a report and an exit code; replay: the same of one trial
// that a run has left.
#include "harness/base/file.h"
#include "harness/base/scope.h"
#include "harness/base/table.h"
#include "harness/cli/verb.h"
#include "harness/report/pictures/picture.h"
#include "harness/run/servers.h"
#include "harness/run/slots.h"
#include "harness/run/stored_run.h"

#include <inttypes.h>
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
    {"dry-run", "", "prints the plan and about how long it takes; nothing is started",
     FLAG(struct run_options, dry_run)},
    OPTION_NO_NAMESPACES,
    OPTIONS_OF_OUTPUTS,
    {.name = NULL},
};

struct request {
    struct run_options options;
    const char *trial; // the only one that is run again; NULL: all are run
};

// --- the plan, before anything is run ------------------------------------------------------------

// What a trial takes besides its operations: servers that come up, clients, files, pictures.
#define BESIDES_NS (1500 * NS_PER_MS)
// Of an operation: requests, and somebody else's turn.
#define OPERATION_NS (2 * NS_PER_MS)

// About how long the trial takes, if it ends as it should: each fault takes about a lease.
static int64_t about_ns(const struct trial *trial)
{
    const struct scenario *scenario = trial_as_run(trial);
    const struct workload_settings *workload = &scenario->workload;
    int64_t workers = scenario->clients.processes * scenario->clients.threads;
    int64_t locks = scenario_key_count(scenario);
    int64_t operations = workload->operations > 0 ? workload->operations
                         : workload->buyers > 0   ? workload->buyers
                                                  : workload->jobs;
    int64_t faults_ns = (int64_t)scenario->fault_count * scenario->lock.lease_ns;
    int64_t work_ns =
        operations * (workload->hold_ns + OPERATION_NS) / (locks < workers ? locks : workers);
    int64_t all_ns = BESIDES_NS + (workload->for_ns > 0 ? workload->for_ns : work_ns + faults_ns);
    return all_ns < scenario->limit_ns ? all_ns : scenario->limit_ns;
}

// "40 s", "12 min": it is but a guess.
static void add_span(int64_t length_ns, struct text *out)
{
    int64_t seconds = (length_ns + NS_PER_S - 1) / NS_PER_S;
    text_format(out, seconds < 120 ? "%lld s" : "%lld min",
                (long long)(seconds < 120 ? seconds : (seconds + 30) / 60));
}

static void add_servers(const struct trial *trial, struct text *out)
{
    if (trial->server != NULL && trial->servers == 0)
        text_format(out, "%s, yours", trial->server->title);
    else if (trial->server != NULL)
        text_add(out, trial->server->title);
    if (trial->servers > 1)
        text_format(out, ", %s of %d", trial_topology(trial), trial->servers);
    if (trial->store_server != NULL)
        text_format(out, "%s%s as a store", out->length > 0 ? "; " : "",
                    trial->store_server->title);
}

static void add_faults(const struct scenario *scenario, struct text *out)
{
    for (size_t i = 0; i < scenario->fault_count; i++) {
        size_t alike = 0;
        bool is_told = false; // with an earlier one
        for (size_t j = 0; j < scenario->fault_count; j++) {
            bool is_like = strcmp(scenario->faults[j].verb, scenario->faults[i].verb) == 0;
            alike += is_like;
            is_told |= is_like && j < i;
        }
        if (!is_told)
            text_format(out, "%s%s", out->length > 0 ? ", " : "", scenario->faults[i].verb);
        if (!is_told && alike > 1)
            text_format(out, " × %zu", alike);
    }
}

// Cells of a row, of all repeats of a scheme in a scenario.
static void add_planned(struct table *table, const struct trial *trial, size_t repeats,
                        const char *why_not)
{
    const struct scenario *scenario = trial_as_run(trial);
    AUTO_TEXT struct text servers = {0}, clients = {0}, faults = {0}, count = {0}, lasts = {0};
    add_servers(trial, &servers);
    add_faults(scenario, &faults);
    text_format(&count, "%zu", repeats);
    text_format(&clients, "%lld × %lld", (long long)scenario->clients.processes,
                (long long)scenario->clients.threads);
    if (why_not[0] != '\0')
        text_format(&lasts, "not run: %s", why_not);
    else
        add_span((int64_t)repeats * about_ns(trial), &lasts);
    const char *const cells[] = {trial->scenario->name,
                                 trial->scheme,
                                 count.bytes,
                                 servers.length > 0 ? servers.bytes : "–",
                                 clients.bytes,
                                 faults.length > 0 ? faults.bytes : "–",
                                 lasts.bytes};
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++)
        table_cell(table, COLOUR_PLAIN, cells[i]);
}

static int preview(const struct run_options *options, const struct plan *plan)
{
    struct table *table =
        TABLE_OF("scenario", "scheme", "repeats", "servers", "clients", "faults", "about");
    AUTO_TEXT struct text about = {0}, most = {0};
    int64_t side_by_side_ns = 0, alone_ns = 0, most_ns = 0;
    size_t count = 0;
    int jobs = options->jobs > 0 ? (int)options->jobs : slots_that_fit().most;
    table_align_right(table, 2);
    for (size_t i = 0, repeats = 1; i < plan->count; i += repeats) {
        const struct trial *trial = &plan->trials[i];
        AUTO_TEXT struct text why_not = {0};
        bool can_run = trial_applicability(trial, &why_not) == TRIAL_CAN_RUN;
        for (repeats = 1; i + repeats < plan->count &&
                          plan->trials[i + repeats].scenario == trial->scenario &&
                          strcmp(plan->trials[i + repeats].scheme, trial->scheme) == 0;)
            repeats++;
        add_planned(table, trial, repeats, text_string(&why_not));
        if (!can_run)
            continue;
        count += repeats;
        most_ns += (int64_t)repeats * trial->scenario->limit_ns;
        *(trial_may_share_machine(trial) ? &side_by_side_ns : &alone_ns) +=
            (int64_t)repeats * about_ns(trial);
    }
    table_print(table, stdout, colour_wanted(stdout));
    table_free(table);
    add_span(alone_ns + side_by_side_ns / jobs, &about);
    add_span(most_ns, &most);
    printf("\n%zu of %zu trial%s would be run, %d at a time where no costs are measured: about %s, "
           "and at most %s by their limits\nseed %" PRIu64 "; nothing was started\n",
           count, plan->count, plan->count == 1 ? "" : "s", jobs, about.bytes, most.bytes,
           plan->seed);
    return EXIT_AS_EXPECTED;
}

// --- the run -------------------------------------------------------------------------------------

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
    else if (sandbox_has_gateway(sandbox) && !options->json)
        fprintf(stderr, "lockpick run: a gateway is between clients and external servers, so that "
                        "faults can strike there: all times include its way\n");
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
    static const struct scenario_run how = {.preview = preview, .conduct = verb_conducts};
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
        usage_error(&replay_verb, "%s is %s: expected results/RUN/trials/TRIAL", words->items[0],
                    mode_at("%s", words->items[0]) == 0 ? "not there" : "no trial of a run");
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
