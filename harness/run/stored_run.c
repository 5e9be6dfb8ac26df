#include "harness/run/stored_run.h"

#include "harness/base/file.h"
#include "harness/base/growing.h"
#include "harness/base/scope.h"
#include "harness/report/fields.h"

#include <fnmatch.h>
#include <jansson.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// --- what a path means ---------------------------------------------------------------------------

static void find_in_run(const char *run, struct stored_path *stored)
{
    AUTO_FREE char *trials = path_join(run, "trials");
    AUTO_LIST struct string_list names = folder_entries(trials);
    for (size_t i = 0; i < names.count; i++) {
        AUTO_FREE char *path = text_formatted("%s/%s/history.bin", trials, names.items[i]);
        if (S_ISREG(mode_at("%s", path)))
            string_list_add(&stored->histories, path);
    }
}

// history.edn.gz, or any.edn.gz if `any`.
static bool is_named_like_history(const char *name, bool any)
{
    const char *pattern = any ? "*.@(edn|json|jsonl)?(.gz)" : "history.@(edn|json|jsonl)?(.gz)";
    return strcmp(name, "history.bin") == 0 ||
           (strcmp(name, "result.json") != 0 && fnmatch(pattern, name, FNM_EXTMATCH) == 0);
}

// Does not follow links: Jepsen's store has some that lead to the same tests again.
static void find_in_folder(const char *folder, struct stored_path *stored)
{
    AUTO_LIST struct string_list names = folder_entries(folder);
    bool any = true;
    for (size_t i = 0; i < names.count; i++)
        any = any && !is_named_like_history(names.items[i], false);
    for (size_t i = 0; i < names.count; i++) {
        struct stat status;
        AUTO_FREE char *path = path_join(folder, names.items[i]);
        if (lstat(path, &status) != 0)
            continue;
        if (S_ISREG(status.st_mode) && is_named_like_history(names.items[i], any))
            string_list_add(&stored->histories, path);
        else if (S_ISDIR(status.st_mode))
            find_in_folder(path, stored);
    }
}

void stored_path_find(const char *path, struct stored_path *stored)
{
    char real[PATH_MAX] = "";
    bool is_folder = S_ISDIR(mode_at("%s", path));
    bool has_history = S_ISREG(mode_at("%s/history.bin", path));
    AUTO_FREE char *history = is_folder ? path_join(path, "history.bin") : memory_string(path);
    *stored = (struct stored_path){.run = NULL};
    // A run may have been killed before its first trial; a trial, too, may keep what it was run as.
    if (S_ISDIR(mode_at("%s/trials", path)) || S_ISDIR(mode_at("%s/as-run", path)) ||
        (mode_at("%s/as-run.yaml", path) != 0 && !has_history)) {
        stored->run = memory_string(path);
        find_in_run(path, stored);
        return;
    }
    if (is_folder && !has_history)
        find_in_folder(path, stored);
    else
        string_list_add(&stored->histories, history);
    // RUN/trials/TRIAL, or its history.bin: the names of RUN and TRIAL.
    if (realpath(path, real) == NULL || (!is_folder && fnmatch("*/history.bin", real, 0) != 0))
        return;
    if (!is_folder)
        *strrchr(real, '/') = '\0';
    char *trial = strrchr(real, '/');
    *trial = '\0';
    size_t length = strlen(real) - (strlen(real) > strlen("/trials") ? strlen("/trials") : 0);
    if (strcmp(real + length, "/trials") != 0)
        return;
    stored->trial = memory_string(trial + 1);
    stored->run = text_formatted("%.*s", (int)length, real);
}

void stored_path_free(struct stored_path *stored)
{
    string_list_free(&stored->histories);
    free(stored->run);
    free(stored->trial);
}

// One of the runs.
struct stored_run {
    struct run_result result; // without its trials
    bool was_stopped;         // before it wrote result.json
    json_t *entries;          // what that says of each trial
    // What the result points to.
    struct vocabulary *vocabulary;
    struct scenario_set scenarios;
    struct plan plans[3];
};

