#include "harness/run/stored_run.h"

#include "harness/base/file.h"
#include "harness/base/growing.h"
#include "harness/report/environment.h"
#include "harness/report/fields.h"
#include "harness/run/vocabulary.h"

#include <jansson.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// --- what a path means ---------------------------------------------------------------------------

static bool is_file(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

static void add_history(struct stored_path *stored, char *path)
{
    *APPEND(stored->histories, stored->history_count, stored->history_room) = path;
}

static void find_in_run(const char *run, struct stored_path *stored)
{
    char *trials = path_join(run, "trials");
    char **names = folder_entries(trials);
    for (size_t i = 0; names[i] != NULL; i++) {
        struct text path = {0};
        text_format(&path, "%s/%s/history.bin", trials, names[i]);
        if (is_file(path.bytes))
            add_history(stored, path.bytes);
        else
            text_free(&path);
    }
    folder_entries_free(names);
    free(trials);
}

// history.edn.gz, or any.edn.gz if `any`.
static bool is_named_like_history(const char *name, bool any)
{
    static const char *const ends[] = {".edn", ".json", ".jsonl"};
    if (strcmp(name, "history.bin") == 0 || strcmp(name, "result.json") == 0)
        return name[0] == 'h';
    size_t length = strlen(name);
    if (length > 3 && strcmp(name + length - 3, ".gz") == 0)
        length -= 3;
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        size_t tail = strlen(ends[i]);
        if (length >= tail && strncmp(name + length - tail, ends[i], tail) == 0)
            return any || (length - tail == strlen("history") &&
                           strncmp(name, "history", strlen("history")) == 0);
    }
    return false;
}

// Does not follow links: Jepsen's store has some that lead to the same tests again.
static void find_in_folder(const char *folder, struct stored_path *stored)
{
    char **names = folder_entries(folder);
    bool any = true;
    for (size_t i = 0; names[i] != NULL; i++)
        any = any && !is_named_like_history(names[i], false);
    for (size_t i = 0; names[i] != NULL; i++) {
        struct stat status;
        char *path = path_join(folder, names[i]);
        bool is_known = lstat(path, &status) == 0;
        if (is_known && S_ISREG(status.st_mode) && is_named_like_history(names[i], any)) {
            add_history(stored, path);
            continue;
        }
        if (is_known && S_ISDIR(status.st_mode))
            find_in_folder(path, stored);
        free(path);
    }
    folder_entries_free(names);
}

// RUN/trials/TRIAL: the names of RUN and TRIAL. `folder` is the trial's, and is changed.
static void find_run_of_trial(char *folder, struct stored_path *stored)
{
    char *slash = strrchr(folder, '/');
    if (slash == NULL)
        return;
    *slash = '\0';
    size_t length = strlen(folder);
    size_t tail = strlen("/trials");
    if (length <= tail || strcmp(folder + length - tail, "/trials") != 0)
        return;
    stored->trial = memory_string(slash + 1);
    folder[length - tail] = '\0';
    stored->run = memory_string(folder);
}

void stored_path_find(const char *path, struct stored_path *stored)
{
    char real[PATH_MAX] = "";
    struct text history = {0};
    bool is_real = realpath(path, real) != NULL;
    *stored = (struct stored_path){.run = NULL};
    text_format(&history, "%s/history.bin", path);
    // A run may have been killed before its first trial.
    if (is_folder("%s/trials", path) || is_there("%s/as-run.yaml", path) ||
        is_folder("%s/as-run", path)) {
        stored->run = memory_string(path);
        find_in_run(path, stored);
    } else if (is_folder("%s", path)) {
        if (is_file(history.bytes))
            add_history(stored, memory_string(history.bytes));
        else
            find_in_folder(path, stored);
        if (is_real)
            find_run_of_trial(real, stored);
    } else {
        add_history(stored, memory_string(path));
        char *slash = is_real ? strrchr(real, '/') : NULL;
        if (slash != NULL && strcmp(slash + 1, "history.bin") == 0) {
            *slash = '\0';
            find_run_of_trial(real, stored);
        }
    }
    text_free(&history);
}

