#include "harness/run/stored_path.h"

#include "harness/base/file.h"

#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool is_folder(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static bool is_file(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

static void add_history(struct stored_path *stored, char *path)
{
    stored->histories =
        memory_resized(stored->histories, (stored->history_count + 1) * sizeof(char *));
    stored->histories[stored->history_count++] = path;
}

static void find_in_run(const char *trials, struct stored_path *stored)
{
    struct dirent **entries;
    int count = scandir(trials, &entries, NULL, versionsort);
    for (int i = 0; i < count; i++) {
        struct text path = {0};
        text_format(&path, "%s/%s/history.bin", trials, entries[i]->d_name);
        if (entries[i]->d_name[0] != '.' && is_file(path.bytes))
            add_history(stored, path.bytes);
        else
            text_free(&path);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
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
    struct dirent **entries;
    int count = scandir(folder, &entries, NULL, versionsort);
    bool any = true;
    for (int i = 0; i < count; i++)
        any = any && !is_named_like_history(entries[i]->d_name, false);
    for (int i = 0; i < count; i++) {
        struct stat status;
        char *path = path_join(folder, entries[i]->d_name);
        if (entries[i]->d_name[0] == '.' || lstat(path, &status) != 0) {
            free(path);
        } else if (S_ISDIR(status.st_mode)) {
            find_in_folder(path, stored);
            free(path);
        } else if (S_ISREG(status.st_mode) && is_named_like_history(entries[i]->d_name, any)) {
            add_history(stored, path);
        } else {
            free(path);
        }
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
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

// Also of one that was killed before its first trial.
static bool is_run(const char *folder, const char *trials)
{
    char *one = path_join(folder, "as-run.yaml");
    char *many = path_join(folder, "as-run");
    bool found = is_folder(trials) || is_file(one) || is_folder(many);
    free(one);
    free(many);
    return found;
}

void stored_path_find(const char *path, struct stored_path *stored)
{
    char real[PATH_MAX];
    *stored = (struct stored_path){.run = NULL};
    char *trials = path_join(path, "trials");
    char *history = path_join(path, "history.bin");
    if (is_run(path, trials)) {
        stored->run = memory_string(path);
        find_in_run(trials, stored);
    } else if (is_folder(path)) {
        if (is_file(history))
            add_history(stored, memory_string(history));
        else
            find_in_folder(path, stored);
        if (realpath(path, real) != NULL)
            find_run_of_trial(real, stored);
    } else {
        add_history(stored, memory_string(path));
        char *slash = realpath(path, real) != NULL ? strrchr(real, '/') : NULL;
        if (slash != NULL && strcmp(slash + 1, "history.bin") == 0) {
            *slash = '\0';
            find_run_of_trial(real, stored);
        }
    }
    free(trials);
    free(history);
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
