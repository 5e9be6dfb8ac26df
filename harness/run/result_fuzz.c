// Whatever bytes there are as a run's result.json: they are refused, or compared with themselves,
// and the run that has them is judged and reported.
#include "harness/base/file.h"
#include "harness/base/test_folder.h"
#include "harness/report/comparison.h"
#include "harness/report/run_report.h"
#include "harness/run/stored_run.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static const char scenario[] = "version: 1\nname: a\nabout: A run without histories.\n"
                               "workload: {kind: increment, operations: 4}\nschemes: [none]\n"
                               "repeat: 2\nexpect: [{schemes: none, verdict: unsafe}]\n";

static char folder[] = "/dev/shm/lockpick-result-fuzz-XXXXXX";

static void remove_folder(void)
{
    test_folder_remove(folder);
}

static void make_folder(void)
{
    char *path = test_folder_make(folder) == 0 ? path_join(folder, "as-run.yaml") : NULL;
    if (path == NULL || file_write(path, scenario, sizeof scenario - 1, NULL) != 0)
        abort();
    free(path);
    atexit(remove_folder);
}

// --- compare -------------------------------------------------------------------------------------

static void compare(json_t *root, FILE *out)
{
    const struct comparison_options options = {.margin = 0.05};
    struct run_figures sides[2];
    struct comparison comparison;
    struct error error;
    int made = 0;
    for (int i = 0; i < 2; i++)
        made += run_figures_make(json_incref(root), "fuzzed", &sides[i], &error);
    if (made == 0) {
        comparison_of_runs(&sides[0], &sides[1], &options, &comparison);
        comparison_print(&comparison, true, out, false);
        free(comparison_json(&comparison));
        comparison_free(&comparison);
    }
    run_figures_free(&sides[0]);
    run_figures_free(&sides[1]);
}

// --- check and report ----------------------------------------------------------------------------

static void judge_run(const uint8_t *bytes, size_t length, FILE *out)
{
    struct stored_runs runs;
    char *const folders[] = {folder};
    struct error error = {0};
    char *path = path_join(folder, "result.json");
    if (file_write(path, (const char *)bytes, length, NULL) != 0)
        abort();
    free(path);
    if (stored_runs_open(folders, 1, NULL, HISTORIES_NONE, &runs, &error) == 0) {
        stored_runs_judge(&runs, folder, TRIAL_FILES_NONE);
        struct run_report report;
        run_report_make(&runs.result, &report);
        // Which it is depends on the length, so that a fuzzer comes to all.
        if (length % 4 == 0)
            report_print(&report, out, false, false);
        else
            free(length % 4 == 1   ? report_json(&report)
                 : length % 4 == 2 ? report_html(&report)
                                   : report_markdown(&report));
        run_report_free(&report);
    } else if (error.text[0] == '\0') {
        abort();
    }
    stored_runs_free(&runs);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    static bool is_made;
    char *printed = NULL;
    size_t printed_length = 0;
    json_t *root = json_loadb((const char *)bytes, length, 0, NULL);
    if (root == NULL) // it is as if there were none
        return 0;
    if (!is_made) // whose name may as well end in an X
        make_folder();
    is_made = true;
    FILE *out = open_memstream(&printed, &printed_length);
    compare(root, out);
    json_decref(root);
    judge_run(bytes, length, out);
    fclose(out);
    free(printed);
    return 0;
}
