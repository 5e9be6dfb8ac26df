#include "harness/run/scenario_files.h"

#include "harness/base/text.h"

#include <errno.h>
#include <fts.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct path_list {
    char **items;
    size_t count;
};

static void add_path(struct path_list *list, const char *path)
{
    list->items = memory_resized(list->items, (list->count + 1) * sizeof *list->items);
    list->items[list->count++] = memory_string(path);
}

static bool is_scenario_name(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot != NULL && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0);
}

// Numbers in names count as numbers: f99 before f100.
static int by_name(const FTSENT **left, const FTSENT **right)
{
    return strverscmp((*left)->fts_name, (*right)->fts_name);
}

// Adds the file, or every scenario in the folder, down to so many levels. -1 after a message.
static int collect(const char *path, int levels, struct path_list *list)
{
    struct stat status;
    if (stat(path, &status) != 0) {
        fprintf(stderr, "lockpick run: cannot find %s: %s\n", path, strerror(errno));
        return -1;
    }
    if (!S_ISDIR(status.st_mode)) {
        add_path(list, path);
        return 0;
    }
    char *root = memory_string(path);
    size_t length = strlen(root);
    if (length > 1 && root[length - 1] == '/')
        root[length - 1] = '\0';
    char *roots[] = {root, NULL};
    size_t before = list->count;
    FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, by_name);
    for (FTSENT *entry; walk != NULL && (entry = fts_read(walk)) != NULL;) {
        if (entry->fts_info == FTS_F && entry->fts_level <= levels &&
            is_scenario_name(entry->fts_name))
            add_path(list, entry->fts_path);
    }
    if (walk != NULL)
        fts_close(walk);
    free(root);
    if (list->count > before)
        return 0;
    fprintf(stderr, "lockpick run: no scenario (*.yaml) in %s\n", path);
    return -1;
}

// Each of a file's workloads is a scenario of its own.
static void add_scenarios(struct scenario_set *set, struct scenario *scenario)
{
    while (scenario != NULL) {
        struct scenario *next = scenario->next;
        scenario->next = NULL;
        set->scenarios = memory_resized(set->scenarios, (set->count + 1) * sizeof *set->scenarios);
        set->scenarios[set->count++] = scenario;
        scenario = next;
    }
}

int scenario_set_load(const struct run_options *options, const struct vocabulary *vocabulary,
                      struct scenario_set *set)
{
    *set = (struct scenario_set){0};
    struct path_list paths = {0};
    int result = 0;
    for (size_t i = 0; i < options->path_count; i++)
        result |= collect(options->paths[i], options->own_files_only ? 1 : INT_MAX, &paths);
    struct complaints *complaints = complaints_new();
    for (size_t i = 0; i < paths.count; i++) {
        struct scenario *scenario = NULL;
        if (scenario_load(paths.items[i], vocabulary, options->overrides, options->override_count,
                          &scenario, complaints) == 0)
            add_scenarios(set, scenario);
        else
            result = -1;
        free(paths.items[i]);
    }
    free(paths.items);
    complaints_print(complaints, stderr);
    complaints_free(complaints);
    return result;
}

void scenario_set_free(struct scenario_set *set)
{
    for (size_t i = 0; i < set->count; i++)
        scenario_free(set->scenarios[i]);
    free(set->scenarios);
}
