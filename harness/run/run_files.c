#include "harness/run/run_files.h"

#include "harness/base/clock.h"
#include "harness/base/file.h"
#include "harness/base/growing.h"
#include "harness/base/random.h"
#include "harness/base/scope.h"
#include "harness/base/table.h"
#include "harness/cluster/cluster.h"
#include "harness/cluster/data_cache.h"
#include "harness/history/writer.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <fts.h>
#include <inttypes.h>
#include <libgen.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define RESULTS "results"

mode_t mode_at(const char *format, ...)
{
    char path[PATH_MAX];
    struct stat status;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(path, sizeof path, format, arguments);
    va_end(arguments);
    return length < (int)sizeof path && stat(path, &status) == 0 ? status.st_mode : 0;
}

struct string_list folder_entries(const char *path)
{
    AUTO_FREE struct dirent **entries = NULL;
    struct string_list names = {0};
    int count = scandir(path, &entries, NULL, versionsort);
    for (int i = 0; i < count; i++) {
        if (entries[i]->d_name[0] != '.')
            string_list_add(&names, entries[i]->d_name);
        free(entries[i]);
    }
    return names;
}

// --- scenarios -----------------------------------------------------------------------------------

// Numbers in names count as numbers: f99 before f100.
static int by_name(const FTSENT **left, const FTSENT **right)
{
    return strverscmp((*left)->fts_name, (*right)->fts_name);
}

// Adds the file, or every scenario in the folder, down to so many levels. What is not there is
// NAME.yaml, as a run leaves as-run or as-run.yaml, or among what `make install` has installed:
// scenarios/increment. -1 after a message.
static int collect(const char *path, int levels, struct string_list *list)
{
    struct stat status;
    if (stat(path, &status) != 0) {
        int reason = errno;
        AUTO_FREE char *file = text_formatted("%s.yaml", path);
        if (S_ISREG(mode_at("%s", file))) {
            string_list_add(list, file);
            return 0;
        }
        AUTO_FREE char *shipped = path_join("share/lockpick", path);
        AUTO_FREE char *shipped_file = path_join("share/lockpick", file);
        const char *const names[] = {shipped, shipped_file, NULL};
        AUTO_FREE char *installed = path[0] != '/' ? file_of_program(names) : NULL;
        if (installed != NULL)
            return collect(installed, levels, list);
        AUTO_FREE char *name = text_clean_line(memory_string(path)); // it may be a stranger's
        fprintf(stderr, "lockpick run: cannot find %s: %s\n", name, strerror(reason));
        return -1;
    }
    if (!S_ISDIR(status.st_mode)) {
        string_list_add(list, path);
        return 0;
    }
    AUTO_FREE char *root = memory_string(path);
    size_t length = strlen(root);
    if (length > 1 && root[length - 1] == '/')
        root[length - 1] = '\0';
    char *roots[] = {root, NULL};
    size_t before = list->count;
    FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, by_name);
    for (FTSENT *entry; walk != NULL && (entry = fts_read(walk)) != NULL;) {
        if (entry->fts_info == FTS_F && entry->fts_level <= levels &&
            fnmatch("*.y?(a)ml", entry->fts_name, FNM_EXTMATCH) == 0)
            string_list_add(list, entry->fts_path);
    }
    if (walk != NULL)
        fts_close(walk);
    if (list->count > before)
        return 0;
    fprintf(stderr, "lockpick run: no scenario (*.yaml) in %s\n", path);
    return -1;
}

