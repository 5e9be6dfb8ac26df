#include "harness/run/merged_run.h"

#include "harness/base/file.h"
#include "harness/base/growing.h"

#include <stdlib.h>
#include <string.h>

// --- scenarios -----------------------------------------------------------------------------------

// What is run, whatever the seed: what a run keeps has no faults left to draw.
static bool is_same_text(const struct scenario *a, const struct scenario *b)
{
    return strcmp(a->name, b->name) == 0 && strcmp(a->settled, b->settled) == 0 &&
           strcmp(a->settled_faults, b->settled_faults) == 0;
}

static bool has_name(const struct merged_run *merged, const char *name)
{
    for (size_t i = 0; i < merged->scenario_count; i++) {
        if (strcmp(merged->scenarios[i]->name, name) == 0)
            return true;
    }
    return false;
}

// All else stays the run's.
static struct scenario *rename_scenario(struct merged_run *merged, const struct scenario *scenario)
{
    struct scenario *copy = memory_new(sizeof *copy);
    struct text name = {0};
    *copy = *scenario;
    for (int i = 2; name.length == 0 || has_name(merged, name.bytes); i++) {
        text_free(&name);
        text_format(&name, "%s-%d", scenario->name, i);
    }
    copy->name = name.bytes;
    *APPEND(merged->renamed, merged->renamed_count, merged->renamed_room) = copy;
    return copy;
}

static struct scenario *add_scenario(struct merged_run *merged, struct scenario *scenario,
                                     size_t earlier)
{
    for (size_t i = 0; i < earlier; i++) {
        if (is_same_text(merged->scenarios[i], scenario))
            return merged->scenarios[i];
    }
    if (has_name(merged, scenario->name))
        scenario = rename_scenario(merged, scenario);
    *APPEND(merged->scenarios, merged->scenario_count, merged->scenario_room) = scenario;
    return scenario;
}

// --- trials --------------------------------------------------------------------------------------

static bool is_repeat(const struct trial *a, const struct trial *b)
{
    return a->scenario == b->scenario && strcmp(a->scheme, b->scheme) == 0;
}

// The number of the next repeat: 1 if there is none yet.
static int next_repeat(const struct merged_run *merged, const struct trial *trial)
{
    int most = 0;
    for (size_t i = 0; i < merged->trial_count; i++) {
        const struct trial *other = &merged->trials[i].trial;
        if (is_repeat(other, trial) && other->repeat > most)
            most = other->repeat;
    }
    return most + 1;
}

static void add_trial(struct merged_run *merged, size_t run, size_t index,
                      struct scenario *scenario)
{
    const struct trial *found = merged->runs[run].result.trials[index].trial;
    struct merged_trial added = {.trial = *found, .run = run, .index = index};
    struct text name = {0};
    added.trial.scenario = scenario;
    int repeat = next_repeat(merged, &added.trial);
    if (repeat > added.trial.repeat && run > 0)
        added.trial.repeat = repeat;
    if (added.trial.repeat == found->repeat && strcmp(scenario->name, found->scenario->name) == 0) {
        text_add(&name, found->name);
    } else {
        text_format(&name, "%s--%s", scenario->name, added.trial.scheme);
        if (added.trial.repeat > 1)
            text_format(&name, "--%d", added.trial.repeat);
    }
    added.trial.name = name.bytes;
    *APPEND(merged->trials, merged->trial_count, merged->trial_room) = added;
}

// Those of later runs that were not tried would stand beside those that were, or twice.
static bool is_told_already(const struct merged_run *merged, size_t run, size_t index,
                            const struct scenario *scenario)
{
    struct trial trial = *merged->runs[run].result.trials[index].trial;
    trial.scenario = scenario;
    return next_repeat(merged, &trial) > 1 && !stored_run_was_tried(&merged->runs[run], index);
}

