#include "harness/run/run_folder.h"

#include "harness/base/clock.h"
#include "harness/base/file.h"
#include "harness/cluster/cluster.h"
#include "harness/cluster/data_cache.h"
#include "harness/history/writer.h"

#include <dirent.h>
#include <errno.h>
#include <fts.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define RESULTS "results"

// "results/2026-11-21T02-03-04-increment", with "-2" and so on if that is taken.
static char *new_folder(const struct scenario_set *set, struct error *error)
{
    if (folder_make(RESULTS, error) != 0) {
        error_wrap(error, "no place for the results (--out DIR names another)");
        return NULL;
    }
    time_t now = (time_t)(clock_realtime_ns() / NS_PER_S);
    struct tm utc;
    gmtime_r(&now, &utc);
    char stamp[32];
    strftime(stamp, sizeof stamp, "%Y-%m-%dT%H-%M-%S", &utc);
    for (int attempt = 1; attempt < 1000; attempt++) {
        struct text path = {0};
        text_format(&path, RESULTS "/%s-%s", stamp,
                    set->count == 1 ? set->scenarios[0]->name : "run");
        if (attempt > 1)
            text_format(&path, "-%d", attempt);
        if (mkdir(path.bytes, 0777) == 0)
            return path.bytes;
        int reason = errno;
        error_set(error, "cannot make the folder %s: %s", path.bytes, strerror(reason));
        text_free(&path);
        if (reason != EEXIST)
            break;
    }
    return NULL;
}

static int keep_scenarios(const char *folder, const struct run_options *options,
                          const struct scenario_set *set, uint64_t run_seed, struct error *error)
{
    char *scenarios = path_join(folder, "scenarios");
    int result = folder_make(scenarios, error);
    for (size_t i = 0; result == 0 && i < set->count; i++) {
        const struct scenario *scenario = set->scenarios[i];
        struct text path = {0};
        struct text copy = {0};
        uint64_t seed = scenario->seed != 0 ? (uint64_t)scenario->seed : run_seed;
        text_format(&path, "%s/%s%s%s.yaml", scenarios, scenario->name,
                    scenario->trial != NULL ? "--" : "",
                    scenario->trial != NULL ? scenario->trial : "");
        text_format(&copy, "# %s as run with: --seed %" PRIu64, scenario->path, seed);
        if (options->scheme != NULL)
            text_format(&copy, " --scheme '%s'", options->scheme);
        for (size_t j = 0; j < options->override_count; j++)
            text_format(&copy, " --set %s=%s", options->overrides[j].path,
                        options->overrides[j].value);
        text_format(&copy, "\n%s", scenario->source);
        result = scenario_keep(path.bytes, copy.bytes, error);
        text_free(&path);
        text_free(&copy);
    }
    free(scenarios);
    return result;
}

int run_folder_check(const struct run_options *options, struct error *error)
{
    DIR *folder = options->out != NULL ? opendir(options->out) : NULL;
    if (folder == NULL)
        return 0;
    int result = 0;
    for (const struct dirent *entry; result == 0 && (entry = readdir(folder)) != NULL;) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            result = error_set(error, "the folder %s is not empty; remove it, or name another",
                               options->out);
    }
    closedir(folder);
    return result;
}

// Files of that text, one for each name; a file alone is as-run.yaml.
struct as_run {
    char **names;
    char **texts;
    size_t count;
};

static void add_file(struct as_run *files, const char *name, char *text)
{
    files->names = memory_resized(files->names, (files->count + 1) * sizeof *files->names);
    files->texts = memory_resized(files->texts, (files->count + 1) * sizeof *files->texts);
    files->names[files->count] = memory_string(name);
    files->texts[files->count++] = text;
}