int scenario_set_load(const struct run_options *options, const struct vocabulary *vocabulary,
                      struct scenario_set *set)
{
    AUTO_LIST struct string_list paths = {0};
    struct diagnostics *diagnostics = diagnostics_new();
    int result = 0;
    size_t room = 0;
    *set = (struct scenario_set){0};
    for (size_t i = 0; i < options->path_count; i++)
        result |= collect(options->paths[i], options->own_files_only ? 1 : INT_MAX, &paths);
    for (size_t i = 0; i < paths.count; i++) {
        struct scenario *scenario = NULL;
        result |= scenario_load(paths.items[i], options->are_stored, vocabulary, options->overrides,
                                options->override_count, &scenario, diagnostics);
        // Each of a file's workloads is a scenario of its own.
        for (struct scenario *next; scenario != NULL; scenario = next) {
            next = scenario->next;
            scenario->next = NULL;
            *APPEND(set->scenarios, set->count, room) = scenario;
        }
    }
    diagnostics_print(diagnostics, stderr);
    diagnostics_free(diagnostics);
    return result;
}

void scenario_set_free(struct scenario_set *set)
{
    for (size_t i = 0; i < set->count; i++)
        scenario_free(set->scenarios[i]);
    free(set->scenarios);
}

// --- the folder ----------------------------------------------------------------------------------

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

// Writes FOLDER/NAME.yaml.
static int keep(const char *folder, const char *name, const char *text, struct error *error)
{
    AUTO_FREE char *path = text_formatted("%s/%s.yaml", folder, name);
    return file_write(path, text, strlen(text), error);
}

// The scenario's name, with "--TRIAL" if it is one of its trials; the caller frees.
static char *full_name(const struct scenario *scenario)
{
    return text_formatted("%s%s%s", scenario->name, scenario->trial != NULL ? "--" : "",
                          scenario->trial != NULL ? scenario->trial : "");
}

static int not_empty(const char *folder, struct error *error)
{
    return error_set(error, "the folder %s is not empty; remove it, or name another", folder);
}

// Of several runs that were given one folder at once, the first to make the folder inside has it.
static int keep_scenarios(const char *folder, const struct run_options *options,
                          const struct scenario_set *set, const struct plan *plan,
                          struct error *error)
{
    AUTO_FREE char *scenarios = path_join(folder, "scenarios");
    int result = 0;
    if (mkdir(scenarios, 0777) != 0)
        result = errno == EEXIST
                     ? not_empty(folder, error)
                     : error_set(error, "cannot make folder %s: %s", scenarios, strerror(errno));
    for (size_t i = 0; result == 0 && i < set->count; i++) {
        const struct scenario *scenario = set->scenarios[i];
        AUTO_TEXT struct text copy = {0};
        AUTO_FREE char *name = full_name(scenario);
        text_format(&copy, "# %s as run with: --seed %" PRIu64, scenario->path,
                    plan_seed_of(plan, scenario));
        for (const char *const *scheme = options->schemes; *scheme != NULL; scheme++)
            text_format(&copy, " --scheme '%s'", *scheme);
        for (size_t j = 0; j < options->override_count; j++)
            text_format(&copy, " --set %s=%s", options->overrides[j].path,
                        options->overrides[j].value);
        text_clean_line(copy.bytes);
        text_format(&copy, "\n%s", scenario->source);
        result = keep(scenarios, name, copy.bytes, error);
    }
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
            result = not_empty(options->out, error);
    }
    closedir(folder);
    return result;
}

int as_run_keep(const char *folder, const char *name, char *text, struct error *error)
{
    AUTO_FREE char *owned = text;
    AUTO_FREE char *into = path_join(folder, "as-run");
    return folder_make(into, error) == 0 ? keep(into, name, owned, error) : -1;
}

int as_run_settle(const char *folder, struct error *error)
{
    AUTO_FREE char *from = path_join(folder, "as-run");
    AUTO_LIST struct string_list names = folder_entries(from);
    if (names.count != 1)
        return 0;
    AUTO_FREE char *one = path_join(from, names.items[0]);
    AUTO_FREE char *path = path_join(folder, "as-run.yaml");
    return rename(one, path) == 0 && rmdir(from) == 0
               ? 0
               : error_set(error, "cannot rename %s to %s: %s", one, path, strerror(errno));
}