// One trial of the whole: a trial of a stored run, under the name that it has here.
struct stored_trial {
    struct trial trial;  // its name is owned
    const json_t *entry; // of its run
    char *history;       // its file there
};

// --- the scenarios -------------------------------------------------------------------------------

static int load_scenarios(const char *folder, struct stored_run *run, struct error *error)
{
    AUTO_FREE char *many = path_join(folder, "as-run");
    AUTO_FREE char *one = path_join(folder, "as-run.yaml");
    const char *path = mode_at("%s", many) != 0 ? many : one;
    struct run_options options = {.paths = &path, .path_count = 1, .are_stored = true};
    int result = 0;
    run->vocabulary = vocabulary_new();
    if (mode_at("%s", path) == 0)
        result = error_set(error,
                           "%s is no run's folder: it has neither as-run.yaml nor as-run/, the "
                           "scenarios to judge it by; --model MODEL decides a history without any",
                           folder);
    else if (scenario_set_load(&options, run->vocabulary, &run->scenarios) != 0 ||
             run->scenarios.count == 0)
        result = error_set(error, "the scenarios of the run in %s cannot be read", path);
    return result;
}

// The number at the end of "name--3"; 0 if there is none.
static int64_t repeat_of(const char *name)
{
    const char *last = NULL;
    for (const char *at = name; (at = strstr(at, "--")) != NULL; at += 2)
        last = at + 2;
    if (last == NULL || *last == '\0' || strspn(last, "0123456789") != strlen(last))
        return 0;
    return strtoll(last, NULL, 10);
}

static const struct trial *find_trial(const struct stored_run *run, const char *name)
{
    for (int i = 0; i < 3; i++) {
        for (size_t j = 0; j < run->plans[i].count; j++) {
            if (strcmp(run->plans[i].trials[j].name, name) == 0)
                return &run->plans[i].trials[j];
        }
    }
    return NULL;
}

// --- which trials --------------------------------------------------------------------------------

// Adds {"name": ...} of each trial of the folder that has a history and is not among them.
static void add_from_folder(const char *folder, json_t *trials)
{
    AUTO_FREE char *path = path_join(folder, "trials");
    AUTO_LIST struct string_list names = folder_entries(path);
    for (size_t i = 0; i < names.count; i++) {
        bool is_known = false;
        for (size_t j = 0; j < json_array_size(trials); j++)
            is_known |= strcmp(text_at(json_array_get(trials, j), "name"), names.items[i]) == 0;
        if (!is_known && mode_at("%s/%s/history.bin", path, names.items[i]) != 0)
            json_array_append_new(trials, json_pack("{s:s}", "name", names.items[i]));
    }
}

// Leaves that trial, which result.json need not tell of: a run that was stopped has it by half.
static json_t *only(json_t *trials, const char *name)
{
    json_t *chosen = json_array();
    for (size_t i = 0; i < json_array_size(trials); i++) {
        json_t *entry = json_array_get(trials, i);
        if (strcmp(text_at(entry, "name"), name) == 0)
            json_array_append(chosen, entry);
    }
    if (json_array_size(chosen) == 0)
        json_array_append_new(chosen, json_pack("{s:s}", "name", name));
    json_decref(trials);
    return chosen;
}

// How many trials the plan had; 0 if that is not known.
static size_t count_planned(const char *folder)
{
    AUTO_TEXT struct text names = {0};
    size_t count = 0;
    AUTO_FREE char *path = path_join(folder, PLANNED_FILE);
    if (file_read(path, &names, NULL) == 0) {
        for (size_t i = 0; i < names.length; i++)
            count += names.bytes[i] == '\n';
    }
    return count;
}