void stored_path_move(struct stored_path *from, struct stored_path *to)
{
    for (size_t i = 0; i < from->history_count; i++)
        add_history(to, from->histories[i]);
    from->history_count = 0;
}

void stored_path_free(struct stored_path *stored)
{
    for (size_t i = 0; i < stored->history_count; i++)
        free(stored->histories[i]);
    free(stored->histories);
    free(stored->run);
    free(stored->trial);
}

// --- the scenarios -------------------------------------------------------------------------------

static int load_scenarios(const char *folder, struct stored_run *run, struct error *error)
{
    char *many = path_join(folder, "as-run");
    char *one = path_join(folder, "as-run.yaml");
    const char *path = is_there("%s", many) ? many : one;
    struct run_options options = {.paths = &path, .path_count = 1, .are_stored = true};
    int result = 0;
    run->vocabulary = vocabulary_new();
    if (!is_there("%s", path))
        result = error_set(error,
                           "%s is no run's folder: it has neither as-run.yaml nor as-run/, the "
                           "scenarios to judge it by; --model MODEL decides a history without any",
                           folder);
    else if (scenario_set_load(&options, run->vocabulary, &run->scenarios) != 0 ||
             run->scenarios.count == 0)
        result = error_set(error, "the scenarios of the run in %s cannot be read", path);
    free(many);
    free(one);
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

// The names of trials have a number if there are repeats, and --repeat may have said so, or that
// there are none: all these plans.
static int make_plans(struct stored_run *run, int64_t repeats, struct error *error)
{
    uint64_t seed = (uint64_t)run->scenarios.scenarios[0]->seed;
    const int64_t said[] = {0, 1, repeats};
    for (int i = 0; i < 3; i++) {
        if (plan_make(run->scenarios.scenarios, run->scenarios.count, run->vocabulary, NULL,
                      said[i], seed, &run->plans[i], error) != 0)
            return -1;
    }
    run->result.seed = seed;
    return 0;
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

static const char *name_of(const json_t *entry)
{
    const char *name = json_string_value(json_object_get(entry, "name"));
    return name != NULL ? name : "";
}

// Adds {"name": ...} of each trial of the folder that has a history and is not among them.
static void add_from_folder(const char *folder, json_t *trials)
{
    char *path = path_join(folder, "trials");
    char **names = folder_entries(path);
    for (size_t i = 0; names[i] != NULL; i++) {
        bool is_known = false;
        for (size_t j = 0; j < json_array_size(trials); j++)
            is_known |= strcmp(name_of(json_array_get(trials, j)), names[i]) == 0;
        if (!is_known && is_there("%s/%s/history.bin", path, names[i]))
            json_array_append_new(trials, json_pack("{s:s}", "name", names[i]));
    }
    folder_entries_free(names);
    free(path);
}

// Leaves that trial, which result.json need not tell of: a run that was stopped has it by half.
static json_t *only(json_t *trials, const char *name)
{
    json_t *chosen = json_array();
    for (size_t i = 0; i < json_array_size(trials); i++) {
        json_t *entry = json_array_get(trials, i);
        if (strcmp(name_of(entry), name) == 0)
            json_array_append(chosen, entry);
    }
    if (json_array_size(chosen) == 0)
        json_array_append_new(chosen, json_pack("{s:s}", "name", name));
    json_decref(trials);
    return chosen;
}

// A line for each remark of result.json, or NULL.
static char *read_remarks(const json_t *remarks)
{
    struct text text = {0};
    for (size_t i = 0; i < json_array_size(remarks); i++) {
        const char *remark = json_string_value(json_array_get(remarks, i));
        if (remark != NULL)
            text_format(&text, "%s\n", remark);
    }
    return text.bytes;
}

// How many trials the plan had; 0 if that is not known.
static size_t count_planned(const char *folder)
{
    struct text names = {0};
    size_t count = 0;
    char *path = path_join(folder, PLANNED_FILE);
    if (file_read(path, &names, NULL) == 0) {
        for (size_t i = 0; i < names.length; i++)
            count += names.bytes[i] == '\n';
    }
    text_free(&names);
    free(path);
    return count;
}

// And how the run was, if result.json says so. A trial that is not in it, as the run was stopped,
// is there if it has a history.
static void list_trials(struct stored_run *run, const char *trial)
{
    const char *folder = run->result.folder;
    char *path = path_join(folder, "result.json");
    json_t *root = json_read(path, NULL);
    json_t *trials = json_incref(json_object_get(root, "trials"));
    environment_from_json(json_object_get(root, "environment"), &run->result.environment);
    run->result.duration_ns = json_integer_value(json_object_get(root, "duration_ns"));
    if (trial == NULL)
        run->result.remarks = read_remarks(json_object_get(root, "remarks"));
    run->was_stopped = !json_is_array(trials);
    if (trial == NULL)
        run->result.planned = run->was_stopped
                                  ? count_planned(folder)
                                  : (size_t)json_integer_value(json_object_get(root, "planned"));
    free(path);
    json_decref(root);
    if (run->was_stopped) {
        json_decref(trials);
        trials = json_array();
    }
    if (run->was_stopped || run->result.planned > json_array_size(trials))
        add_from_folder(folder, trials);
    run->entries = trial != NULL ? only(trials, trial) : trials;
}

// --- judging -------------------------------------------------------------------------------------

static void judge_history(const struct stored_run *run, size_t index, enum trial_files files,
                          struct trial_result *result)
{
    // In the run's own folder; the result may have another one.
    char *path = path_join(run->result.trials[index].folder, "history.bin");
    struct history history = {0};
    struct error error = {0};
    if (history_load(path, &history, &error) != 0 ||
        (files > TRIAL_FILES_PAGE && folder_make(result->folder, &error) != 0))
        judge_error(result->trial, error.text, &result->judgement);
    else
        trial_decide(result, &history, files);
    history_free(&history);
    free(path);
}

// True if what was said then stands: there was no history to judge, or the harness failed.
static bool take_over(const json_t *entry, struct trial_result *result)
{
    static const struct {
        enum verdict verdict;
        void (*judge)(const struct trial *trial, const char *reason, struct judgement *judgement);
    } cases[] = {{VERDICT_SKIPPED, judge_skipped},
                 {VERDICT_NOT_APPLICABLE, judge_not_applicable},
                 {VERDICT_ERROR, judge_error}};
    const char *verdict = json_string_value(json_object_get(entry, "verdict"));
    const char *reason = json_string_value(json_object_get(entry, "reason"));
    for (size_t i = 0; verdict != NULL && i < sizeof cases / sizeof *cases; i++) {
        if (strcmp(verdict, verdict_name(cases[i].verdict)) != 0)
            continue;
        cases[i].judge(result->trial, reason, &result->judgement);
        return true;
    }
    return false;
}

static void compare(struct stored_run *run, const json_t *entry, const struct trial_result *result)
{
    const char *before = json_string_value(json_object_get(entry, "verdict"));
    const char *now = verdict_name(result->judgement.verdict);
    if (before == NULL)
        return;
    run->differences.compared++;
    if (strcmp(before, now) != 0)
        text_format(&run->differences.text, "%s: %s now, %s in result.json\n", result->trial->name,
                    now, before);
}

void stored_run_decide(struct stored_run *run, size_t index, enum trial_files files,
                       struct trial_result *result)
{
    const json_t *entry = json_array_get(run->entries, index);
    result->lanes = (int)json_integer_value(json_object_get(entry, "lanes"));
    if (!take_over(entry, result))
        judge_history(run, index, files, result);
    compare(run, entry, result);
}

static int name_all(struct stored_run *run, struct error *error)
{
    int64_t repeats = 2;
    size_t index;
    json_t *entry;
    json_array_foreach(run->entries, index, entry)
    {
        int64_t repeat = repeat_of(name_of(entry));
        repeats = repeat > repeats && repeat <= 1000 ? repeat : repeats;
    }
    size_t count = json_array_size(run->entries);
    run->result.planned = run->result.planned > count ? run->result.planned : count;
    run->result.trials = memory_zeroed(count + 1, sizeof *run->result.trials);
    if (count == 0 && run->result.planned == 0)
        return error_set(error, "the run in %s has no trial with a history", run->result.folder);
    if (make_plans(run, repeats, error) != 0)
        return -1;
    json_array_foreach(run->entries, index, entry)
    {
        const struct trial *trial = find_trial(run, name_of(entry));
        struct text folder = {0};
        if (trial == NULL)
            return error_set(error, "the scenarios of the run in %s have no trial '%s'",
                             run->result.folder, name_of(entry));
        text_format(&folder, "%s/trials/%s", run->result.folder, trial->name);
        run->result.trials[run->result.count++] = (struct trial_result){
            .trial = trial, .folder = folder.bytes, .story = memory_string("")};
    }
    return 0;
}

int stored_run_open(const char *folder, const char *trial, struct stored_run *run,
                    struct error *error)
{
    *run = (struct stored_run){.result = {.folder = memory_string(folder)}};
    if (load_scenarios(folder, run, error) != 0)
        return -1;
    list_trials(run, trial);
    return name_all(run, error);
}

bool stored_run_was_tried(const struct stored_run *run, size_t index)
{
    const json_t *entry = json_array_get(run->entries, index);
    const char *verdict = json_string_value(json_object_get(entry, "verdict"));
    return verdict == NULL || (strcmp(verdict, verdict_name(VERDICT_SKIPPED)) != 0 &&
                               strcmp(verdict, verdict_name(VERDICT_NOT_APPLICABLE)) != 0);
}

// How many trials that were tried have a history, and have none.
static void count_histories(const struct stored_run *run, size_t counts[2])
{
    counts[false] = counts[true] = 0;
    for (size_t i = 0; i < run->result.count; i++) {
        bool has_one = is_there("%s/history.bin", run->result.trials[i].folder);
        counts[has_one] += has_one || stored_run_was_tried(run, i);
    }
}

bool stored_run_has_history(const struct stored_run *run)
{
    size_t counts[2];
    count_histories(run, counts);
    return counts[true] > 0;
}

bool stored_run_has_all(const struct stored_run *run)
{
    size_t counts[2];
    count_histories(run, counts);
    return counts[true] > 0 && counts[false] == 0;
}

void differences_print(const struct differences *differences, bool quiet)
{
    if (differences->text.length > 0)
        printf("not as it was judged before:\n%s", text_string(&differences->text));
    else if (differences->compared > 0 && !quiet)
        printf("judged anew: %zu verdict%s, as in result.json\n", differences->compared,
               differences->compared == 1 ? "" : "s");
}

int stored_run_judge(const char *folder, const char *trial, struct stored_run *run,
                     struct error *error)
{
    if (stored_run_open(folder, trial, run, error) != 0)
        return -1;
    for (size_t i = 0; i < run->result.count; i++)
        stored_run_decide(run, i, TRIAL_FILES_NONE, &run->result.trials[i]);
    return 0;
}

void stored_run_free(struct stored_run *run)
{
    for (size_t i = 0; i < run->result.count; i++)
        trial_result_free(&run->result.trials[i]);
    free(run->result.trials);
    json_decref(run->entries);
    free(run->result.folder);
    free(run->result.remarks);
    for (int i = 0; i < 3; i++)
        plan_free(&run->plans[i]);
    scenario_set_free(&run->scenarios);
    vocabulary_free(run->vocabulary);
    text_free(&run->differences.text);
}
