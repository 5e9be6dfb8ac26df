// find: the highest rate at which a lock still meets a target, looked for trial by trial.
#include "harness/base/clock.h"
#include "harness/base/file.h"
#include "harness/base/text.h"
#include "harness/cli/performance.h"
#include "harness/cli/run_folder.h"
#include "harness/cli/scenario_files.h"
#include "harness/cli/verb.h"
#include "harness/cli/vocabulary.h"
#include "harness/drive/fit.h"
#include "harness/measure/rate_search.h"
#include "harness/scenario/units.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Rates are each hour, as scenarios have them; nobody looks for less than one a minute.
#define LEAST_RATE 60

struct request {
    struct run_options options; // as every trial is performed
    struct scenario *scenario;  // whose rates are changed from trial to trial
    struct load_settings *phase;
    const struct plan *plan; // one trial of each scheme
    char *folder;
    const struct sandbox *sandbox;
    bool has_failed;
    bool is_missing; // of some scheme no rate was found
};

// What came of one rate.
struct sample {
    int64_t rate;
    int64_t due, begun;
    int64_t figure_ns; // what the target is about
    bool met;
    enum verdict verdict;
};

// --- the target ----------------------------------------------------------------------------------

struct figure {
    const char *name;
    int64_t limit_ns;
    int64_t measured_ns;
};

// The figure that has a limit, and what it is in `acquire`.
static struct figure figure_of(const struct load_target *target, const struct percentiles *acquire)
{
    const struct figure figures[] = {{"p50", target->p50_ns, acquire->p50_ns},
                                     {"p90", target->p90_ns, acquire->p90_ns},
                                     {"p99", target->p99_ns, acquire->p99_ns},
                                     {"p99.9", target->p999_ns, acquire->p999_ns},
                                     {"max", target->max_ns, acquire->max_ns}};
    size_t i = 0;
    while (i + 1 < sizeof figures / sizeof *figures && figures[i].limit_ns == 0)
        i++;
    return figures[i];
}

// Operations that never began, or were not granted, have no latency that could miss the target: of
// those that were due, a hundredth may be so.
static bool is_met(const struct figure *figure, const struct statistics *statistics)
{
    int64_t granted = (int64_t)statistics->acquire.count;
    return granted > 0 && figure->measured_ns < figure->limit_ns &&
           granted * 100 >= statistics->due * 99;
}

// --- one rate ------------------------------------------------------------------------------------

static void print_sample(const struct sample *sample)
{
    struct text rate = {0};
    char figure[40];
    rate_write(sample->rate, &rate);
    printf("  %12s  %7lld of %7lld  %9s  %-3s  %s\n", rate.bytes, (long long)sample->begun,
           (long long)sample->due, text_duration(sample->figure_ns, figure, sizeof figure),
           sample->met ? "yes" : "no", verdict_name(sample->verdict));
    fflush(stdout);
    text_free(&rate);
}

// A rate that people can read: whole ones a second where they are many.
static int64_t readable(int64_t rate)
{
    int64_t second = 3600;
    return rate >= 20 * second ? rate / second * second : rate / 60 * 60;
}

// Performs one trial with fresh servers and a lock of its own. False if that failed.
static bool measure(struct request *request, const struct trial *trial, int serial, int64_t rate,
                    struct sample *sample)
{
    struct text folder = {0};
    struct plan plan = {.trials = (struct trial *)trial, .count = 1, .seed = request->plan->seed};
    text_format(&folder, "%s/rate-%02d", request->folder, serial);
    struct run_result run = {.folder = folder.bytes, .seed = plan.seed};
    // Warm-ups of an open loop have the rate that they warm up for.
    for (size_t i = 0; i < request->scenario->load_count; i++) {
        if (request->scenario->load[i].rate > 0)
            request->scenario->load[i].rate = rate;
    }
    perform_plan(&plan, &request->options, request->sandbox, &run);
    bool has_history = run.count == 1 && run.trials[0].has_history;
    if (has_history) {
        const struct statistics *statistics = &run.trials[0].statistics;
        struct figure figure = figure_of(&request->phase->find, &statistics->acquire);
        *sample = (struct sample){.rate = rate,
                                  .due = statistics->due,
                                  .begun = statistics->begun,
                                  .figure_ns = figure.measured_ns,
                                  .met = is_met(&figure, statistics),
                                  .verdict = run.trials[0].judgement.verdict};
        print_sample(sample);
    } else if (run.count == 1) {
        fprintf(stderr, "lockpick find: %s: %s\n", trial->name, run.trials[0].judgement.reason);
    }
    performance_free(&run);
    text_free(&folder);
    return has_history;
}

// --- one scheme ----------------------------------------------------------------------------------

static void print_found(const struct sample *found, const struct sample *again,
                        const struct sample *above)
{
    struct text text = {0};
    char figure[40];
    rate_write(found->rate, &text);
    text_format(&text, ": %s", text_duration(found->figure_ns, figure, sizeof figure));
    text_format(&text, ", again %s%s", text_duration(again->figure_ns, figure, sizeof figure),
                again->met ? "" : ", which misses it: this rate is at the edge");
    if (above->rate > 0) {
        text_add(&text, "; ");
        rate_write(above->rate, &text);
        text_format(&text, ": %s", text_duration(above->figure_ns, figure, sizeof figure));
    }
    printf("  found %s\n", text.bytes);
    text_free(&text);
}