static void add_run(struct merged_run *merged, size_t run)
{
    const struct stored_run *stored = &merged->runs[run];
    const struct scenario_set *set = &stored->scenarios;
    struct scenario **here = memory_new((set->count + 1) * sizeof(struct scenario *));
    size_t earlier = merged->scenario_count;
    for (size_t i = 0; i < set->count; i++) {
        size_t first = 0; // of its name: trials of one scenario, which have it in common
        while (strcmp(set->scenarios[first]->name, set->scenarios[i]->name) != 0)
            first++;
        here[i] = first < i ? here[first] : add_scenario(merged, set->scenarios[i], earlier);
    }
    for (size_t i = 0; i < stored->result.count; i++) {
        size_t which = 0;
        while (set->scenarios[which] != stored->result.trials[i].trial->scenario)
            which++;
        if (run == 0 || !is_told_already(merged, run, i, here[which]))
            add_trial(merged, run, i, here[which]);
    }
    free(here);
}

// Brings repeats together, in the order in which the first of each was found.
static void gather_repeats(struct merged_run *merged)
{
    size_t count = merged->trial_count;
    struct merged_trial *sorted = memory_new((count + 1) * sizeof *sorted);
    bool *taken = memory_zeroed(count + 1, sizeof *taken);
    size_t filled = 0;
    for (size_t i = 0; i < count; i++) {
        for (size_t j = i; j < count && !taken[i]; j++) {
            if (taken[j] || !is_repeat(&merged->trials[i].trial, &merged->trials[j].trial))
                continue;
            sorted[filled++] = merged->trials[j];
            taken[j] = j > i;
        }
        taken[i] = true;
    }
    free(merged->trials);
    free(taken);
    merged->trials = sorted;
}

// --- remarks -------------------------------------------------------------------------------------

static void remark_on_environment(const struct run_result *first, const struct run_result *run,
                                  struct text *remarks)
{
    struct text differences = {0};
    size_t count = environment_differences(&first->environment, &run->environment, &differences);
    char *rest = differences.bytes;
    for (char *line; count > 0 && (line = strsep(&rest, "\n")) != NULL;) {
        if (line[0] != '\0')
            text_format(remarks,
                        "%s and %s were not made alike, so that their costs cannot be "
                        "compared: %s\n",
                        first->folder, run->folder, line);
    }
    text_free(&differences);
}

static void remark(struct merged_run *merged)
{
    struct text remarks = {0};
    for (size_t i = 0; i < merged->run_count; i++) {
        const char *before = merged->runs[i].result.remarks;
        text_add(&remarks, before != NULL ? before : "");
        if (merged->runs[i].was_stopped)
            text_format(&remarks,
                        "the run in %s was stopped before it could write its result: these are "
                        "the trials that have a history, and the last one of them may be cut "
                        "short\n",
                        merged->runs[i].result.folder);
    }
    for (size_t i = 1; i < merged->run_count; i++)
        remark_on_environment(&merged->runs[0].result, &merged->runs[i].result, &remarks);
    for (size_t i = 0; i < merged->renamed_count; i++)
        text_format(&remarks,
                    "%s is the scenario in %s, which has the name, but not the text, of another "
                    "one\n",
                    merged->renamed[i]->name, merged->renamed[i]->path);
    merged->result.remarks = remarks.bytes;
}

// --- the whole -----------------------------------------------------------------------------------

int merged_run_open(char *const *folders, size_t count, struct merged_run *merged,
                    struct error *error)
{
    *merged = (struct merged_run){.runs = memory_zeroed(count + 1, sizeof *merged->runs)};
    for (size_t i = 0; i < count; i++) {
        merged->run_count++;
        if (stored_run_open(folders[i], NULL, &merged->runs[i], error) != 0)
            return -1;
        bool was_tried = false; // what was skipped never had a history
        for (size_t j = 0; j < merged->runs[i].result.count; j++)
            was_tried |= stored_run_was_tried(&merged->runs[i], j);
        if (was_tried && !stored_run_has_history(&merged->runs[i]))
            return error_set(error,
                             "the run in %s has no history left to make a report of: its "
                             "report.html and result.json are all there is",
                             folders[i]);
        const struct run_result *result = &merged->runs[i].result;
        add_run(merged, i);
        merged->result.planned += result->planned - result->count;
        merged->result.duration_ns += result->duration_ns;
    }
    gather_repeats(merged);
    merged->result.planned += merged->trial_count;
    merged->result.environment = merged->runs[0].result.environment;
    merged->result.seed = merged->runs[0].result.seed;
    remark(merged);
    return 0;
}