// One file, if all trials of the scenario have the same faults, else one for each trial.
static int keep_as_run(const char *folder, const struct scenario *scenario, const struct plan *plan,
                       struct error *error)
{
    const char *first = NULL; // all faults of the first trial
    bool are_alike = true;
    int result = 0;
    uint64_t seed = plan_seed_of(plan, scenario);
    for (size_t i = 0; scenario_is_open(scenario) && i < plan->count; i++) {
        const struct trial *trial = &plan->trials[i];
        if (trial->scenario != scenario)
            continue;
        const char *faults = trial->drawn != NULL ? trial->drawn->settled_faults : "none";
        first = first != NULL ? first : faults;
        are_alike &= strcmp(first, faults) == 0;
    }
    for (size_t i = 0; result == 0 && i < plan->count && !are_alike; i++) {
        const struct trial *trial = &plan->trials[i];
        if (trial->scenario == scenario)
            result = as_run_keep(folder, trial->name,
                                 trial->drawn != NULL
                                     ? memory_string(trial->drawn->source)
                                     : scenario_as_run(scenario, seed, NULL, trial_label(trial)),
                                 error);
    }
    bool is_drawn = first != NULL && strcmp(first, "none") != 0;
    const char *drawn = is_drawn ? first + strlen(scenario->settled_faults) : NULL;
    AUTO_FREE char *name = full_name(scenario);
    if (are_alike)
        result = as_run_keep(folder, name, scenario_as_run(scenario, seed, drawn, scenario->trial),
                             error);
    return result;
}

char *run_folder_make(const struct run_options *options, const struct scenario_set *set,
                      const struct plan *plan, struct error *error)
{
    char *folder = options->out != NULL ? memory_string(options->out) : new_folder(set, error);
    if (folder == NULL)
        return NULL;
    int result = folder_make(folder, error);
    if (result == 0)
        result = keep_scenarios(folder, options, set, plan, error);
    for (size_t i = 0; result == 0 && i < set->count; i++)
        result = keep_as_run(folder, set->scenarios[i], plan, error);
    if (result == 0)
        result = as_run_settle(folder, error);
    // What a run that is stopped has not run is known by the names of all trials of the plan.
    AUTO_TEXT struct text names = {0};
    AUTO_FREE char *path = path_join(folder, PLANNED_FILE);
    for (size_t i = 0; i < plan->count; i++)
        text_format(&names, "%s\n", plan->trials[i].name);
    if (result == 0)
        result = file_write(path, text_string(&names), names.length, error);
    if (result == 0)
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
    AUTO_FREE char *fresh = text_formatted(RESULTS "/.latest-%s", name);
    unlink(fresh);
    if (symlink(name, fresh) == 0 && rename(fresh, RESULTS "/latest") != 0)
        unlink(fresh);
}

// --- outputs -------------------------------------------------------------------------------------

// Where GitHub wants the summary of a step, or NULL.
static const char *summary_path(const struct run_options *options)
{
    const char *path = options->github ? getenv("GITHUB_STEP_SUMMARY") : NULL;
    return path != NULL && path[0] != '\0' ? path : NULL;
}

// Other steps may have written to it before.
static int append(const char *path, const char *text, struct error *error)
{
    FILE *file = fopen(path, "ab");
    int result = 0;
    if (file == NULL || fputs(text, file) < 0 || fflush(file) != 0)
        result =
            error_set(error, "cannot write %s ($GITHUB_STEP_SUMMARY): %s", path, strerror(errno));
    if (file != NULL)
        fclose(file);
    return result;
}

int output_check(const char *option, const char *path, const char *begins, struct error *error)
{
    struct stat status;
    AUTO_TEXT struct text old = {0};
    AUTO_FREE char *copy = memory_string(path);
    // What the path means is known only once its folder is there.
    int made = folder_make(dirname(copy), error);
    if (made != 0)
        return error_wrap(error, "%s %s", option, path);
    if (lstat(path, &status) == 0 && !S_ISREG(status.st_mode))
        return error_set(error, "%s %s: that is not a plain file; name another", option, path);
    bool is_old = file_read(path, &old, NULL) == 0 && old.length > 0;
    if (is_old && strncmp(old.bytes, begins, strlen(begins)) != 0)
        return error_set(error,
                         "%s %s: the file that is there was not written by an earlier run; "
                         "remove it, or name another",
                         option, path);
    if (file_write(path, "", 0, error) != 0)
        return error_wrap(error, "%s %s", option, path);
    unlink(path);
    return 0;
}