static void search(struct request *request, const struct trial *trial, int64_t first, int *serial)
{
    struct figure figure = figure_of(&request->phase->find, &(struct percentiles){0});
    char limit[40];
    double most = 3600.0 * MOST_OPERATIONS * (double)NS_PER_S / (double)request->phase->for_ns;
    struct rate_search search = rate_search_start(first, LEAST_RATE, (int64_t)most);
    struct sample sample = {0};
    struct sample found = {0};
    struct sample above = {0};
    printf("%s · %s: the highest rate with %s < %s\n", request->scenario->name, trial->scheme,
           figure.name, text_duration(figure.limit_ns, limit, sizeof limit));
    printf("  %12s  %18s  %9s  met  verdict\n", "rate", "begun", figure.name);
    while (search.next > 0) {
        search.next = readable(search.next);
        if (search.next <= search.met)
            break;
        if (!measure(request, trial, ++*serial, search.next, &sample)) {
            request->has_failed = true;
            return;
        }
        *(sample.met ? &found : &above) = sample;
        rate_search_tell(&search, sample.met);
    }
    if (found.rate == 0) {
        printf("  found none: even the lowest misses it\n");
        request->is_missing = true;
    } else if (measure(request, trial, ++*serial, found.rate, &sample)) {
        print_found(&found, &sample, &above);
    } else {
        request->has_failed = true;
    }
}

static int conduct(const struct sandbox *sandbox, void *context)
{
    struct request *request = context;
    int64_t first = request->phase->rate;
    int serial = 0;
    request->sandbox = sandbox;
    for (size_t i = 0; i < request->plan->count; i++) {
        struct text reason = {0};
        const struct trial *trial = &request->plan->trials[i];
        if (sandbox_is_interrupted(sandbox))
            break;
        if (trial_fit(trial, &reason) == FIT_RUNS)
            search(request, trial, first, &serial);
        else
            printf("%s · %s: not tried: %s\n", request->scenario->name, trial->scheme,
                   text_string(&reason));
        text_free(&reason);
    }
    printf("histories: %s\n", request->folder);
    return request->has_failed ? EXIT_ENVIRONMENT
                               : (request->is_missing ? EXIT_MISSED : EXIT_AS_EXPECTED);
}

// --- the command ---------------------------------------------------------------------------------

// The phase that says what is to be found, or NULL.
static struct load_settings *find_phase(const struct scenario *scenario)
{
    for (size_t i = 0; i < scenario->load_count; i++) {
        const struct percentiles none = {0};
        if (figure_of(&scenario->load[i].find, &none).limit_ns > 0)
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
    struct request request = {
        .options = *options, .scenario = scenario, .phase = find_phase(scenario), .plan = &plan};
    if (set->count != 1 || request.phase == NULL)
        return usage_error(&find_verb, "%s",
                           set->count != 1 ? "one scenario at a time"
                                           : "the scenario does not say what to find: "
                                             "load: {rate: 100/s, find: {p99: < 50ms}}");
    uint64_t seed = options->seed != 0 ? (uint64_t)options->seed : (uint64_t)scenario->seed;
    seed = seed != 0 ? seed : (uint64_t)clock_realtime_ns() % 1000000000 + 1;
    request.options.quiet = true;
    if (plan_make(set->scenarios, 1, vocabulary, options->scheme, 1, seed, &plan, &error) != 0) {
        fprintf(stderr, "lockpick find: %s\n", error.text);
        return EXIT_USAGE;
    }
    int code = EXIT_ENVIRONMENT;
    request.folder = run_folder_make(options, set, seed, vocabulary, &error);
    if (request.folder == NULL)
        fprintf(stderr, "lockpick find: %s\n", error.text);
    else
        code = sandbox_run(options->no_namespaces || trial_is_external(&plan.trials[0]), conduct,
                           &request);
    free(request.folder);
    plan_free(&plan);
    return code;
}

static bool has_other_options(const struct run_options *options)
{
    return options->json || options->github || options->junit != NULL || options->csv != NULL ||
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
                                       "--out and --no-namespaces");
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
        "trial with a lock of its own, and what is found is measured once more. A latency counts\n"
        "from when its operation was to begin. A rate that is not held, by more than a hundredth\n"
        "of its operations, misses every target.\n"
        "Takes --set, --scheme, --seed, --out and --no-namespaces, as run does.\n\n"
        "exit codes: 0 found, 1 no rate meets it, 2 usage or scenario, 4 environment missing or\n"
        "broken\n",
        out);
}

const struct verb find_verb = {
    .name = "find",
    .arguments = "FILE [options]",
    .summary = "Looks for the highest rate at which a lock meets a target",
    .print_help = print_help,
    .run = run,
};
