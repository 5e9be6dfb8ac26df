// find: the highest rate at which a lock still meets a target, looked for trial by trial.
#include "harness/base/file.h"
#include "harness/base/growing.h"
#include "harness/base/scope.h"
#include "harness/base/terminal.h"
#include "harness/cli/verb.h"
#include "harness/report/fields.h"
#include "harness/run/perform.h"
#include "harness/run/run_files.h"
#include "harness/run/servers.h"
#include "harness/scenario/units.h"
#include "harness/stats/rate_search.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// What is looked for, and with what.
struct request {
    struct run_options options; // as every trial is performed
    struct scenario *scenario;  // whose rates are changed from trial to trial
    struct load_settings *phase;
    int64_t first_rate;      // with which every search begins; rates are each hour
    const struct plan *plan; // one trial of each scheme
    const char *folder;
    const struct sandbox *sandbox;
    int serial;                     // how many trials there were
    struct environment environment; // of the first of them; its last load is that of the last
};

// What came of one trial.
struct step {
    int64_t rate;
    int64_t due, begun; // operations
    int64_t granted;
    int64_t figure_ns; // what the target is about; 0 if nothing was granted
    enum rate_answer answer;
    char why[400]; // RATE_DRIVER: by what the driver was the limit
    enum verdict verdict;
    char *folder; // of the trial's run, inside the request's. Owned
};

enum find_outcome {
    FIND_FOUND,
    FIND_NONE,   // even the lowest rate misses the target
    FIND_DRIVER, // beyond what meets it, if anything does, the driver was the limit
    FIND_FAILED, // a trial could not be performed
    FIND_NOT_TRIED,
};

struct found {
    const struct trial *trial;
    const char *figure; // "p99", ...
    int64_t limit_ns;
    struct step *steps;
    size_t count, room;
    struct rate_search search;
    enum find_outcome outcome;
    char reason[400]; // why it failed, or was not tried
};

// --- one rate ------------------------------------------------------------------------------------

// A rate that people can read: whole ones a second where they are many.
static int64_t readable(int64_t rate)
{
    int64_t second = 3600;
    return rate >= 20 * second ? rate / second * second : rate / 60 * 60;
}

static void add_step(struct found *result, const struct percentiles *target, int64_t rate,
                     const char *folder, const struct trial_result *measured)
{
    const struct statistics *statistics = &measured->statistics;
    const struct percentiles *acquire = &statistics->acquire;
    struct step *step = APPEND(result->steps, result->count, result->room);
    *step = (struct step){.rate = rate,
                          .due = statistics->due,
                          .begun = statistics->begun,
                          .granted = (int64_t)acquire->count,
                          .figure_ns = acquire->ns[rate_target(target)],
                          .answer = rate_judge(target, statistics),
                          .verdict = measured->judgement.verdict,
                          .folder = memory_string(folder)};
    if (step->answer != RATE_DRIVER)
        return;
    if (rate_is_met(target, acquire, statistics))
        snprintf(step->why, sizeof step->why, "it has begun too few operations to tell %s of them",
                 result->figure);
    else
        snprintf(step->why, sizeof step->why, "%s",
                 statistics->driver_bound.reason[0] != '\0'
                     ? statistics->driver_bound.reason
                     : "had it been on time, the target would be met");
}

// Performs one trial with fresh servers and a lock of its own. False, with the reason set, if that
// failed.
static bool measure(struct request *request, int64_t rate, struct found *result)
{
    AUTO_TEXT struct text folder = {0};
    struct plan plan = {
        .trials = (struct trial *)result->trial, .count = 1, .seed = request->plan->seed};
    text_format(&folder, "%s/rate-%02d", request->folder, ++request->serial);
    struct run_result run = {.folder = folder.bytes, .seed = plan.seed};
    // Warm-ups of an open loop have the rate that they warm up for.
    for (size_t i = 0; i < request->scenario->load_count; i++) {
        if (request->scenario->load[i].rate > 0)
            request->scenario->load[i].rate = rate;
    }
    perform_plan(&plan, &request->options, request->sandbox, &run);
    bool is_interrupted = sandbox_is_interrupted(request->sandbox);
    bool is_measured = !is_interrupted && run.count == 1 && run.trials[0].has_history;
    if (is_measured)
        add_step(result, &request->phase->find, rate, folder.bytes, &run.trials[0]);
    else
        snprintf(result->reason, sizeof result->reason, "%s",
                 is_interrupted ? "it was interrupted" : run.trials[0].judgement.reason);
    if (request->serial == 1)
        request->environment = run.environment;
    request->environment.load_at_end = run.environment.load_at_end;
    performed_free(&run);
    return is_measured;
}