// And how the run was, if result.json says so. A trial that is not in it, as the run was stopped,
// is there if it has a history.
static void list_trials(struct stored_run *run, const char *trial)
{
    const char *folder = run->result.folder;
    AUTO_FREE char *path = path_join(folder, "result.json");
    json_auto_t *root = json_read(path, NULL);
    json_t *trials = json_incref(json_object_get(root, "trials"));
    const json_t *remarks = json_object_get(root, "remarks");
    struct text lines = {0};
    environment_from_json(json_object_get(root, "environment"), &run->result.environment);
    run->result.duration_ns = json_integer_value(json_object_get(root, "duration_ns"));
    run->was_stopped = !json_is_array(trials);
    for (size_t i = 0; trial == NULL && i < json_array_size(remarks); i++) {
        const char *remark = json_string_value(json_array_get(remarks, i));
        if (remark != NULL)
            text_format(&lines, "%s\n", remark);
    }
    run->result.remarks = lines.bytes;
    if (trial == NULL)
        run->result.planned = run->was_stopped
                                  ? count_planned(folder)
                                  : (size_t)json_integer_value(json_object_get(root, "planned"));
    if (run->was_stopped) {
        json_decref(trials);
        trials = json_array();
    }
    if (run->was_stopped || run->result.planned > json_array_size(trials))
        add_from_folder(folder, trials);
    run->entries = trial != NULL ? only(trials, trial) : trials;
}

// --- judging -------------------------------------------------------------------------------------

// True if what was said then stands: there was no history to judge, or the harness failed.
static bool take_over(const json_t *entry, struct trial_result *result)
{
    enum verdict verdict = VERDICT_SKIPPED;
    while (verdict <= VERDICT_NOT_APPLICABLE &&
           strcmp(text_at(entry, "verdict"), verdict_name(verdict)) != 0)
        verdict++;
    if (verdict <= VERDICT_NOT_APPLICABLE)
        judge_without_history(result->trial, verdict, text_at(entry, "reason"), &result->judgement);
    return verdict <= VERDICT_NOT_APPLICABLE;
}

// Judges the trial into `result`, whose `trial` and `folder` are set; that folder gets the files,
// and is made if there are any. What result.json says of trials that were never run, or failed, is
// taken over. A verdict that differs from it is one of the differences.
static void decide(const struct stored_trial *stored, enum trial_files files,
                   struct trial_result *result, struct differences *differences)
{
    struct history history = {0};
    struct error error = {0};
    result->lanes = (int)json_integer_value(json_object_get(stored->entry, "lanes"));
    if (!take_over(stored->entry, result)) {
        if (history_load(stored->history, &history, &error) != 0 ||
            (files > TRIAL_FILES_PAGE && folder_make(result->folder, &error) != 0))
            judge_without_history(result->trial, VERDICT_ERROR, error.text, &result->judgement);
        else
            trial_decide(result, &history, files);
        history_free(&history);
    }
    const char *before = text_at(stored->entry, "verdict");
    const char *now = verdict_name(result->judgement.verdict);
    differences->compared += before[0] != '\0';
    if (before[0] != '\0' && strcmp(before, now) != 0)
        text_format(&differences->text, "%s: %s now, %s in result.json\n", result->trial->name, now,
                    before);
}

// Reads the scenarios that the run's folder holds (as-run.yaml, or as-run/) and names its trials;
// if `trial` is not NULL, only that one. Those that result.json tells of come in its order. Where
// it lacks some or is missing (the run was stopped), every other trial that has a history.
static int open_one(const char *folder, const char *trial, struct stored_run *run,
                    struct error *error)
{
    int64_t repeats = 2;
    size_t index;
    json_t *entry;
    *run = (struct stored_run){.result = {.folder = memory_string(folder)}};
    if (load_scenarios(folder, run, error) != 0)
        return -1;
    list_trials(run, trial);
    run->result.count = json_array_size(run->entries);
    if (run->result.planned < run->result.count)
        run->result.planned = run->result.count;
    if (run->result.planned == 0)
        return error_set(error, "the run in %s has no trial with a history", folder);
    json_array_foreach(run->entries, index, entry)
    {
        int64_t repeat = repeat_of(text_at(entry, "name"));
        repeats = repeat > repeats && repeat <= 1000 ? repeat : repeats;
    }
    // The names of trials have a number if there are repeats, and --repeat may have said so, or
    // that there are none: all these plans.
    const int64_t said[] = {0, 1, repeats};
    const struct scenario_set *set = &run->scenarios;
    run->result.seed = (uint64_t)set->scenarios[0]->seed;
    for (int i = 0; i < 3; i++) {
        if (plan_make(set->scenarios, set->count, run->vocabulary, NULL, said[i], run->result.seed,
                      &run->plans[i], error) != 0)
            return -1;
    }
    json_array_foreach(run->entries, index, entry)
    {
        if (find_trial(run, text_at(entry, "name")) == NULL)
            return error_set(error, "the scenarios of the run in %s have no trial '%s'", folder,
                             text_at(entry, "name"));
    }
    return 0;
}

