#include "harness/run/performance.h"

#include "harness/base/file.h"
#include "harness/base/limits.h"
#include "harness/base/table.h"
#include "harness/report/summary.h"
#include "harness/run/conductor.h"
#include "harness/run/decision.h"
#include "harness/run/display.h"
#include "harness/run/fit.h"
#include "harness/run/lanes.h"
#include "harness/run/usage_proc.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct performance {
    const struct plan *plan;
    const struct run_options *options;
    const struct sandbox *sandbox;
    struct run_result *run; // meanwhile its trials are those of the plan, one by one
    bool *finished;         // of each of them
    struct server_pool pool;
    struct display display;
    struct text remarks; // on trials that were performed again
    bool is_over;        // no other trial is to be begun
};

// --- one trial -----------------------------------------------------------------------------------

// What was drawn for the trial, in a file that does the same again.
static int keep_drawn(const struct trial_result *result, struct error *error)
{
    const struct scenario *drawn = trial_as_run(result->trial);
    if (!scenario_was_drawn(drawn))
        return 0;
    char *path = path_join(result->folder, "as-run.yaml");
    int kept = scenario_keep(path, drawn->source, error);
    free(path);
    return kept;
}

// Starts the result of a trial. False, and judged, if the trial cannot be run.
static bool can_run(struct performance *performance, size_t index)
{
    struct trial_result *result = &performance->run->trials[index];
    const struct trial *trial = &performance->plan->trials[index];
    struct text reason = {0};
    struct text folder = {0};
    struct error error = {0};
    text_format(&folder, "%s/trials/%s", performance->run->folder, trial->name);
    *result =
        (struct trial_result){.trial = trial, .folder = folder.bytes, .story = memory_string("")};
    enum fit fit = trial_fit(trial, &reason);
    bool can = false;
    if (fit == FIT_NOT_APPLICABLE)
        judge_not_applicable(trial, text_string(&reason), &result->judgement);
    else if (fit == FIT_NOT_INSTALLED)
        judge_skipped(trial, text_string(&reason), &result->judgement);
    else if (folder_make(result->folder, &error) != 0 || keep_drawn(result, &error) != 0)
        judge_error(trial, error.text, &result->judgement);
    else
        can = true;
    text_free(&reason);
    return can;
}

// Whatever it is judged, the trial is finished.
static void finish(struct performance *performance, const struct trial_result *result)
{
    performance->finished[result - performance->run->trials] = true;
    bool failed = result->judgement.expectation == EXPECTATION_MISSED ||
                  result->judgement.verdict == VERDICT_ERROR;
    display_verdict(&performance->display, result);
    if (failed && !performance->options->keep_going)
        performance->is_over = true;
}

// Judges a trial that was conducted, or could not be.
static void settle(struct performance *performance, struct trial_result *result, int conducted,
                   const struct error *reason)
{
    const struct trial *trial = result->trial;
    struct history history = {0};
    struct error error = *reason;
    char *path = path_join(result->folder, "history.bin");
    if (conducted == TRIAL_INTERRUPTED)
        text_format(&performance->remarks,
                    "%s was interrupted: it is judged by what was recorded until then\n",
                    trial->name);
    char limits[300];
    if (conducted == -1 && limits_too_low(limits, sizeof limits)[0] != '\0')
        error_wrap(&error, "%s", limits);
    if (conducted == TRIAL_IMPOSSIBLE)
        judge_skipped(trial, error.text, &result->judgement);
    else if (conducted == TRIAL_MEANINGLESS)
        judge_not_applicable(trial, error.text, &result->judgement);
    else if (conducted < 0 || history_load(path, &history, &error) != 0)
        judge_error(trial, error.text, &result->judgement);
    else
        trial_decide(result, &history,
                     performance->run->has_plots ? TRIAL_FILES_ALL : TRIAL_FILES_UNDRAWN);
    history_free(&history);
    free(path);
    finish(performance, result);
}

// --- alone ---------------------------------------------------------------------------------------

static void show(void *context, const struct trial *trial, const char *doing, size_t events)
{
    display_doing(context, 0, trial, doing, events);
}

// Nothing else happens on the machine while the trial runs.
static void perform_alone(struct performance *performance, size_t index, int serial)
{
    struct trial_result *result = &performance->run->trials[index];
    const struct progress progress = {.show = show, .context = &performance->display};
    struct error error = {0};
    if (!can_run(performance, index)) {
        finish(performance, result);
        return;
    }
    result->lanes = 1;
    int conducted =
        trial_conduct(result->trial, &performance->pool, result->folder, serial, &progress, &error);
    if (conducted == 0)
        show(&performance->display, result->trial, "deciding", 0);
    settle(performance, result, conducted, &error);
}

