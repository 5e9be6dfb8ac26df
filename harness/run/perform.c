#include "harness/run/perform.h"

#include "harness/base/file.h"
#include "harness/base/limits.h"
#include "harness/base/random.h"
#include "harness/base/scope.h"
#include "harness/base/terminal.h"
#include "harness/explain/diagnosis.h"
#include "harness/explain/story.h"
#include "harness/report/run_report.h"
#include "harness/run/servers.h"
#include "harness/run/slots.h"
#include "harness/run/usage.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <unistd.h>

// --- a trial that is over ------------------------------------------------------------------------

void trial_decide(struct trial_result *result, struct history *history, enum trial_files files)
{
    struct trial_model model;
    struct error error = {0};
    const char *name = result->trial->name;
    trial_model_make(history, result->trial, &model);
    judge(&model, &result->judgement);
    statistics_make(&model, &result->statistics);
    result->has_history = true;
    result->is_cut_short = history->condition.state == HISTORY_UNFINISHED;
    free(result->story);
    result->story = story_tell(&model, &result->judgement, &result->span);
    json_decref(result->evidence);
    result->evidence = evidence_json(&model, &result->judgement);
    latencies_free(&result->latencies);
    bool is_in_page =
        files == TRIAL_FILES_PAGE && judgement_first_violation(&result->judgement) != NULL;
    enum trial_picture end = files >= TRIAL_FILES_UNDRAWN ? PICTURE_ALL
                             : is_in_page                 ? PICTURES_OF_PAGE
                                                          : PICTURE_TIMELINE; // none
    const char *folder = files >= TRIAL_FILES_UNDRAWN ? result->folder : NULL;
    if (latencies_write(&model, folder, &result->latencies, &error) != 0)
        fprintf(stderr, "lockpick: the latencies of %s: %s\n", name, error.text);
    if (plots_write(&model, result, end, &error) != 0 ||
        (files == TRIAL_FILES_ALL && plots_draw_all(result, 1, &error) != 0))
        fprintf(stderr, "lockpick: the plots of %s: %s\n", name, error.text);
    result->lacks_files = error.text[0] != '\0';
    trial_model_free(&model);
}

void trial_result_free(struct trial_result *result)
{
    free(result->folder);
    free(result->story);
    json_decref(result->evidence);
    plots_free(result);
    latencies_free(&result->latencies);
    *result = (struct trial_result){0};
}

// --- a run ---------------------------------------------------------------------------------------

struct running {
    const struct plan *plan;
    const struct run_options *options;
    const struct sandbox *sandbox;
    struct run_result *run; // meanwhile its trials are those of the plan, one by one
    bool *finished;         // of each of them
    struct server_pool pool;
    bool is_silent;
    bool has_line; // on a terminal
    size_t finished_count, planned;
    struct slot_state {
        const struct trial *trial; // NULL: nothing
        char doing[32];
        size_t events;
    } slots[MAX_SLOTS];  // what each does; one trial alone is in the first
    struct text remarks; // on trials that were performed again
    bool is_over;        // no other trial is to be begun
};

// --- how far it is -------------------------------------------------------------------------------

// Takes the line away.
static void clear_line(const struct running *running)
{
    if (running->has_line)
        progress_line(stderr, NULL);
}

// "[37/300] 2 at once: contention--none running, pause--redlock connecting"; of one trial alone,
// about how many events it has by now.
static void draw_line(const struct running *running)
{
    AUTO_TEXT struct text line = {0};
    int count = 0;
    const char *between = " ";
    for (int i = 0; i < MAX_SLOTS; i++)
        count += running->slots[i].trial != NULL;
    if (!running->has_line || count == 0)
        return;
    text_format(&line, "[%zu/%zu]", running->finished_count, running->planned);
    if (count > 1)
        text_format(&line, " %d at once:", count);
    for (int i = 0; i < MAX_SLOTS; i++) {
        const struct slot_state *slot = &running->slots[i];
        if (slot->trial == NULL)
            continue;
        text_format(&line, "%s%s: %s", between, slot->trial->name, slot->doing);
        if (count == 1 && slot->events > 0)
            text_format(&line, ", about %zu events", slot->events);
        between = "; ";
    }
    progress_line(stderr, text_string(&line));
}