// --- for people ----------------------------------------------------------------------------------

// A line of the last step; or, before the first, the heading.
static void tell(const struct found *result)
{
    static const char *const met[] = {
        [RATE_MET] = "yes", [RATE_MISSED] = "no", [RATE_DRIVER] = "driver"};
    char duration[40];
    AUTO_TEXT struct text line = {0};
    AUTO_TEXT struct text rate = {0};
    if (result->count == 0) {
        text_format(&line, "%s · %s: the highest rate with %s < %s\n",
                    result->trial->scenario->name, result->trial->scheme, result->figure,
                    text_duration(result->limit_ns, duration, sizeof duration));
        text_format(&line, "  %8s  %5s  %5s  %7s  %7s  %-6s  verdict\n", "rate", "due", "begun",
                    "granted", result->figure, "met");
    } else {
        const struct step *step = &result->steps[result->count - 1];
        rate_write(step->rate, &rate);
        text_format(&line, "  %8s  %5lld  %5lld  %7lld  %7s  %-6s  %s\n", rate.bytes,
                    (long long)step->due, (long long)step->begun, (long long)step->granted,
                    step->granted > 0 ? text_duration(step->figure_ns, duration, sizeof duration)
                                      : "–",
                    met[step->answer], verdict_name(step->verdict));
        if (step->why[0] != '\0')
            text_format(&line, "            the driver was the limit: %s\n", step->why);
    }
    terminal_print(stdout, line.bytes);
    fflush(stdout);
}

static void add_votes(const struct rate_votes *votes, bool are_met, struct text *out)
{
    int all = votes->met + votes->missed + votes->driver;
    rate_write(votes->rate, out);
    text_format(out, " %s it in %d of %d trials", are_met ? "meets" : "misses",
                are_met ? votes->met : all - votes->met, all);
}

// One sentence: what was found, by how many trials.
static void answer_of(const struct found *result, struct text *out)
{
    const struct rate_votes *met = rate_search_votes(&result->search, result->search.met);
    const struct rate_votes *missed = rate_search_votes(&result->search, result->search.missed);
    switch (result->outcome) {
    case FIND_FAILED:
        text_format(out, "failed: %s", result->reason);
        return;
    case FIND_NOT_TRIED:
        text_format(out, "not tried: %s", result->reason);
        return;
    case FIND_NONE:
        text_add(out, "found none: even the lowest rate that can tell misses it: ");
        break;
    case FIND_DRIVER:
        text_add(out, "found no limit of the lock, but the driver's: ");
        break;
    case FIND_FOUND:
        text_add(out, "found ");
        break;
    }
    if (met != NULL)
        add_votes(met, true, out);
    if (met != NULL && missed != NULL)
        text_add(out, "; ");
    if (missed != NULL)
        add_votes(missed, false, out);
    else if (met != NULL)
        text_add(out, "; it is the highest that is looked for");
    for (size_t i = 0; i < result->count && result->outcome == FIND_DRIVER; i++) {
        const struct step *step = &result->steps[i];
        if (step->rate != result->search.missed || step->answer != RATE_DRIVER)
            continue;
        text_format(out, ", by what is the driver's: %s", step->why);
        break;
    }
}

// --- JSON: see FORMATS.md ------------------------------------------------------------------------

static json_t *rate_json(int64_t rate)
{
    AUTO_TEXT struct text text = {0};
    rate_write(rate, &text);
    return value_text(text.bytes);
}

static json_t *answer_json(const void *found)
{
    AUTO_TEXT struct text text = {0};
    answer_of(found, &text);
    return value_text(text.bytes);
}

static const char *const answers[] = {
    [RATE_MET] = "met", [RATE_MISSED] = "missed", [RATE_DRIVER] = "driver-bound"};