// False of a trial that was SKIPPED, or made no sense, by what result.json says.
static bool was_tried(const json_t *entry)
{
    const char *verdict = text_at(entry, "verdict");
    return strcmp(verdict, verdict_name(VERDICT_SKIPPED)) != 0 &&
           strcmp(verdict, verdict_name(VERDICT_NOT_APPLICABLE)) != 0;
}

// What was skipped never had a history.
static int check_histories(const struct stored_run *run, enum stored_histories wanted,
                           struct error *error)
{
    size_t found = 0, tried = 0, index;
    const char *folder = run->result.folder;
    json_t *entry;
    json_array_foreach(run->entries, index, entry)
    {
        bool has_one = mode_at("%s/trials/%s/history.bin", folder, text_at(entry, "name")) != 0;
        found += has_one;
        tried += has_one || was_tried(entry);
    }
    if (wanted == HISTORIES_SOME && tried > 0 && found == 0)
        return error_set(error,
                         "the run in %s has no history left to make a report of: its report.html "
                         "and result.json are all there is",
                         folder);
    if (wanted == HISTORIES_ALL && (found == 0 || found < tried))
        return error_set(error, "some histories of the run in %s are gone", folder);
    return 0;
}

// --- of several runs one: scenarios --------------------------------------------------------------

static bool has_name(const struct stored_runs *all, const char *name)
{
    for (size_t i = 0; i < all->scenario_count; i++) {
        if (strcmp(all->scenarios[i]->name, name) == 0)
            return true;
    }
    return false;
}

static struct scenario *add_scenario(struct stored_runs *all, struct scenario *scenario,
                                     size_t earlier)
{
    // The same is run, whatever the seed: what a run keeps has no faults left to draw.
    for (size_t i = 0; i < earlier; i++) {
        const struct scenario *other = all->scenarios[i];
        if (strcmp(other->name, scenario->name) == 0 &&
            strcmp(other->settled, scenario->settled) == 0 &&
            strcmp(other->settled_faults, scenario->settled_faults) == 0)
            return all->scenarios[i];
    }
    if (has_name(all, scenario->name)) { // all else stays the run's
        struct scenario *copy = memory_new(sizeof *copy);
        *copy = *scenario;
        copy->name = text_formatted("%s-2", scenario->name);
        for (int i = 3; has_name(all, copy->name); i++) {
            free(copy->name);
            copy->name = text_formatted("%s-%d", scenario->name, i);
        }
        scenario = *APPEND(all->renamed, all->renamed_count, all->renamed_room) = copy;
    }
    *APPEND(all->scenarios, all->scenario_count, all->scenario_room) = scenario;
    return scenario;
}

// --- its trials ----------------------------------------------------------------------------------

static bool is_repeat(const struct trial *a, const struct trial *b)
{
    return a->scenario == b->scenario && strcmp(a->scheme, b->scheme) == 0;
}

// The number of the next repeat: 1 if there is none yet.
static int next_repeat(const struct stored_runs *all, const struct trial *trial)
{
    int most = 0;
    for (size_t i = 0; i < all->trial_count; i++) {
        const struct trial *other = &all->trials[i].trial;
        if (is_repeat(other, trial) && other->repeat > most)
            most = other->repeat;
    }
    return most + 1;
}