static void show(struct running *running, int slot, const struct trial *trial, const char *doing,
                 size_t events)
{
    struct slot_state *state = &running->slots[slot];
    state->trial = trial;
    state->events = events;
    snprintf(state->doing, sizeof state->doing, "%s", doing);
    draw_line(running);
}

// The trial is over, wherever it ran.
static void show_verdict(struct running *running, const struct trial_result *result)
{
    static const char *const marks[] = {[EXPECTATION_NONE] = "",
                                        [EXPECTATION_MET] = ", as expected",
                                        [EXPECTATION_MISSED] = ", NOT AS EXPECTED"};
    running->finished_count++;
    for (int i = 0; i < MAX_SLOTS; i++) {
        if (running->slots[i].trial == result->trial)
            running->slots[i].trial = NULL;
    }
    // Of locks that are tried there is a row for each fault in the end.
    bool is_told_later = running->has_line && running->options->tried != NULL &&
                         result->judgement.expectation != EXPECTATION_MISSED;
    if (running->is_silent || is_told_later)
        return;
    clear_line(running);
    fprintf(stderr, "[%zu/%zu] %s: %s%s\n", running->finished_count, running->planned,
            result->trial->name, trial_verdict_word(result), marks[result->judgement.expectation]);
    draw_line(running);
}

// --- one trial -----------------------------------------------------------------------------------

// Whatever it is judged, the trial is finished.
static void finish(struct running *running, const struct trial_result *result)
{
    running->finished[result - running->run->trials] = true;
    bool failed = result->judgement.expectation == EXPECTATION_MISSED ||
                  result->judgement.verdict == VERDICT_ERROR;
    show_verdict(running, result);
    if (failed && !running->options->keep_going)
        running->is_over = true;
}

// Starts the result of a trial. False, and finished, if the trial cannot be run.
static bool can_run(struct running *running, size_t index)
{
    struct trial_result *result = &running->run->trials[index];
    const struct trial *trial = &running->plan->trials[index];
    AUTO_TEXT struct text reason = {0};
    struct error error = {0};
    *result = (struct trial_result){
        .trial = trial,
        .folder = text_formatted("%s/trials/%s", running->run->folder, trial->name),
        .story = memory_string("")};
    enum applicability applies = trial_applicability(trial, &reason);
    const struct scenario *drawn = trial_as_run(trial);
    AUTO_FREE char *path = path_join(result->folder, "as-run.yaml"); // what does the same again
    bool can = false;
    if (applies == TRIAL_NOT_APPLICABLE)
        judge_without_history(trial, VERDICT_NOT_APPLICABLE, text_string(&reason),
                              &result->judgement);
    else if (applies == TRIAL_NOT_INSTALLED)
        judge_without_history(trial, VERDICT_SKIPPED, text_string(&reason), &result->judgement);
    else if (folder_make(result->folder, &error) != 0 ||
             (scenario_was_drawn(drawn) &&
              file_write(path, drawn->source, strlen(drawn->source), &error) != 0))
        judge_without_history(trial, VERDICT_ERROR, error.text, &result->judgement);
    else
        can = true;
    if (!can)
        finish(running, result);
    return can;
}