// One file, if all trials of the scenario have the same faults, else one for each trial.
static void add_scenario(struct as_run *files, const struct scenario *scenario,
                         const struct plan *plan)
{
    const char *first = NULL; // all faults of the first trial
    bool are_alike = true;
    struct text name = {0};
    uint64_t seed = scenario->seed != 0 ? (uint64_t)scenario->seed : plan->seed;
    for (size_t i = 0; scenario_is_open(scenario) && i < plan->count; i++) {
        const struct trial *trial = &plan->trials[i];
        if (trial->scenario != scenario)
            continue;
        const char *faults = trial->drawn != NULL ? trial->drawn->settled_faults : "none";
        first = first != NULL ? first : faults;
        are_alike &= strcmp(first, faults) == 0;
    }
    for (size_t i = 0; i < plan->count && !are_alike; i++) {
        const struct trial *trial = &plan->trials[i];
        const char *which = trial->name + strlen(scenario->name) + strlen("--");
        if (trial->scenario == scenario)
            add_file(files, trial->name,
                     trial->drawn != NULL ? memory_string(trial->drawn->source)
                                          : scenario_as_run(scenario, seed, NULL, which));
    }
    if (!are_alike)
        return;
    text_format(&name, "%s%s%s", scenario->name, scenario->trial != NULL ? "--" : "",
                scenario->trial != NULL ? scenario->trial : "");
    bool is_drawn = first != NULL && strcmp(first, "none") != 0;
    const char *drawn = is_drawn ? first + strlen(scenario->settled_faults) : NULL;
    add_file(files, name.bytes, scenario_as_run(scenario, seed, drawn, scenario->trial));
    text_free(&name);
}

static int keep_as_run(const char *folder, const struct scenario_set *set, const struct plan *plan,
                       struct error *error)
{
    struct as_run files = {0};
    for (size_t i = 0; i < set->count; i++)
        add_scenario(&files, set->scenarios[i], plan);
    char *many = path_join(folder, "as-run");
    int result = files.count > 1 ? folder_make(many, error) : 0;
    for (size_t i = 0; i < files.count; i++) {
        struct text path = {0};
        text_format(&path, "%s%s%s.yaml", many, files.count > 1 ? "/" : "",
                    files.count > 1 ? files.names[i] : "");
        if (result == 0)
            result = scenario_keep(path.bytes, files.texts[i], error);
        text_free(&path);
        free(files.names[i]);
        free(files.texts[i]);
    }
    free(files.names);
    free(files.texts);
    free(many);
    return result;
}

// The names of all trials of the plan: what a run that is stopped has not run is known by them.
static int keep_plan(const char *folder, const struct plan *plan, struct error *error)
{
    struct text names = {0};
    for (size_t i = 0; i < plan->count; i++)
        text_format(&names, "%s\n", plan->trials[i].name);
    char *path = path_join(folder, PLANNED_FILE);
    int result = file_write(path, text_string(&names), names.length, error);
    free(path);
    text_free(&names);
    return result;
}

char *run_folder_make(const struct run_options *options, const struct scenario_set *set,
                      const struct plan *plan, struct error *error)
{
    char *folder = options->out != NULL ? memory_string(options->out) : new_folder(set, error);
    if (folder == NULL)
        return NULL;
    if (folder_make(folder, error) == 0 &&
        keep_scenarios(folder, options, set, plan->seed, error) == 0 &&
        keep_as_run(folder, set, plan, error) == 0 && keep_plan(folder, plan, error) == 0)
        return folder;
    free(folder);
    return NULL;
}

void run_folder_sweep(const char *folder)
{
    char *const roots[] = {(char *)(size_t)folder, NULL};
    FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    for (FTSENT *entry; walk != NULL && (entry = fts_read(walk)) != NULL;) {
        bool is_set = entry->fts_info == FTS_D && entry->fts_level == 2 &&
                      strcmp(entry->fts_parent->fts_name, "servers") == 0;
        if (is_set) {
            cluster_sweep(entry->fts_path);
            fts_set(walk, entry, FTS_SKIP);
        } else if (entry->fts_info == FTS_F && strcmp(entry->fts_name, "history.bin") == 0) {
            history_file_cut(entry->fts_path);
        }
    }
    if (walk != NULL)
        fts_close(walk);
    data_cache_sweep();
}

void run_folder_publish(const char *folder)
{
    const char *name = folder + strlen(RESULTS "/");
    if (strncmp(folder, RESULTS "/", strlen(RESULTS "/")) != 0 || strchr(name, '/') != NULL)
        return;
    // Replaced in one step, so that there is always a latest, by a link that no other run touches.
    struct text fresh = {0};
    text_format(&fresh, RESULTS "/.latest-%s", name);
    unlink(fresh.bytes);
    if (symlink(name, fresh.bytes) == 0 && rename(fresh.bytes, RESULTS "/latest") != 0)
        unlink(fresh.bytes);
    text_free(&fresh);
}
