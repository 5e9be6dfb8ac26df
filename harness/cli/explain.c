// explain: why a trial was judged as it was; and the part of its history that its story tells of.
#include "harness/base/table.h"
#include "harness/cli/verb.h"
#include "harness/run/run_files.h"
#include "harness/run/stored_run.h"

struct explain_options {
    bool events;
};

static const struct option explain_options[] = {
    {"events", "",
     "every event from the story's first moment to its last, in columns; usage is left out",
     FLAG(struct explain_options, events)},
    {.name = NULL},
};

static int explain(const struct stored_path *stored, bool events)
{
    struct stored_runs runs;
    struct run_report report;
    struct error error = {0};
    int code = EXIT_AS_EXPECTED;
    if (stored_runs_open(&stored->run, 1, stored->trial, HISTORIES_ALL, &runs, &error) != 0) {
        stored_runs_free(&runs);
        return verb_fails(&explain_verb, EXIT_USAGE, "%s", error.text);
    }
    stored_runs_judge(&runs, stored->run, TRIAL_FILES_NONE);
    const struct trial_result *result = &runs.result.trials[0];
    run_report_make(&runs.result, &report);
    report_explain(&report, stdout, colour_wanted(stdout));
    struct event_filter moment = {.says_from = true,
                                  .says_to = true,
                                  .lacks_usage = true,
                                  .from_ns = result->span.from_ns,
                                  .to_ns = result->span.to_ns};
    bool has_moment = result->span.from_ns <= result->span.to_ns;
    if (events && result->story[0] != '\0' && has_moment) {
        puts("");
        code = history_print(&explain_verb, stored->histories.items[0], &moment, true);
    } else if (events) {
        printf("\nNo moment stands out; lockpick history %s prints all\n", result->folder);
    }
    run_report_free(&report);
    stored_runs_free(&runs);
    return code;
}

static int run(const struct words *words, void *options)
{
    struct stored_path stored;
    int code = one_history(&explain_verb, words, &stored);
    if (code == EXIT_AS_EXPECTED && stored.trial == NULL) { // of a run, its only one
        struct stored_path only;
        stored_path_find(stored.histories.items[0], &only);
        stored_path_free(&stored);
        stored = only;
    }
    if (code == EXIT_AS_EXPECTED && mode_at("%s", words->items[0]) == 0)
        code = usage_error(&explain_verb, "%s is not there: expected results/RUN/trials/TRIAL",
                           words->items[0]);
    else if (code == EXIT_AS_EXPECTED && stored.run == NULL)
        code = usage_error(&explain_verb,
                           "%s belongs to no run of Lockpick's: lockpick check --model decides it",
                           words->items[0]);
    else if (code == EXIT_AS_EXPECTED)
        code = explain(&stored, ((struct explain_options *)options)->events);
    stored_path_free(&stored);
    return code;
}

extern const char template_help_explain[];
const struct verb explain_verb = {
    .name = "explain",
    .arguments = "TRIAL [--events]",
    .summary = "Tells why a trial was judged so: its story, the cause, a picture",
    .help = template_help_explain,
    .options = explain_options,
    .room = sizeof(struct explain_options),
    .run = run,
};
