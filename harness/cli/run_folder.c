#include "harness/cli/run_folder.h"

#include "harness/base/clock.h"
#include "harness/base/file.h"

#include <dirent.h>
#include <errno.h>
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
                          const struct scenario_set *set, uint64_t seed, struct error *error)
{
    char *scenarios = path_join(folder, "scenarios");
    int result = folder_make(scenarios, error);
    for (size_t i = 0; result == 0 && i < set->count; i++) {
        const struct scenario *scenario = set->scenarios[i];
        struct text path = {0};
        struct text copy = {0};
        text_format(&path, "%s/%s.yaml", scenarios, scenario->name);
        text_format(&copy, "# %s as run with: --seed %" PRIu64, scenario->path, seed);
        if (options->scheme != NULL)
            text_format(&copy, " --scheme '%s'", options->scheme);
        for (size_t j = 0; j < options->override_count; j++)
            text_format(&copy, " --set %s=%s", options->overrides[j].path,
                        options->overrides[j].value);
        text_format(&copy, "\n%s", scenario->source);
        result = file_write(path.bytes, copy.bytes, copy.length, error);
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

// What would do the same again: as-run.yaml, or one file for each scenario in as-run/.
static int keep_as_run(const char *folder, const struct scenario_set *set, uint64_t seed,
                       const struct vocabulary *vocabulary, struct error *error)
{
    char *many = path_join(folder, "as-run");
    int result = set->count > 1 ? folder_make(many, error) : 0;
    for (size_t i = 0; result == 0 && i < set->count; i++) {
        struct text path = {0};
        char *text = scenario_as_run(set->scenarios[i], seed, vocabulary);
        if (set->count > 1)
            text_format(&path, "%s/%s.yaml", many, set->scenarios[i]->name);
        else
            text_format(&path, "%s.yaml", many);
        result = file_write(path.bytes, text, strlen(text), error);
        text_free(&path);
        free(text);
    }
    free(many);
    return result;
}

char *run_folder_make(const struct run_options *options, const struct scenario_set *set,
                      uint64_t seed, const struct vocabulary *vocabulary, struct error *error)
{
    char *folder = options->out != NULL ? memory_string(options->out) : new_folder(set, error);
    if (folder == NULL)
        return NULL;
    if (folder_make(folder, error) == 0 && keep_scenarios(folder, options, set, seed, error) == 0 &&
        keep_as_run(folder, set, seed, vocabulary, error) == 0)
        return folder;
    free(folder);
    return NULL;
}

const char *run_folder_publish(const char *folder)
{
    size_t length = strlen(RESULTS "/");
    if (strncmp(folder, RESULTS "/", length) != 0 || strchr(folder + length, '/') != NULL)
        return folder;
    // Replaced in one step, so that there is always a latest.
    const char *fresh = RESULTS "/.latest";
    unlink(fresh);
    if (symlink(folder + length, fresh) != 0 || rename(fresh, RESULTS "/latest") != 0)
        return folder;
    return RESULTS "/latest";
}
