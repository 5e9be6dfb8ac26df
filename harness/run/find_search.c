#include "harness/run/find_search.h"

#include "harness/base/clock.h"
#include "harness/base/growing.h"
#include "harness/base/text.h"
#include "harness/run/fit.h"
#include "harness/run/performance.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Rates are each hour, as scenarios have them; nobody looks for less than one a minute.
#define LEAST_RATE 60

// --- the target ----------------------------------------------------------------------------------

struct figure {
    const char *name;
    double percent;
    int64_t limit_ns;
    int64_t measured_ns;
};

// The figure that has a limit, and what it is in `acquire`.
static struct figure figure_of(const struct load_target *target, const struct percentiles *acquire)
{
    enum percentile i = 0;
    while (i + 1 < PERCENTILE_COUNT && target->ns[i] == 0)
        i++;
    return (struct figure){percentile_forms[i].name, percentile_forms[i].percent, target->ns[i],
                           acquire->ns[i]};
}

const char *find_figure(const struct load_target *target, int64_t *limit_ns)
{
    struct figure figure = figure_of(target, &(struct percentiles){0});
    *limit_ns = figure.limit_ns;
    return figure.name;
}

// Operations that never began, or were not granted, have no latency that could miss the target: of
// those that were due, a hundredth may be so.
static bool is_met(const struct figure *figure, const struct statistics *statistics)
{
    int64_t granted = (int64_t)statistics->acquire.count;
    return granted > 0 && figure->measured_ns < figure->limit_ns &&
           granted * 100 >= statistics->due * 99;
}

static bool has_enough(const struct figure *figure, const struct statistics *statistics)
{
    return percentile_has_enough((int64_t)statistics->acquire.count, figure->percent);
}

enum rate_answer find_judge(const struct load_target *target, const struct statistics *statistics)
{
    struct figure measured = figure_of(target, &statistics->acquire);
    struct figure on_time = figure_of(target, &statistics->acquire_on_time);
    if (is_met(&measured, statistics))
        return has_enough(&measured, statistics) ? RATE_MET : RATE_DRIVER;
    bool is_drivers = statistics->driver_bound.is_bound ||
                      (statistics->acquire_on_time.count > 0 && is_met(&on_time, statistics));
    return is_drivers ? RATE_DRIVER : RATE_MISSED;
}

int64_t find_least_rate(const struct load_target *target, int64_t for_ns)
{
    double percent = figure_of(target, &(struct percentiles){0}).percent;
    int64_t enough = 1;
    while (!percentile_has_enough(enough, percent))
        enough++;
    // Arrivals at random differ by about the root of their number.
    double due = ceil((double)enough + 3 * sqrt((double)enough));
    double rate = 3600 * due * (double)NS_PER_S / (double)for_ns;
    double step = rate >= 20 * 3600 ? 3600 : 60; // for people to read, as in readable
    return (int64_t)(ceil(rate / step - 1e-9) * step);
}

// --- one rate ------------------------------------------------------------------------------------

// A rate that people can read: whole ones a second where they are many.
static int64_t readable(int64_t rate)
{
    int64_t second = 3600;
    return rate >= 20 * second ? rate / second * second : rate / 60 * 60;
}

static void add_step(struct find_result *result, const struct find_request *request, int64_t rate,
                     const char *folder, const struct trial_result *measured)
{
    const struct statistics *statistics = &measured->statistics;
    const struct load_target *target = &request->phase->find;
    struct find_step *step = APPEND(result->steps, result->count, result->room);
    *step = (struct find_step){.rate = rate,
                               .due = statistics->due,
                               .begun = statistics->begun,
                               .granted = (int64_t)statistics->acquire.count,
                               .figure_ns = figure_of(target, &statistics->acquire).measured_ns,
                               .answer = find_judge(target, statistics),
                               .verdict = measured->judgement.verdict,
                               .folder = memory_string(folder)};
    if (step->answer != RATE_DRIVER)
        return;
    struct figure figure = figure_of(target, &statistics->acquire);
    if (is_met(&figure, statistics))
        snprintf(step->why, sizeof step->why, "it has begun too few operations to tell %s of them",
                 figure.name);
    else if (statistics->driver_bound.reason[0] != '\0')
        snprintf(step->why, sizeof step->why, "%s", statistics->driver_bound.reason);
    else
        snprintf(step->why, sizeof step->why, "had it been on time, the target would be met");
}

// Performs one trial with fresh servers and a lock of its own. False, with the reason set, if that
// failed.
static bool measure(struct find_request *request, int64_t rate, struct find_result *result)
{
    struct text folder = {0};
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
        add_step(result, request, rate, folder.bytes, &run.trials[0]);
    else
        snprintf(result->reason, sizeof result->reason, "%s",
                 is_interrupted ? "it was interrupted" : run.trials[0].judgement.reason);
    if (request->serial == 1)
        request->environment = run.environment;
    request->environment.load_at_end = run.environment.load_at_end;
    performance_free(&run);
    text_free(&folder);
    return is_measured;
}

// --- one scheme ----------------------------------------------------------------------------------

static enum find_outcome outcome_of(const struct rate_search *search)
{
    const struct rate_votes *above = rate_search_votes(search, search->missed);
    if (above != NULL && rate_votes_say(above) == RATE_DRIVER)
        return FIND_DRIVER;
    return search->met > 0 ? FIND_FOUND : FIND_NONE;
}

void find_search(struct find_request *request, const struct trial *trial,
                 void (*tell)(const struct find_result *result), struct find_result *result)
{
    double most = 3600.0 * MOST_OPERATIONS * (double)NS_PER_S / (double)request->phase->for_ns;
    struct text reason = {0};
    *result = (struct find_result){.trial = trial};
    result->figure = find_figure(&request->phase->find, &result->limit_ns);
    int64_t least = find_least_rate(&request->phase->find, request->phase->for_ns);
    least = least < (int64_t)most ? least : (int64_t)most;
    result->search = rate_search_start(request->first_rate, least, (int64_t)most, readable);
    if (trial_fit(trial, &reason) != FIT_RUNS) {
        result->outcome = FIND_NOT_TRIED;
        snprintf(result->reason, sizeof result->reason, "%s", text_string(&reason));
    } else {
        tell(result);
        result->outcome = FIND_FAILED;
        while (measure(request, result->search.next, result)) {
            tell(result);
            rate_search_tell(&result->search, result->steps[result->count - 1].answer);
            if (result->search.next == 0) {
                result->outcome = outcome_of(&result->search);
                break;
            }
        }
    }
    text_free(&reason);
}

void find_result_free(struct find_result *result)
{
    for (size_t i = 0; i < result->count; i++)
        free(result->steps[i].folder);
    free(result->steps);
    *result = (struct find_result){0};
}