// --- side by side --------------------------------------------------------------------------------

struct stretch {
    struct performance *performance;
    struct lane_job *jobs;
    size_t *indexes; // of the jobs' trials in the plan
    size_t count;
};

static void hear(void *context, const struct lane_news *news)
{
    const struct stretch *stretch = context;
    display_doing(&stretch->performance->display, news->lane, stretch->jobs[news->job].trial,
                  news->doing, news->events);
}

static bool settle_job(void *context, size_t job, int conducted, const struct error *error)
{
    const struct stretch *stretch = context;
    struct performance *performance = stretch->performance;
    settle(performance, &performance->run->trials[stretch->indexes[job]], conducted, error);
    return !performance->is_over;
}

// Those trials of the plan that may share the machine.
static void perform_side_by_side(struct performance *performance, struct lane_limits limits)
{
    const struct plan *plan = performance->plan;
    struct stretch stretch = {.performance = performance,
                              .jobs = memory_zeroed(plan->count, sizeof *stretch.jobs),
                              .indexes = memory_zeroed(plan->count, sizeof *stretch.indexes)};
    const struct lane_listener listener = {.hear = hear, .settle = settle_job, .context = &stretch};
    for (size_t i = 0; i < plan->count && !performance->is_over; i++) {
        struct trial_result *result = &performance->run->trials[i];
        if (!trial_may_share_machine(&plan->trials[i]))
            continue;
        if (!can_run(performance, i)) {
            finish(performance, result);
            continue;
        }
        stretch.indexes[stretch.count] = i;
        stretch.jobs[stretch.count++] = (struct lane_job){
            .trial = result->trial, .folder = result->folder, .serial = (int)i + 1};
    }
    if (stretch.count < (size_t)limits.most)
        limits.most = (int)stretch.count;
    for (size_t i = 0; i < stretch.count; i++)
        performance->run->trials[stretch.indexes[i]].lanes = limits.most;
    if (!performance->is_over)
        lanes_conduct(&performance->pool, stretch.jobs, stretch.count, limits, &listener);
    free(stretch.jobs);
    free(stretch.indexes);
}

// --- the plan ------------------------------------------------------------------------------------

// For so long the machine is looked at before costs are measured on it.
#define LOOK_NS (100 * NS_PER_MS)
// What others may use of it without a word.
#define BUSY_SHARE 0.1

static void warn_of_others(const struct performance *performance)
{
    int64_t busy_ns = machine_busy_ns();
    int64_t from_ns = clock_monotonic_ns();
    clock_sleep_until_ns(from_ns + LOOK_NS);
    double used = (double)(machine_busy_ns() - busy_ns) / (double)(clock_monotonic_ns() - from_ns);
    int processors = performance->run->environment.processors;
    if (busy_ns < 0 || performance->display.silent || used < BUSY_SHARE * processors)
        return;
    display_clear(&performance->display);
    fprintf(
        stderr,
        "lockpick: other programs keep %.1f of %d processors busy: costs measured now are those "
        "of a busy machine\n",
        used, processors);
}

// All trials that may share the machine are performed side by side, then the others one by one.
static void perform_trials(struct performance *performance)
{
    const struct plan *plan = performance->plan;
    const struct run_options *options = performance->options;
    int jobs = (int)options->jobs;
    struct lane_limits limits = jobs > 0 ? (struct lane_limits){jobs, jobs} : lanes_that_fit();
    if (limits.most > 1)
        perform_side_by_side(performance, limits);
    bool has_measured = false;
    for (size_t i = 0; i < plan->count; i++) {
        if (performance->is_over || sandbox_is_interrupted(performance->sandbox))
            break;
        if (performance->finished[i] ||
            (limits.most > 1 && trial_may_share_machine(&plan->trials[i])))
            continue;
        if (!has_measured && scenario_measures(plan->trials[i].scenario)) {
            warn_of_others(performance);
            has_measured = true;
        }
        perform_alone(performance, i, (int)i + 1);
    }
}

// --- again ---------------------------------------------------------------------------------------

