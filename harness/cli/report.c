// report: everything that a run leaves but its histories, made anew from these.
#include "harness/base/file.h"
#include "harness/base/scope.h"
#include "harness/cli/verb.h"
#include "harness/report/pictures/picture.h"
#include "harness/run/run_files.h"
#include "harness/run/stored_run.h"

#include <errno.h>
#include <limits.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct request {
    struct run_options options;
    bool is_brief;
};

static const struct option report_options[] = {
    {"out", "DIR",
     "writes the report there (default: the run's own folder; of several runs it must be said)",
     TEXT(struct run_options, out)},
    {"brief", "", "with --out: no files of trials, a short result.json: what a repository may keep",
     FLAG(struct request, is_brief)},
    OPTIONS_OF_OUTPUTS,
    {.name = NULL},
};

// --- the folders ---------------------------------------------------------------------------------

// The runs that the words name: without links, as they are called from here, for "results/latest"
// goes on to mean another run. -1 with `error` set if one is none, or is named twice.
static int find_runs(const struct run_options *options, struct string_list *folders,
                     struct error *error)
{
    char real[PATH_MAX];
    char here[PATH_MAX];
    for (size_t i = 0; i < options->path_count; i++) {
        const char *path = options->paths[i];
        if (access(path, R_OK | X_OK) != 0)
            return error_set(error, "cannot open the run in %s: %s", path, strerror(errno));
        const char *folder = path;
        if (realpath(path, real) != NULL && getcwd(here, sizeof here) != NULL) {
            size_t length = strlen(here);
            bool is_below = strncmp(real, here, length) == 0 && real[length] == '/';
            folder = path[0] != '/' && is_below ? real + length + 1 : real;
        }
        if (string_list_has(folders, folder))
            return error_set(error, "the run in %s is named twice", folder);
        string_list_add(folders, folder);
    }
    return 0;
}

// Where the report goes. -1 with `error` set if it cannot: through a link to a folder of the run's
// it would be written elsewhere.
static int check_out(const struct run_options *options, const char *only, struct error *error)
{
    if (options->out != NULL)
        return folder_make(options->out, error);
    if (access(only, W_OK | X_OK) != 0)
        return error_set(error, "cannot write into %s: %s; --out DIR names another folder", only,
                         strerror(errno));
    AUTO_FREE char *trials = path_join(only, "trials");
    AUTO_LIST struct string_list names = folder_entries(trials);
    AUTO_LIST struct string_list folders = {0};
    int result = 0;
    string_list_add(&folders, "plots");
    string_list_add(&folders, "trials");
    for (size_t i = 0; i < names.count; i++) {
        AUTO_FREE char *name = path_join("trials", names.items[i]);
        string_list_add(&folders, name);
    }
    for (size_t i = 0; result == 0 && i < folders.count; i++) {
        struct stat status;
        AUTO_FREE char *path = path_join(only, folders.items[i]);
        if (lstat(path, &status) == 0 && S_ISLNK(status.st_mode))
            result = error_set(error,
                               "%s is a link, and nothing is written through it; --out DIR names "
                               "another folder for the report",
                               path);
    }
    return result;
}

// --- the report ----------------------------------------------------------------------------------

static int write_report(struct stored_runs *stored, const struct request *request, const char *out)
{
    const struct run_options *options = &request->options;
    struct run_result *run = &stored->result;
    struct error error = {0};
    run->has_plots = plots_available(run->plot_note, sizeof run->plot_note);
    run->strict = options->strict;
    run->is_brief = request->is_brief;
    // Histories of gigabytes are read one after another. What one of them used stays for the next:
    // to hand it back to the kernel and have it again, cleared page by page, costs a sixth of the
    // time.
    mallopt(M_MMAP_MAX, 0);
    mallopt(M_TRIM_THRESHOLD, INT_MAX);
    stored_runs_judge(stored, out, run->is_brief ? TRIAL_FILES_PAGE : TRIAL_FILES_UNDRAWN);
    run->lacks_files =
        run->has_plots && (run->is_brief ? html_draw_pictures(run, &error)
                                         : plots_draw_all(run->trials, run->count, &error)) != 0;
    if (run->lacks_files)
        verb_fails(&report_verb, 0, "the pictures of trials: %s", error.text);
    // What is left then is in the report itself.
    AUTO_FREE char *trials = path_join(run->folder, "trials");
    if (run->is_brief && folder_remove(trials, &error) != 0)
        verb_fails(&report_verb, 0, "%s", error.text);
    for (size_t i = 0; run->is_brief && i < run->count; i++) {
        free(run->trials[i].folder);
        run->trials[i].folder = NULL;
    }
    if (run_pictures_write(run, run->has_plots, &error) != 0) {
        run->lacks_files = true;
        verb_fails(&report_verb, 0, "the pictures of the run: %s", error.text);
    }
    int code = run_outputs_write(run, options);
    if (!options->json)
        differences_print(&stored->differences, options->quiet);
    run_pictures_free(run);
    return code;
}

static int report(const struct request *request, char *const *folders)
{
    const struct run_options *options = &request->options;
    struct stored_runs stored = {0};
    struct error error = {0};
    const char *out = options->out != NULL ? options->out : folders[0];
    int code = EXIT_USAGE;
    if (stored_runs_open(folders, options->path_count, NULL, HISTORIES_SOME, &stored, &error) !=
        0) {
        verb_fails(&report_verb, 0, "%s", error.text);
    } else if (check_out(options, folders[0], &error) != 0 ||
               run_outputs_check(options, &error) != 0 ||
               (options->out != NULL && stored_runs_keep_scenarios(&stored, out, &error) != 0)) {
        verb_fails(&report_verb, 0, "%s", error.text);
        code = EXIT_ENVIRONMENT;
    } else {
        code = write_report(&stored, request, out);
    }
    stored_runs_free(&stored);
    return code;
}

static int run(const struct words *words, void *from)
{
    struct request *request = from;
    struct run_options *options = &request->options;
    struct error error = {0};
    int code = EXIT_USAGE;
    options->paths = words->items;
    options->path_count = words->count;
    AUTO_LIST struct string_list folders = {0};
    if (words->count == 0)
        usage_error(&report_verb, "which run? results/latest is the last one");
    else if (words->count > 1 && options->out == NULL)
        usage_error(&report_verb, "--out DIR must say where the report of several runs goes");
    else if (request->is_brief && options->out == NULL)
        usage_error(&report_verb, "--brief leaves files out: --out DIR must name another folder");
    else if (run_folder_check(options, &error) != 0)
        usage_error(&report_verb, "%s", error.text);
    else if (find_runs(options, &folders, &error) != 0)
        verb_fails(&report_verb, code, "%s", error.text);
    else
        code = report(request, folders.items);
    return code;
}

extern const char template_help_report[];
const struct verb report_verb = {
    .name = "report",
    .arguments = "RUN... [options]",
    .summary = "Makes the report of stored runs anew, or one report of several",
    .help = template_help_report,
    .options = report_options,
    .room = sizeof(struct request),
    .run = run,
};
