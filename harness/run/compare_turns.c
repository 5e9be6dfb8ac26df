#include "harness/run/compare_turns.h"

#include "harness/base/clock.h"
#include "harness/base/table.h"
#include "harness/cli/verb.h"
#include "harness/report/pictures/picture.h"
#include "harness/report/run_report.h"
#include "harness/run/draw.h"
#include "harness/run/loopback.h"
#include "harness/run/performance.h"
#include "harness/run/run_folder.h"
#include "harness/run/run_outputs.h"
#include "harness/run/scenario_files.h"
#include "harness/run/vocabulary.h"

#include <stdlib.h>
#include <string.h>

#define USUAL_REPEATS 7

struct request {
    const struct compare_options *options;
    struct run_options run; // as the trials are performed
    const struct plan *plan;
    char *folder;
};

int compare_show(const struct comparison *comparison, const struct compare_options *options)
{
    if (options->json) {
        char *json = comparison_json(comparison);
        puts(json);
        free(json);
    } else {
        comparison_print(comparison, options->all, stdout, colour_wanted(stdout));
    }
    return comparison_exit_code(comparison);
}

// Says why what was not tried was not, each reason once. True if there was any such trial.
static bool complain_of_untried(const struct run_result *run)
{
    const char *last = "";
    bool any = false;
    for (size_t i = 0; i < run->count; i++) {
        const struct judgement *judgement = &run->trials[i].judgement;
        if (judgement->verdict < VERDICT_SKIPPED)
            continue;
        if (strcmp(judgement->reason, last) != 0)
            fprintf(stderr, "lockpick compare: %s: %s: %s\n", run->trials[i].trial->name,
                    verdict_name(judgement->verdict), judgement->reason);
        last = judgement->reason;
        any = true;
    }
    return any;
}

static int compare_schemes(const struct run_report *report, bool is_broken,
                           const struct compare_options *options)
{
    struct run_figures figures;
    struct comparison comparison;
    struct error error = {0};
    int code = EXIT_ENVIRONMENT;
    if (run_figures_make(report_json_value(report), report->run->folder, &figures, &error) == 0) {
        comparison_of_schemes(&figures, options->schemes[0], options->schemes[1],
                              &options->comparison, &comparison);
        comparison.is_broken = is_broken;
        code = compare_show(&comparison, options);
        comparison_free(&comparison);
    } else {
        fprintf(stderr, "lockpick compare: %s\n", error.text);
    }
    run_figures_free(&figures);
    return code;
}

// In the sandbox, as the conductor.
static int conduct(const struct sandbox *sandbox, void *context)
{
    const struct request *request = context;
    struct run_result run = {.folder = request->folder, .seed = request->plan->seed};
    struct error error = {0};
    perform_plan(request->plan, &request->run, sandbox, &run);
    bool is_short =
        complain_of_untried(&run) || run.count < run.planned || sandbox_is_interrupted(sandbox);
    if (run_pictures_write(&run, run.has_plots, &error) != 0)
        fprintf(stderr, "lockpick compare: the pictures of the run: %s\n", error.text);
    struct run_report report;
    run_report_make(&run, &report);
    int written = run_outputs_write_folder(&report);
    run_folder_publish(run.folder);
    int code = compare_schemes(&report, is_short || written != 0, request->options);
    if (!request->options->json)
        printf("report: %s/report.html\n", run.folder);
    run_report_free(&report);
    run_pictures_free(&run);
    performance_free(&run);
    return code;
}

// One plan of both schemes, whose repeats take turns. 0, or -1 with `error` set.
static int make_plan(const struct compare_options *options, const struct scenario_set *set,
                     const struct vocabulary *vocabulary, uint64_t seed, struct plan *plan,
                     struct error *error)
{
    struct plan plans[2] = {0};
    int64_t repeats = options->run.repeat;
    if (repeats == 0)
        repeats =
            set->scenarios[0]->repeat > USUAL_REPEATS ? set->scenarios[0]->repeat : USUAL_REPEATS;
    int result = 0;
    for (int i = 0; i < 2 && result == 0; i++)
        result = plan_make(set->scenarios, set->count, vocabulary, options->schemes[i], repeats,
                           seed, &plans[i], error);
    for (int i = 0; i < 2 && result == 0; i++) {
        if (strcmp(plans[i].trials[0].scheme, options->schemes[i]) != 0)
            result = error_set(error,
                               "--scheme takes the name of one scheme here, such as %s, "
                               "not '%s'",
                               plans[i].trials[0].scheme, options->schemes[i]);
    }
    if (result == 0)
        result = plan_take_turns(&plans[0], &plans[1], plan, error);
    plan_free(&plans[0]);
    plan_free(&plans[1]);
    return result;
}

static int run_turns(const struct compare_options *options, struct scenario_set *set,
                     const struct vocabulary *vocabulary)
{
    struct error error = {0};
    struct plan plan = {0};
    uint64_t seed =
        (uint64_t)(options->run.seed != 0 ? options->run.seed : set->scenarios[0]->seed);
    seed = seed != 0 ? seed : (uint64_t)clock_realtime_ns() % 1000000000 + 1;
    for (size_t i = 0; i < set->count; i++)
        set->scenarios[i]->seed = (int64_t)seed;
    struct request request = {.options = options, .run = options->run, .plan = &plan};
    request.run.keep_going = true;
    request.run.jobs = 1; // one after the other, whatever strikes them
    request.run.json = options->json;
    int code = EXIT_USAGE;
    if (make_plan(options, set, vocabulary, seed, &plan, &error) == 0 &&
        draw_plan(&plan, vocabulary) == 0) {
        code = EXIT_ENVIRONMENT;
        draw_tell(&plan, set->scenarios[0], stderr);
        request.folder = run_folder_make(&request.run, set, &plan, &error);
        if (request.folder != NULL)
            code = sandbox_run_why(why_loopback(&request.run, &plan),
                                   &(struct sandbox_work){.body = conduct,
                                                          .context = &request,
                                                          .sweep = run_folder_sweep,
                                                          .folder = request.folder});
    }
    if (request.folder == NULL)
        fprintf(stderr, "lockpick compare: %s\n", error.text);
    free(request.folder);
    plan_free(&plan);
    return code;
}

int compare_in_turns(const struct compare_options *options)
{
    struct vocabulary *vocabulary = vocabulary_new();
    struct scenario_set set = {0};
    int code = EXIT_USAGE;
    if (scenario_set_load(&options->run, vocabulary, &set) == 0)
        code = run_turns(options, &set, vocabulary);
    scenario_set_free(&set);
    vocabulary_free(vocabulary);
    return code;
}