void merged_run_judge(struct merged_run *merged, const char *out, enum trial_files files)
{
    struct run_result *whole = &merged->result;
    whole->folder = memory_string(out);
    whole->trials = memory_zeroed(merged->trial_count + 1, sizeof *whole->trials);
    for (size_t i = 0; i < merged->trial_count; i++) {
        const struct merged_trial *each = &merged->trials[i];
        struct text folder = {0};
        text_format(&folder, "%s/trials/%s", out, each->trial.name);
        struct trial_result *result = &whole->trials[whole->count++];
        *result = (struct trial_result){
            .trial = &each->trial, .folder = folder.bytes, .story = memory_string("")};
        stored_run_decide(&merged->runs[each->run], each->index, files, result);
    }
    for (size_t i = 0; i < merged->run_count; i++) {
        merged->differences.compared += merged->runs[i].differences.compared;
        text_add(&merged->differences.text, text_string(&merged->runs[i].differences.text));
    }
}

static int keep_scenario(const char *path, char *name, const char *trial,
                         const struct scenario *scenario, struct error *error)
{
    struct scenario named = *scenario;
    named.name = name;
    char *text = scenario_as_run(&named, (uint64_t)scenario->seed, "", trial);
    int result = scenario_keep(path, text, error);
    free(text);
    return result;
}

// Trials with faults of their own each have a file of their own.
int merged_run_keep_scenarios(const struct merged_run *merged, const char *out, struct error *error)
{
    char *many = path_join(out, "as-run");
    char *one = path_join(out, "as-run.yaml");
    bool is_one = merged->scenario_count == 1 && merged->scenarios[0]->trial == NULL;
    int result = folder_make(is_one ? out : many, error);
    for (size_t i = 0; result == 0 && i < merged->scenario_count; i++) {
        const struct scenario *scenario = merged->scenarios[i];
        struct text path = {0};
        text_format(&path, "%s/%s.yaml", many, scenario->name);
        if (scenario->trial == NULL)
            result =
                keep_scenario(is_one ? one : path.bytes, scenario->name, NULL, scenario, error);
        text_free(&path);
        for (size_t j = 0; result == 0 && scenario->trial != NULL && j < merged->trial_count; j++) {
            const struct trial *trial = &merged->trials[j].trial;
            const char *which = trial->name + strlen(scenario->name) + strlen("--");
            text_format(&path, "%s/%s.yaml", many, trial->name);
            if (trial->scenario == scenario)
                result =
                    keep_scenario(path.bytes, scenario->name, which, trial_as_run(trial), error);
            text_free(&path);
        }
    }
    free(many);
    free(one);
    return result;
}

void merged_run_free(struct merged_run *merged)
{
    for (size_t i = 0; i < merged->result.count; i++)
        trial_result_free(&merged->result.trials[i]);
    free(merged->result.trials);
    free(merged->result.folder);
    free(merged->result.remarks);
    for (size_t i = 0; i < merged->trial_count; i++)
        free(merged->trials[i].trial.name);
    free(merged->trials);
    for (size_t i = 0; i < merged->renamed_count; i++) {
        free(merged->renamed[i]->name);
        free(merged->renamed[i]);
    }
    free(merged->renamed);
    free(merged->scenarios);
    for (size_t i = 0; i < merged->run_count; i++)
        stored_run_free(&merged->runs[i]);
    free(merged->runs);
    text_free(&merged->differences.text);
}