// Judges a trial that was conducted, or could not be.
static void settle(struct running *running, struct trial_result *result, int conducted,
                   const struct error *reason)
{
    const struct trial *trial = result->trial;
    struct history history = {0};
    struct error error = *reason;
    AUTO_FREE char *path = path_join(result->folder, "history.bin");
    if (conducted == TRIAL_INTERRUPTED)
        text_format(&running->remarks,
                    "%s was interrupted: it is judged by what was recorded until then\n",
                    trial->name);
    char limits[300];
    if (conducted == -1 && limits_too_low(limits, sizeof limits)[0] != '\0')
        error_wrap(&error, "%s", limits);
    if (conducted == TRIAL_IMPOSSIBLE)
        judge_without_history(trial, VERDICT_SKIPPED, error.text, &result->judgement);
    else if (conducted == TRIAL_MEANINGLESS)
        judge_without_history(trial, VERDICT_NOT_APPLICABLE, error.text, &result->judgement);
    else if (conducted < 0 || history_load(path, &history, &error) != 0)
        judge_without_history(trial, VERDICT_ERROR, error.text, &result->judgement);
    else
        trial_decide(result, &history,
                     running->run->has_plots ? TRIAL_FILES_ALL : TRIAL_FILES_UNDRAWN);
    history_free(&history);
    finish(running, result);
}

// --- alone ---------------------------------------------------------------------------------------

static void show_alone(void *context, const struct trial *trial, const char *doing, size_t events)
{
    show(context, 0, trial, doing, events);
}

// Nothing else happens on the machine while the trial runs.
static void perform_alone(struct running *running, size_t index, int serial)
{
    struct trial_result *result = &running->run->trials[index];
    const struct progress progress = {.show = show_alone, .context = running};
    struct error error = {0};
    if (!can_run(running, index))
        return;
    result->lanes = 1;
    int conducted =
        trial_conduct(result->trial, &running->pool, result->folder, serial, &progress, &error);
    if (conducted == 0)
        show(running, 0, result->trial, "deciding", 0);
    settle(running, result, conducted, &error);
}

// --- side by side --------------------------------------------------------------------------------

// The serial of a job is the number, from 1, of its trial in the plan.
static void hear(void *context, const struct slot_job *job, const struct slot_news *news)
{
    show(context, news->slot, job->trial, news->doing, news->events);
}

static bool settle_job(void *context, const struct slot_job *job, int conducted,
                       const struct error *error)
{
    struct running *running = context;
    settle(running, &running->run->trials[job->serial - 1], conducted, error);
    return !running->is_over;
}

// Those trials of the plan that may share the machine: first those of external programs, which wait
// in real time, so that none of them is left alone at the end.
static void perform_side_by_side(struct running *running, struct slot_limits limits)
{
    const struct plan *plan = running->plan;
    struct trial_result *trials = running->run->trials;
    AUTO_FREE struct slot_job *jobs = memory_zeroed(plan->count, sizeof *jobs);
    size_t count = 0;
    const struct slot_listener listener = {.hear = hear, .settle = settle_job, .context = running};
    for (size_t turn = 0; turn < 2 * plan->count && !running->is_over; turn++) {
        size_t i = turn % plan->count;
        bool is_external = plan->trials[i].external_client != NULL;
        if (is_external != (turn < plan->count) || !trial_may_share_machine(&plan->trials[i]))
            continue;
        if (can_run(running, i))
            jobs[count++] = (struct slot_job){
                .trial = trials[i].trial, .folder = trials[i].folder, .serial = (int)i + 1};
    }
    if (count < (size_t)limits.most)
        limits.most = (int)count;
    for (size_t i = 0; i < count; i++)
        trials[jobs[i].serial - 1].lanes = limits.most;
    if (!running->is_over)
        slots_conduct(&running->pool, jobs, count, limits, &listener);
}

// --- the plan ------------------------------------------------------------------------------------

// All trials that may share the machine are performed side by side, then the others one by one.
static void perform_trials(struct running *running)
{
    const struct plan *plan = running->plan;
    const struct run_options *options = running->options;
    int jobs = (int)options->jobs;
    struct slot_limits limits = jobs > 0 ? (struct slot_limits){jobs, jobs} : slots_that_fit();
    if (limits.most > 1)
        perform_side_by_side(running, limits);
    for (size_t i = 0; i < plan->count; i++) {
        if (running->is_over || sandbox_is_interrupted(running->sandbox))
            break;
        if (running->finished[i] || (limits.most > 1 && trial_may_share_machine(&plan->trials[i])))
            continue;
        perform_alone(running, i, (int)i + 1);
    }
}