int run_outputs_check(const struct run_options *options, struct error *error)
{
    if (options->junit != NULL && output_check("--junit", options->junit, JUNIT_BEGINS, error) != 0)
        return -1;
    if (options->csv != NULL && output_check("--csv", options->csv, CSV_BEGINS, error) != 0)
        return -1;
    if (options->junit != NULL && options->csv != NULL && strcmp(options->junit, options->csv) == 0)
        return error_set(error, "--junit and --csv name the same file: %s", options->csv);
    return summary_path(options) != NULL ? append(summary_path(options), "", error) : 0;
}

// Writes the text to the path, or appends it to what is there; frees the text. -1 after saying on
// standard error what went wrong.
static int write_text(const char *path, bool is_appended, char *text)
{
    struct error error = {0};
    int result =
        is_appended ? append(path, text, &error) : file_write(path, text, strlen(text), &error);
    free(text);
    if (result != 0)
        fprintf(stderr, "lockpick run: %s\n", error.text);
    return result;
}

int run_outputs_write_folder(const struct run_report *report)
{
    const struct {
        const char *name;
        char *(*make)(const struct run_report *report);
    } files[] = {{"result.json", report_json},
                 {"junit.xml", report_junit},
                 {"report.md", report_markdown},
                 {"report.html", report_html}};
    int written = 0;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        AUTO_FREE char *path = path_join(report->run->folder, files[i].name);
        written |= write_text(path, false, files[i].make(report));
    }
    return written;
}

static void print(const struct run_report *report, const struct run_options *options,
                  const char *folder)
{
    const struct run_result *run = report->run;
    if (options->json || options->tap) {
        AUTO_FREE char *text = options->json ? report_json(report) : report_tap(report);
        printf("%s%s", text, options->json ? "\n" : "");
        return;
    }
    // A scenario's words, wherever they stand in a line, are no commands to the runner.
    struct random random;
    random_start(&random, (uint64_t)clock_realtime_ns(), 0);
    uint64_t token = random_below(&random, UINT64_MAX);
    if (options->github)
        printf("::stop-commands::lockpick-%" PRIx64 "\n", token);
    if (options->tried != NULL)
        report_print_tried(report, options->tried, stdout, colour_wanted(stdout));
    else
        report_print(report, stdout, colour_wanted(stdout), options->quiet);
    if (options->github)
        printf("::lockpick-%" PRIx64 "::\n", token);
    if (!run->has_plots)
        printf("%s\n", run->plot_note);
    if (folder != NULL)
        printf("report: %s/report.html\n", folder);
    if (options->github)
        report_github(report, stdout);
}

int run_outputs_write(const struct run_result *run, const struct run_options *options)
{
    struct run_report report;
    run_report_make(run, &report);
    int written = run_outputs_write_folder(&report);
    print(&report, options, written == 0 ? run->folder : NULL);
    if (options->junit != NULL)
        written |= write_text(options->junit, false, report_junit(&report));
    if (options->csv != NULL)
        written |= write_text(options->csv, false, report_csv(&report));
    if (summary_path(options) != NULL)
        written |= write_text(summary_path(options), true,
                              report_markdown_within(&report, GITHUB_SUMMARY_BYTES));
    written |= run->lacks_files;
    for (size_t i = 0; i < run->count; i++)
        written |= run->trials[i].lacks_files;
    int code = written != 0             ? EXIT_ENVIRONMENT
               : options->tried != NULL ? report_tried_exit_code(&report, options->tried)
                                        : report_exit_code(&report);
    run_report_free(&report);
    return code;
}