// A trial of the run, whose scenario is known here by another name, maybe. With `gathers`, repeats
// come together, in the order in which the first of each was found.
static void add_trial(struct stored_runs *all, const struct stored_run *run, const json_t *entry,
                      struct scenario *scenario, bool gathers)
{
    bool is_later = run != all->runs;
    const struct trial *found = find_trial(run, text_at(entry, "name"));
    struct stored_trial added = {.trial = *found, .entry = entry};
    struct text name = {0};
    added.trial.scenario = scenario;
    int repeat = next_repeat(all, &added.trial);
    // What was not tried would stand beside what was, or twice.
    if (is_later && repeat > 1 && !was_tried(entry))
        return;
    if (is_later && repeat > added.trial.repeat)
        added.trial.repeat = repeat;
    if (added.trial.repeat == found->repeat && strcmp(scenario->name, found->scenario->name) == 0) {
        text_add(&name, found->name);
    } else {
        text_format(&name, "%s--%s", scenario->name, added.trial.scheme);
        if (added.trial.repeat > 1)
            text_format(&name, "--%d", added.trial.repeat);
    }
    added.trial.name = name.bytes;
    added.history = text_formatted("%s/trials/%s/history.bin", run->result.folder, found->name);
    size_t after = all->trial_count; // the last of its repeats, if there are any
    while (gathers && after > 0 && !is_repeat(&all->trials[after - 1].trial, &added.trial))
        after--;
    size_t at = after > 0 ? after : all->trial_count;
    struct stored_trial *last = APPEND(all->trials, all->trial_count, all->trial_room);
    memmove(&all->trials[at + 1], &all->trials[at],
            (size_t)(last - &all->trials[at]) * sizeof *last);
    all->trials[at] = added;
}

static void add_run(struct stored_runs *all, const struct stored_run *run, bool gathers)
{
    const struct scenario_set *set = &run->scenarios;
    AUTO_FREE struct scenario **here = memory_new((set->count + 1) * sizeof(struct scenario *));
    size_t earlier = all->scenario_count;
    size_t index;
    json_t *entry;
    for (size_t i = 0; i < set->count; i++) {
        size_t first = 0; // of its name: trials of one scenario, which have it in common
        while (strcmp(set->scenarios[first]->name, set->scenarios[i]->name) != 0)
            first++;
        here[i] = first < i ? here[first] : add_scenario(all, set->scenarios[i], earlier);
    }
    json_array_foreach(run->entries, index, entry)
    {
        size_t which = 0;
        while (set->scenarios[which] != find_trial(run, text_at(entry, "name"))->scenario)
            which++;
        add_trial(all, run, entry, here[which], gathers);
    }
}

// --- its remarks ---------------------------------------------------------------------------------

static void remark(struct stored_runs *all)
{
    struct text remarks = {0};
    for (size_t i = 0; i < all->run_count; i++) {
        const char *before = all->runs[i].result.remarks;
        text_add(&remarks, before != NULL ? before : "");
        if (all->runs[i].was_stopped)
            text_format(&remarks,
                        "the run in %s was stopped before it could write its result: these are "
                        "the trials that have a history, and the last one of them may be cut "
                        "short\n",
                        all->runs[i].result.folder);
    }
    for (size_t i = 1; i < all->run_count; i++) {
        const struct run_result *first = &all->runs[0].result;
        const struct run_result *run = &all->runs[i].result;
        AUTO_TEXT struct text differences = {0};
        environment_differences(&first->environment, &run->environment, &differences);
        char *rest = differences.bytes;
        for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
            if (line[0] != '\0')
                text_format(&remarks,
                            "%s and %s were not made alike, so that their costs cannot be "
                            "compared: %s\n",
                            first->folder, run->folder, line);
        }
    }
    for (size_t i = 0; i < all->renamed_count; i++)
        text_format(&remarks,
                    "%s is the scenario in %s, which has the name, but not the text, of another "
                    "one\n",
                    all->renamed[i]->name, all->renamed[i]->path);
    all->result.remarks = remarks.bytes;
}