// --- again ---------------------------------------------------------------------------------------

// The files of the trial that was not decided stay beside the run's trials: RUN/undecided/TRIAL--1.
static void perform_again(struct running *running, size_t index, int64_t attempt)
{
    struct trial_result *result = &running->run->trials[index];
    const char *name = result->trial->name;
    struct error error = {0};
    int serial = (int)((size_t)attempt * running->plan->count + index) + 1;
    AUTO_FREE char *undecided = path_join(running->run->folder, "undecided");
    AUTO_FREE char *aside = text_formatted("%s/%s--%lld", undecided, name, (long long)attempt);
    int moved = folder_make(undecided, &error);
    if (moved == 0 && rename(result->folder, aside) != 0)
        moved =
            error_set(&error, "cannot move %s to %s: %s", result->folder, aside, strerror(errno));
    if (moved == 0) {
        text_format(&running->remarks, "%s was run again, as it could not be decided: %s; %s\n",
                    name, result->judgement.reason, aside);
        trial_result_free(result);
        running->finished[index] = false;
        running->planned++;
        perform_alone(running, index, serial);
    } else {
        text_format(&running->remarks, "%s was not run again: %s\n", name, error.text);
    }
}

// An UNKNOWN that no expectation asked for is no answer: neither that the lock is safe nor that it
// is not. Whatever was violated would have been UNSAFE, and is never asked again. Alone, each of
// them, which leaves the machine calmer than before.
static void perform_open_ones_again(struct running *running)
{
    for (int64_t attempt = 1; attempt <= running->options->again; attempt++) {
        for (size_t i = 0; i < running->plan->count; i++) {
            const struct trial_result *result = &running->run->trials[i];
            if (running->is_over || sandbox_is_interrupted(running->sandbox))
                return;
            if (running->finished[i] && result->judgement.verdict == VERDICT_UNKNOWN &&
                !trial_is_measurement(result))
                perform_again(running, i, attempt);
        }
    }
}

// --- the whole run -------------------------------------------------------------------------------

void perform_plan(const struct plan *plan, const struct run_options *options,
                  const struct sandbox *sandbox, struct run_result *run)
{
    struct running running = {.plan = plan,
                              .options = options,
                              .sandbox = sandbox,
                              .run = run,
                              .finished = memory_zeroed(plan->count, sizeof(bool)),
                              .is_silent = options->quiet || options->json || options->tap,
                              .planned = plan->count};
    int64_t began_ns = clock_monotonic_ns();
    running.has_line = !running.is_silent && isatty(STDERR_FILENO);
    environment_describe(sandbox, plan, &run->environment);
    run->has_plots = plots_available(run->plot_note, sizeof run->plot_note);
    run->planned = plan->count;
    run->trials = memory_zeroed(plan->count, sizeof *run->trials);
    AUTO_FREE char *servers = path_join(run->folder, "servers");
    server_pool_start(&running.pool, sandbox, servers);
    perform_trials(&running);
    perform_open_ones_again(&running);
    server_pool_stop(&running.pool);
    clear_line(&running);
    // Only the finished trials are left, in the order of the plan.
    for (size_t i = 0; i < run->planned; i++) {
        struct trial_result result = run->trials[i];
        run->trials[i] = (struct trial_result){0};
        if (!running.finished[i]) {
            trial_result_free(&result);
            continue;
        }
        run->trials[run->count++] = result;
        if (result.lanes > run->environment.lanes)
            run->environment.lanes = result.lanes;
    }
    free(running.finished);
    run->remarks = running.remarks.bytes;
    run->environment.load_at_end = machine_load_read();
    run->duration_ns = clock_monotonic_ns() - began_ns;
}

void performed_free(struct run_result *run)
{
    for (size_t i = 0; i < run->count; i++)
        trial_result_free(&run->trials[i]);
    free(run->trials);
    free(run->remarks);
}