static const char *const outcomes[] = {[FIND_FOUND] = "found",
                                       [FIND_NONE] = "none",
                                       [FIND_DRIVER] = "driver-bound",
                                       [FIND_FAILED] = "failed",
                                       [FIND_NOT_TRIED] = "not-tried"};

MAKER(votes_rate, struct rate_votes, rate_json(it->rate))
TABLE(votes_fields, MADE("rate", votes_rate),
      FIELD_AS("per_second", struct rate_votes, rate, .divisor = 3600),
      FIELDS(struct rate_votes, met, missed),
      FIELD_AS("driver_bound", struct rate_votes, driver, ));

MAKER(step_rate, struct step, rate_json(it->rate))
MAKER(step_verdict, struct step, value_text(verdict_name(it->verdict)))
TABLE(step_fields, MADE("rate", step_rate),
      FIELD_AS("per_second", struct step, rate, .divisor = 3600),
      FIELDS(struct step, due, begun, granted),
      FIELD_IF("figure_ns", struct step, figure_ns, granted),
      NAME("outcome", struct step, answer, answers), FIELD_IF("driver", struct step, why, why),
      MADE("verdict", step_verdict), FIELD(struct step, folder));

MAKER(found_scheme, struct found, value_text(it->trial->scheme))
MAKER(found_met, struct found,
      fields_json(votes_fields, rate_search_votes(&it->search, it->search.met)))
MAKER(found_missed, struct found,
      fields_json(votes_fields, rate_search_votes(&it->search, it->search.missed)))
TABLE(target_fields, FIELDS(struct found, figure, limit_ns));
TABLE(found_fields, MADE("scheme", found_scheme), PART("target", target_fields, ),
      NAME("outcome", struct found, outcome, outcomes), MADE("answer", answer_json),
      MADE("met", found_met), MADE("missed", found_missed),
      ARRAY("steps", struct found, steps, count, step_fields));

// Writes it, and prints it or where it is. 0, or -1 and said.
static int write_json(const struct request *request, const struct found *results, size_t count)
{
    char seed[24];
    struct error error = {0};
    snprintf(seed, sizeof seed, "%" PRIu64, request->plan->seed);
    json_t *searches = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(searches, fields_json(found_fields, &results[i]));
    json_t *object = json_pack("{s:s, s:o, s:{s:o, s:o}, s:s, s:o, s:o}", "schema",
                               "lockpick-find-1", "folder", value_text(request->folder), "scenario",
                               "name", value_text(request->scenario->name), "path",
                               value_text(request->scenario->path), "seed", seed, "environment",
                               environment_json(&request->environment), "searches", searches);
    AUTO_FREE char *json = value_dump(object, 2);
    AUTO_FREE char *path = path_join(request->folder, "find.json");
    int written = file_write(path, json, strlen(json), &error);
    if (written != 0)
        verb_fails(&find_verb, 0, "%s", error.text);
    if (request->options.json)
        puts(json);
    else
        printf("histories: %s\n", request->folder);
    return written;
}

// --- one scheme ----------------------------------------------------------------------------------

