#include "harness/cli/performance.h"

#include "harness/base/file.h"
#include "harness/base/table.h"
#include "harness/drive/conductor.h"
#include "harness/drive/fit.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct display {
    bool terminal; // a line that is written over again and again
    bool silent;
    size_t number; // of the trial, from 1
    size_t planned;
};

static void show(void *context, const struct trial *trial, const char *doing, size_t events)
{
    const struct display *display = context;
    if (!display->terminal || display->silent)
        return;
    fprintf(stderr, "\r\033[K[%zu/%zu] %s: %s", display->number, display->planned, trial->name,
            doing);
    if (events > 0)
        fprintf(stderr, ", about %zu events", events);
    fflush(stderr);
}

static void show_verdict(const struct display *display, const struct trial_result *result)
{
    if (display->silent)
        return;
    static const char *const marks[] = {[EXPECTATION_NONE] = "",
                                        [EXPECTATION_MET] = ", as expected",
                                        [EXPECTATION_MISSED] = ", NOT AS EXPECTED"};
    fprintf(stderr, "%s[%zu/%zu] %s: %s%s\n", display->terminal ? "\r\033[K" : "", display->number,
            display->planned, result->trial->name, verdict_name(result->judgement.verdict),
            marks[result->judgement.expectation]);
}

static void decide(struct trial_result *result, struct history *history, bool with_plots)
{
    struct digest digest;
    struct error error = {0};
    digest_make(history, result->trial, &digest);
    judge(&digest, &result->judgement);
    statistics_make(&digest, &result->statistics);
    result->has_history = true;
    free(result->story);
    result->story = story_tell(&digest, &result->judgement);
    if (plots_write(&digest, result, with_plots, &error) != 0)
        fprintf(stderr, "lockpick: the plots of %s: %s\n", result->trial->name, error.text);
    digest_free(&digest);
}

// False, and judged, if the trial cannot be run.
static bool can_run(struct trial_result *result)
{
    struct text reason = {0};
    enum fit fit = trial_fit(result->trial, &reason);
    if (fit == FIT_NOT_APPLICABLE)
        judge_not_applicable(result->trial, text_string(&reason), &result->judgement);
    else if (fit == FIT_NOT_INSTALLED)
        judge_skipped(result->trial, text_string(&reason), &result->judgement);
    text_free(&reason);
    return fit == FIT_RUNS;
}

static void perform_trial(struct trial_result *result, const struct run_result *run,
                          struct server_pool *pool, struct display *display)
{
    const struct trial *trial = result->trial;
    struct text folder = {0};
    text_format(&folder, "%s/trials/%s", run->folder, trial->name);
    result->folder = folder.bytes;
    result->story = memory_string("");
    if (!can_run(result))
        return;
    struct error error = {0};
    struct progress progress = {.show = show, .context = display};
    struct history history = {0};
    char *path = path_join(result->folder, "history.bin");
    int conducted = folder_make(result->folder, &error);
    if (conducted == 0)
        conducted =
            trial_conduct(trial, pool, result->folder, (int)display->number, &progress, &error);
    if (conducted == TRIAL_IMPOSSIBLE) {
        judge_skipped(trial, error.text, &result->judgement);
    } else if (conducted != 0 || history_load(path, &history, &error) != 0) {
        judge_error(trial, error.text, &result->judgement);
    } else {
        show(display, trial, "deciding", history.count);
        decide(result, &history, run->has_plots);
        history_free(&history);
    }
    free(path);
}

static void free_trial(struct trial_result *result)
{
    free(result->folder);
    free(result->story);
    free(result->timeline);
    free(result->throughput);
    free(result->latency);
}

void perform_plan(const struct plan *plan, const struct run_options *options,
                  const struct sandbox *sandbox, struct run_result *run)
{
    struct display display = {.terminal = isatty(STDERR_FILENO),
                              .silent = options->quiet || options->json,
                              .planned = plan->count};
    int64_t began_ns = clock_monotonic_ns();
    environment_describe(sandbox, plan, &run->environment);
    run->has_plots = plots_available(run->plot_note, sizeof run->plot_note);
    run->planned = plan->count;
    run->trials = memory_zeroed(plan->count, sizeof *run->trials);
    struct server_pool pool;
    char *servers = path_join(run->folder, "servers");
    server_pool_start(&pool, sandbox, servers);
    for (size_t i = 0; i < plan->count; i++) {
        struct trial_result *result = &run->trials[run->count++];
        display.number = i + 1;
        result->trial = &plan->trials[i];
        perform_trial(result, run, &pool, &display);
        if (sandbox_is_interrupted(sandbox)) {
            free_trial(result); // half a trial has no verdict
            run->count--;
            break;
        }
        show_verdict(&display, result);
        bool failed = result->judgement.expectation == EXPECTATION_MISSED ||
                      result->judgement.verdict == VERDICT_ERROR;
        if (failed && !options->keep_going)
            break;
    }
    server_pool_stop(&pool);
    free(servers);
    run->duration_ns = clock_monotonic_ns() - began_ns;
}

void performance_free(struct run_result *run)
{
    for (size_t i = 0; i < run->count; i++)
        free_trial(&run->trials[i]);
    free(run->trials);
}
