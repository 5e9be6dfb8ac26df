#include "harness/run/run_outputs.h"

#include "harness/base/clock.h"
#include "harness/base/file.h"
#include "harness/base/random.h"
#include "harness/base/table.h"
#include "harness/cli/verb.h"
#include "harness/report/csv.h"
#include "harness/report/github.h"
#include "harness/report/junit.h"
#include "harness/report/markdown.h"
#include "harness/report/tap.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
    if (file == NULL)
        return error_set(error, "cannot open %s ($GITHUB_STEP_SUMMARY): %s", path, strerror(errno));
    int result = 0;
    if (fputs(text, file) < 0 || fflush(file) != 0)
        result =
            error_set(error, "cannot write %s ($GITHUB_STEP_SUMMARY): %s", path, strerror(errno));
    fclose(file);
    return result;
}

static int make_parent(const char *path, struct error *error)
{
    const char *slash = strrchr(path, '/');
    if (slash == NULL || slash == path)
        return 0;
    char *folder = memory_string(path);
    folder[slash - path] = '\0';
    int result = folder_make(folder, error);
    free(folder);
    return result;
}

int output_check(const char *option, const char *path, const char *begins, struct error *error)
{
    struct stat status;
    struct text old = {0};
    // What the path means is known only once its folder is there.
    if (make_parent(path, error) != 0)
        return error_wrap(error, "%s %s", option, path);
    if (lstat(path, &status) == 0 && !S_ISREG(status.st_mode))
        return error_set(error, "%s %s: that is not a plain file; name another", option, path);
    bool is_old = file_read(path, &old, NULL) == 0 && old.length > 0;
    bool is_other = is_old && strncmp(old.bytes, begins, strlen(begins)) != 0;
    text_free(&old);
    if (is_other)
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

static int complain(int result, const struct error *error)
{
    if (result != 0)
        fprintf(stderr, "lockpick run: %s\n", error->text);
    return result;
}

static int write_text(const char *path, const char *text)
{
    struct error error = {0};
    return complain(file_write(path, text, strlen(text), &error), &error);
}

// Into the run's folder. Takes the text.
static int write_result(const struct run_result *run, const char *name, char *text)
{
    char *path = path_join(run->folder, name);
    int result = write_text(path, text);
    free(path);
    free(text);
    return result;
}

int run_outputs_write_folder(const struct run_report *report)
{
    const struct run_result *run = report->run;
    int written = write_result(run, "result.json", report_json(report));
    written |= write_result(run, "junit.xml", report_junit(report));
    written |= write_result(run, "report.md", report_markdown(report));
    return written | write_result(run, "report.html", report_html(report));
}

// What the options ask for outside of the run's folder.
static int write_elsewhere(const struct run_report *report, const struct run_options *options)
{
    int written = 0;
    if (options->junit != NULL) {
        char *junit = report_junit(report);
        written |= write_text(options->junit, junit);
        free(junit);
    }
    if (options->csv != NULL) {
        char *csv = report_csv(report->run);
        written |= write_text(options->csv, csv);
        free(csv);
    }
    if (summary_path(options) != NULL) {
        struct error error = {0};
        char *summary = report_github_summary(report);
        written |= complain(append(summary_path(options), summary, &error), &error);
        free(summary);
    }
    return written;
}

static void print(const struct run_report *report, const struct run_options *options,
                  const char *folder)
{
    const struct run_result *run = report->run;
    if (options->json || options->tap) {
        char *text = options->json ? report_json(report) : report_tap(report);
        printf("%s%s", text, options->json ? "\n" : "");
        free(text);
        return;
    }
    // A scenario's words, wherever they stand in a line, are no commands to the runner.
    struct random random;
    random_start(&random, (uint64_t)clock_realtime_ns(), 0);
    uint64_t token = random_below(&random, UINT64_MAX);
    if (options->github)
        printf("::stop-commands::lockpick-%" PRIx64 "\n", token);
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
    written |= write_elsewhere(&report, options) | run->lacks_files;
    for (size_t i = 0; i < run->count; i++)
        written |= run->trials[i].lacks_files;
    int code = written == 0 ? report_exit_code(&report) : EXIT_ENVIRONMENT;
    run_report_free(&report);
    return code;
}