static void search(struct request *request, const struct trial *trial, struct found *result)
{
    const struct percentiles *target = &request->phase->find;
    int64_t for_ns = request->phase->for_ns;
    int64_t most = (int64_t)(3600.0 * MOST_OPERATIONS * (double)NS_PER_S / (double)for_ns);
    int64_t least = rate_least(target, for_ns);
    enum percentile which = rate_target(target);
    struct text text = {0};
    bool is_told = !request->options.json;
    *result = (struct found){
        .trial = trial, .figure = percentile_forms[which].name, .limit_ns = target->ns[which]};
    result->search =
        rate_search_start(request->first_rate, least < most ? least : most, most, readable);
    result->outcome = FIND_NOT_TRIED;
    if (trial_applicability(trial, &text) == TRIAL_CAN_RUN) {
        result->outcome = FIND_FAILED;
        if (is_told)
            tell(result);
        while (measure(request, result->search.next, result)) {
            if (is_told)
                tell(result);
            rate_search_tell(&result->search, result->steps[result->count - 1].answer);
            if (result->search.next != 0)
                continue;
            const struct rate_votes *above =
                rate_search_votes(&result->search, result->search.missed);
            result->outcome = above != NULL && rate_votes_say(above) == RATE_DRIVER ? FIND_DRIVER
                              : result->search.met > 0                              ? FIND_FOUND
                                                                                    : FIND_NONE;
            break;
        }
    } else {
        snprintf(result->reason, sizeof result->reason, "%s", text_string(&text));
    }
    text_free(&text);
    answer_of(result, &text);
    if (is_told && result->outcome == FIND_NOT_TRIED)
        printf("%s · %s: %s\n", trial->scenario->name, trial->scheme, text.bytes);
    else if (is_told) {
        AUTO_TEXT struct text line = {0};
        text_format(&line, "  %s\n", text.bytes);
        terminal_print(stdout, line.bytes);
    }
    fflush(stdout);
    if (result->outcome == FIND_FAILED)
        verb_fails(&find_verb, 0, "%s: %s", trial->name, result->reason);
    text_free(&text);
}

static int conduct(void *context, const struct sandbox *sandbox, const struct plan *plan,
                   char *folder)
{
    struct request *request = context;
    struct found *results = memory_zeroed(plan->count, sizeof *results);
    size_t count = 0;
    request->plan = plan;
    request->sandbox = sandbox;
    request->folder = folder;
    for (; count < plan->count && !sandbox_is_interrupted(sandbox); count++)
        search(request, &plan->trials[count], &results[count]);
    bool any[FIND_NOT_TRIED + 1] = {false}; // what could not be tried on this machine is no failure
    for (size_t i = 0; i < count; i++)
        any[results[i].outcome] = true;
    int code = any[FIND_FAILED]   ? EXIT_ENVIRONMENT
               : any[FIND_NONE]   ? EXIT_MISSED
               : any[FIND_DRIVER] ? EXIT_INCONCLUSIVE
                                  : EXIT_AS_EXPECTED;
    if (write_json(request, results, count) != 0)
        code = EXIT_ENVIRONMENT;
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < results[i].count; j++)
            free(results[i].steps[j].folder);
        free(results[i].steps);
    }
    free(results);
    return code;
}

// --- the command ---------------------------------------------------------------------------------

static int make_plan(void *context, const struct scenario_set *set,
                     const struct vocabulary *vocabulary, uint64_t seed, struct plan *plan,
                     struct error *error)
{
    struct request *request = context;
    struct scenario *scenario = request->scenario = set->scenarios[0];
    if (set->count != 1)
        return error_set(error, "one scenario at a time");
    // The phase that says what is to be found.
    for (size_t i = scenario->load_count; i-- > 0;) {
        const struct percentiles *target = &scenario->load[i].find;
        if (target->ns[rate_target(target)] > 0)
            request->phase = &scenario->load[i];
    }
    if (request->phase == NULL)
        return error_set(error, "the scenario does not say what to find: "
                                "load: {rate: 100/s, find: {p99: < 50ms}}");
    request->first_rate = request->phase->rate;
    return plan_make(set->scenarios, 1, vocabulary, request->options.schemes, 1, seed, plan, error);
}

static const struct option find_options[] = {
    OPTION_SET,
    OPTION_SCHEME,
    OPTION_SEED,
    {"json", "", "prints find.json instead of the tables", FLAG(struct run_options, json)},
    OPTION_OUT,
    OPTION_NO_NAMESPACES,
    {.name = NULL},
};

static int run(const struct words *words, void *from)
{
    static const struct scenario_run how = {.plan = make_plan, .conduct = conduct};
    struct run_options *options = from;
    if (words->count == 0)
        return usage_error(&find_verb, "which scenario? Give a file");
    struct request request = {.options = *options};
    request.options.quiet = true;
    return verb_runs_scenarios(&find_verb, words, options, &how, &request);
}

extern const char template_help_find[];
const struct verb find_verb = {
    .name = "find",
    .arguments = "FILE [options]",
    .summary = "Looks for the highest rate at which a lock meets a target",
    .help = template_help_find,
    .options = find_options,
    .room = sizeof(struct run_options),
    .run = run,
};