// --- the whole -----------------------------------------------------------------------------------

int stored_runs_open(char *const *folders, size_t count, const char *trial,
                     enum stored_histories wanted, struct stored_runs *all, struct error *error)
{
    *all = (struct stored_runs){.runs = memory_zeroed(count + 1, sizeof *all->runs)};
    for (size_t i = 0; i < count; i++) {
        struct stored_run *run = &all->runs[all->run_count++];
        if (open_one(folders[i], trial, run, error) != 0 ||
            check_histories(run, wanted, error) != 0)
            return -1;
        add_run(all, run, count > 1);
        all->was_stopped |= run->was_stopped;
        all->result.planned += run->result.planned - run->result.count;
        all->result.duration_ns += run->result.duration_ns;
    }
    all->result.planned += all->trial_count;
    all->result.environment = all->runs[0].result.environment;
    all->result.seed = all->runs[0].result.seed;
    remark(all);
    return 0;
}

void stored_runs_judge(struct stored_runs *all, const char *out, enum trial_files files)
{
    struct run_result *whole = &all->result;
    whole->folder = memory_string(out);
    whole->trials = memory_zeroed(all->trial_count + 1, sizeof *whole->trials);
    for (size_t i = 0; i < all->trial_count; i++) {
        const struct stored_trial *each = &all->trials[i];
        struct trial_result *result = &whole->trials[whole->count++];
        *result =
            (struct trial_result){.trial = &each->trial,
                                  .folder = text_formatted("%s/trials/%s", out, each->trial.name),
                                  .story = memory_string("")};
        decide(each, files, result, &all->differences);
    }
}

// Trials with faults of their own each have a file of their own.
int stored_runs_keep_scenarios(const struct stored_runs *all, const char *out, struct error *error)
{
    int result = 0;
    for (size_t i = 0; i < all->scenario_count; i++) {
        const struct scenario *scenario = all->scenarios[i];
        if (scenario->trial == NULL && result == 0)
            result =
                as_run_keep(out, scenario->name,
                            scenario_as_run(scenario, (uint64_t)scenario->seed, "", NULL), error);
        for (size_t j = 0; scenario->trial != NULL && j < all->trial_count; j++) {
            const struct trial *trial = &all->trials[j].trial;
            if (trial->scenario != scenario || result != 0)
                continue;
            struct scenario named = *trial_as_run(trial);
            named.name = scenario->name;
            result = as_run_keep(
                out, trial->name,
                scenario_as_run(&named, (uint64_t)named.seed, "", trial_label(trial)), error);
        }
    }
    return result == 0 ? as_run_settle(out, error) : result;
}

void stored_runs_free(struct stored_runs *all)
{
    for (size_t i = 0; i < all->result.count; i++)
        trial_result_free(&all->result.trials[i]);
    free(all->result.trials);
    free(all->result.folder);
    free(all->result.remarks);
    for (size_t i = 0; i < all->trial_count; i++) {
        free(all->trials[i].trial.name);
        free(all->trials[i].history);
    }
    free(all->trials);
    for (size_t i = 0; i < all->renamed_count; i++) {
        free(all->renamed[i]->name);
        free(all->renamed[i]);
    }
    free(all->renamed);
    free(all->scenarios);
    for (size_t i = 0; i < all->run_count; i++) {
        struct stored_run *run = &all->runs[i];
        json_decref(run->entries);
        free(run->result.folder);
        free(run->result.remarks);
        for (int j = 0; j < 3; j++)
            plan_free(&run->plans[j]);
        scenario_set_free(&run->scenarios);
        vocabulary_free(run->vocabulary);
    }
    free(all->runs);
    text_free(&all->differences.text);
}

void differences_print(const struct differences *differences, bool quiet)
{
    if (differences->text.length > 0)
        printf("not as it was judged before:\n%s", text_string(&differences->text));
    else if (differences->compared > 0 && !quiet)
        printf("judged anew: %zu verdict%s, as in result.json\n", differences->compared,
               differences->compared == 1 ? "" : "s");
}