// An UNKNOWN that no expectation asked for is no answer: neither that the lock is safe nor that it
// is not. Whatever was violated would have been UNSAFE, and is never asked again.
static bool is_open(const struct performance *performance, size_t index)
{
    const struct trial_result *result = &performance->run->trials[index];
    return performance->finished[index] && result->judgement.verdict == VERDICT_UNKNOWN &&
           !trial_is_measurement(result);
}

// The files of a trial that was not decided, beside the run's trials: RUN/undecided/TRIAL--1.
static int put_aside(const struct performance *performance, const struct trial_result *result,
                     int64_t attempt, struct text *aside, struct error *error)
{
    const char *run = performance->run->folder;
    text_format(aside, "%s/undecided/%s--%lld", run, result->trial->name, (long long)attempt);
    char *parent = path_join(run, "undecided");
    int made = folder_make(parent, error);
    free(parent);
    if (made == 0 && rename(result->folder, aside->bytes) != 0)
        made = error_set(error, "cannot move %s to %s: %s", result->folder, aside->bytes,
                         strerror(errno));
    return made;
}

static void perform_again(struct performance *performance, size_t index, int64_t attempt)
{
    struct trial_result *result = &performance->run->trials[index];
    const char *name = result->trial->name;
    struct text aside = {0};
    struct error error = {0};
    int serial = (int)((size_t)attempt * performance->plan->count + index) + 1;
    if (put_aside(performance, result, attempt, &aside, &error) == 0) {
        text_format(&performance->remarks, "%s was run again, as it could not be decided: %s; %s\n",
                    name, result->judgement.reason, aside.bytes);
        trial_result_free(result);
        performance->finished[index] = false;
        performance->display.planned++;
        perform_alone(performance, index, serial);
    } else {
        text_format(&performance->remarks, "%s was not run again: %s\n", name, error.text);
    }
    text_free(&aside);
}

// Alone, each of them, which leaves the machine calmer than before.
static void perform_open_ones_again(struct performance *performance)
{
    for (int64_t attempt = 1; attempt <= performance->options->again; attempt++) {
        for (size_t i = 0; i < performance->plan->count; i++) {
            if (performance->is_over || sandbox_is_interrupted(performance->sandbox))
                return;
            if (is_open(performance, i))
                perform_again(performance, i, attempt);
        }
    }
}

// --- the whole run -------------------------------------------------------------------------------

// Leaves the finished trials, in the order of the plan.
static void close_ranks(const struct performance *performance)
{
    struct run_result *run = performance->run;
    run->count = 0;
    for (size_t i = 0; i < run->planned; i++) {
        struct trial_result result = run->trials[i];
        run->trials[i] = (struct trial_result){0};
        if (performance->finished[i])
            run->trials[run->count++] = result;
        else
            trial_result_free(&result);
    }
}

static int most_lanes(const struct run_result *run)
{
    int most = 0;
    for (size_t i = 0; i < run->count; i++)
        most = run->trials[i].lanes > most ? run->trials[i].lanes : most;
    return most;
}

void perform_plan(const struct plan *plan, const struct run_options *options,
                  const struct sandbox *sandbox, struct run_result *run)
{
    struct performance performance = {
        .plan = plan,
        .options = options,
        .sandbox = sandbox,
        .run = run,
        .finished = memory_zeroed(plan->count, sizeof(bool)),
        .display = {.terminal = isatty(STDERR_FILENO),
                    .silent = options->quiet || options->json || options->tap,
                    .planned = plan->count}};
    int64_t began_ns = clock_monotonic_ns();
    environment_describe(sandbox, plan, &run->environment);
    run->has_plots = plots_available(run->plot_note, sizeof run->plot_note);
    run->planned = plan->count;
    run->trials = memory_zeroed(plan->count, sizeof *run->trials);
    char *servers = path_join(run->folder, "servers");
    server_pool_start(&performance.pool, sandbox, servers);
    perform_trials(&performance);
    perform_open_ones_again(&performance);
    server_pool_stop(&performance.pool);
    display_clear(&performance.display);
    close_ranks(&performance);
    free(performance.finished);
    run->remarks = performance.remarks.bytes;
    run->environment.lanes = most_lanes(run);
    run->environment.load_at_end = machine_load_read();
    free(servers);
    run->duration_ns = clock_monotonic_ns() - began_ns;
}

void performance_free(struct run_result *run)
{
    for (size_t i = 0; i < run->count; i++)
        trial_result_free(&run->trials[i]);
    free(run->trials);
    free(run->remarks);
}