// --- from scenarios ------------------------------------------------------------------------------

// For so long the machine is looked at before costs are measured on it.
#define LOOK_NS (100 * NS_PER_MS)
// What others may use of it without a word.
#define BUSY_SHARE 0.1

// Before anything is started: whoever waits for figures is told what they will be worth.
static void warn_of_others(const struct plan *plan)
{
    bool any_measures = false;
    for (size_t i = 0; i < plan->count; i++)
        any_measures |= scenario_measures(plan->trials[i].scenario);
    int64_t busy_ns = any_measures ? machine_busy_ns() : -1;
    if (busy_ns < 0)
        return;
    int64_t from_ns = clock_monotonic_ns();
    clock_sleep_until_ns(from_ns + LOOK_NS);
    double used = (double)(machine_busy_ns() - busy_ns) / (double)(clock_monotonic_ns() - from_ns);
    int processors = get_nprocs();
    if (used >= BUSY_SHARE * processors)
        fprintf(stderr,
                "lockpick: other programs keep %.1f of %d processors busy (load %.1f): costs "
                "measured now are those of a busy machine\n",
                used, processors, machine_load_read().averages[0]);
}

struct sandboxed {
    const struct scenario_run *how;
    void *context;
    const struct plan *plan;
    char *folder;
};

static int conduct(const struct sandbox *sandbox, void *context)
{
    const struct sandboxed *run = context;
    return run->how->conduct(run->context, sandbox, run->plan, run->folder);
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

int run_scenarios(const struct run_options *options, const struct scenario_run *how, void *context,
                  struct error *error)
{
    struct scenario_set set = {0};
    struct plan plan = {0};
    struct vocabulary *vocabulary = vocabulary_new(); // trials have parts of it
    struct sandboxed run = {how, context, &plan, NULL};
    int code = EXIT_USAGE;
    // What goes wrong is said already, or in `error`.
    int result = run_folder_check(options, error);
    if (result == 0)
        result = how->load != NULL ? how->load(context, vocabulary, &set, error)
                                   : scenario_set_load(options, vocabulary, &set);
    uint64_t seed = result == 0 ? choose_seed(options, &set) : 0;
    if (result == 0 && how->plan != NULL)
        result = how->plan(context, &set, vocabulary, seed, &plan, error);
    else if (result == 0)
        result = plan_make(set.scenarios, set.count, vocabulary, options->schemes, options->repeat,
                           seed, &plan, error);
    for (size_t i = 0; result == 0 && i < set.count; i++)
        draw_tell(&plan, set.scenarios[i], stderr);
    bool is_planned = result == 0 && draw_plan(&plan, vocabulary) == 0;
    if (is_planned && options->dry_run) {
        code = how->preview(options, &plan);
    } else if (is_planned) {
        code = EXIT_ENVIRONMENT;
        if (run_outputs_check(options, error) == 0)
            run.folder = run_folder_make(options, &set, &plan, error);
    }
    if (run.folder != NULL) {
        struct gateway gateway = {0};
        const char *why_not = why_loopback(options, &plan);
        warn_of_others(&plan);
        if (why_not != NULL || !plan_wants_gateway(&plan) || gateway_start(&gateway, error) == 0)
            code = sandbox_run_why(why_not, &(struct sandbox_work){.body = conduct,
                                                                   .context = &run,
                                                                   .sweep = run_folder_sweep,
                                                                   .folder = run.folder,
                                                                   .gateway = &gateway});
        gateway_stop(&gateway);
    }
    if (code > 128)
        error_set(error,
                  "ended by signal %d%s; what was recorded until then is in %s, and `lockpick "
                  "report %s` judges it",
                  code - 128, code - 128 == SIGBUS ? " (no room left on the disk?)" : "",
                  run.folder, run.folder);
    free(run.folder);
    plan_free(&plan);
    scenario_set_free(&set);
    vocabulary_free(vocabulary);
    return code;
}
