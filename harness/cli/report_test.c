// End to end: reports that are made anew from stored runs.
#include "harness/base/test_folder.h"
#include "harness/cli/test_command.h"
#include "harness/cli/test_result.h"
#include "harness/report/test_json_path.h"
#include "harness/testing/test.h"

#include <sys/stat.h>
#include <unistd.h>

TEST_FOLDER("/tmp/lockpick-report-test-XXXXXX");

// Schemes that need no server. One of them is UNSAFE, which is expected, the other SAFE.
static const char scenario[] =
    "version: 1\nname: small\nabout: For a test.\nclients: {processes: 1, threads: 2}\n"
    "workload: {kind: increment, operations: %d, hold: 1ms}\nschemes: [none, process-mutex]\n"
    "expect: [{schemes: [none], verdict: unsafe}, {schemes: [\"*\"], verdict: safe}]\n";

// What it says may be on either stream.
static void expect(const char *arguments, int code, const char *words)
{
    struct text all = {0};
    struct command_result result = run_lockpick_in(folder, arguments);
    text_format(&all, "%s%s", text_string(&result.output), text_string(&result.errors));
    if (result.code != code || strstr(text_string(&all), words) == NULL)
        fail_msg("lockpick %s: exit %d instead of %d, or no '%s' in:\n%s", arguments, result.code,
                 code, words, text_string(&all));
    text_free(&all);
    command_free(&result);
}

static char *in_folder(const char *name)
{
    return path_join(folder, name);
}

static bool is_there(const char *name)
{
    char *path = in_folder(name);
    bool there = access(path, F_OK) == 0;
    free(path);
    return there;
}

static void remove_file(const char *name)
{
    char *path = in_folder(name);
    assert_int_equal(unlink(path), 0);
    free(path);
}

static void keep_result(const char *name, json_t *result)
{
    struct text path = {0};
    text_format(&path, "%s/%s/result.json", folder, name);
    assert_int_equal(json_dump_file(result, path.bytes, 0), 0);
    text_free(&path);
    json_decref(result);
}

static const char *text_at(json_t *value, const char *path)
{
    return json_string_value(json_at(value, path));
}

static void put_scenario(const char *name, int operations)
{
    char text[sizeof scenario + 16];
    char *path = in_folder(name);
    snprintf(text, sizeof text, scenario, operations);
    assert_int_equal(file_write(path, text, strlen(text), NULL), 0);
    free(path);
}

static int make_runs(void **state)
{
    (void)state;
    unsetenv("GITHUB_STEP_SUMMARY");
    if (test_folder_make(folder) != 0)
        return -1;
    put_scenario("small.yaml", 60);
    put_scenario("other.yaml", 80);
    expect("run @/small.yaml --no-namespaces --seed 1 --out @/first --quiet", 0, "2 trials");
    expect("run @/small.yaml --no-namespaces --seed 2 --out @/second --quiet", 0, "2 trials");
    expect("run @/other.yaml --no-namespaces --scheme none --out @/other --quiet", 0, "1 trial");
    return 0;
}

// The contents of a file of the folder; the caller frees.
static char *content_of(const char *name)
{
    struct text text = {0};
    char *path = in_folder(name);
    text_add(&text, "");
    assert_int_equal(file_read(path, &text, NULL), 0);
    free(path);
    return text.bytes;
}

TEST_GROUP(make_runs, remove_test_folder);

TEST(a_runs_own_report_is_made_anew_just_as_it_was)
{
    static const char *const files[] = {"first/trials/small--none/timeline.svg",
                                        "first/trials/small--none/latency.hlog"};
    enum { FILES = sizeof files / sizeof *files };
    char *before[FILES];
    for (size_t i = 0; i < FILES; i++) {
        before[i] = content_of(files[i]);
        remove_file(files[i]);
    }
    remove_file("first/report.html");
    json_t *was = load_result(folder, "first");
    expect("report @/first", 0, "judged anew: 2 verdicts, as in result.json");
    assert_true(is_there("first/report.html"));
    for (size_t i = 0; i < FILES; i++) {
        char *now = content_of(files[i]);
        assert_string_equal(now, before[i]);
        free(now);
        free(before[i]);
    }
    json_t *now = load_result(folder, "first");
    // Where its file was is not known any more: the run keeps it as as-run.yaml.
    for (size_t i = 0; i < 2; i++) {
        json_object_del(json_at(json_array_get(json_at(was, "trials"), i), "scenario"), "path");
        json_object_del(json_at(json_array_get(json_at(now, "trials"), i), "scenario"), "path");
    }
    assert_true(json_equal(json_at(now, "trials"), json_at(was, "trials")));
    assert_true(json_equal(json_at(now, "environment"), json_at(was, "environment")));
    assert_true(json_equal(json_at(now, "costs"), json_at(was, "costs")));
    json_decref(was);
    json_decref(now);
}

TEST(elsewhere_the_source_is_left_alone)
{
    char *before = content_of("second/result.json");
    expect("report @/second --out @/elsewhere --csv @/all.csv", 0, "elsewhere/report.html");
    char *after = content_of("second/result.json");
    assert_string_equal(before, after);
    free(before);
    free(after);
    assert_true(is_there("all.csv"));
    assert_true(is_there("elsewhere/as-run.yaml"));
    assert_true(is_there("elsewhere/trials/small--none/timeline.svg"));
    assert_false(is_there("elsewhere/trials/small--none/history.bin"));
    expect("report @/second --out @/elsewhere", 2, "is not empty");
}

TEST(trials_of_the_same_scenario_are_repeats)
{
    expect("report @/first @/second --out @/repeats --quiet", 0, "4 trials: 4 as expected");
    json_t *result = load_result(folder, "repeats");
    assert_string_equal(text_at(result, "trials.0.name"), "small--none");
    assert_string_equal(text_at(result, "trials.1.name"), "small--none--2");
    assert_string_equal(text_at(result, "trials.3.name"), "small--process-mutex--2");
    assert_int_equal(json_integer_value(json_at(result, "trials.1.repeat")), 2);
    assert_int_equal(json_integer_value(json_at(result, "costs.0.repeats")), 2);
    assert_int_equal(json_array_size(json_at(result, "costs")), 2);
    json_decref(result);
    assert_true(is_there("repeats/trials/small--none--2/timeline.svg"));
}

TEST(a_scenario_of_another_text_is_shown_as_its_own)
{
    expect("report @/first @/other --out @/both", 0, "small-2 is the scenario in ");
    json_t *result = load_result(folder, "both");
    assert_string_equal(text_at(result, "trials.2.name"), "small-2--none");
    assert_string_equal(text_at(result, "trials.2.scenario.name"), "small-2");
    assert_int_equal(json_array_size(json_at(result, "costs")), 3);
    json_decref(result);
    assert_true(is_there("both/as-run/small-2.yaml"));
}

TEST(environments_that_differ_are_marked)
{
    json_t *result = load_result(folder, "second");
    json_object_set_new(json_at(result, "environment"), "kernel", json_string("Linux 2.0"));
    keep_result("second", result);
    expect("report @/first @/second --out @/unlike", 0, "Linux 2.0");
    char *page = content_of("unlike/report.html");
    assert_non_null(strstr(page, "Linux 2.0"));
    assert_non_null(strstr(page, "their costs cannot be compared"));
    free(page);
    result = load_result(folder, "unlike");
    assert_non_null(strstr(text_at(result, "remarks.0"), "kernel: "));
    json_decref(result);
}

TEST(a_run_that_was_killed_gets_a_report)
{
    expect("run @/small.yaml --no-namespaces --out @/killed --quiet", 0, "2 trials");
    remove_file("killed/result.json");
    remove_file("killed/report.html");
    remove_file("killed/trials/small--process-mutex/history.bin");
    expect("report @/killed", 3, "was stopped before it could write its result");
    json_t *result = load_result(folder, "killed");
    assert_int_equal(json_array_size(json_at(result, "trials")), 1);
    assert_string_equal(text_at(result, "trials.0.verdict"), "UNSAFE");
    json_decref(result);
}

TEST(a_verdict_that_changed_is_said)
{
    json_t *result = load_result(folder, "other");
    json_object_set_new(json_at(result, "trials.0"), "verdict", json_string("SAFE"));
    keep_result("other", result);
    expect("report @/other --quiet", 0, "small--none: UNSAFE now, SAFE in result.json");
}

TEST(a_brief_report_is_all_in_one_folder)
{
    expect("report @/first --brief", 2, "--out DIR must name another folder");
    expect("report @/first --brief --out @/brief --quiet", 0, "2 trials");
    assert_false(is_there("brief/trials"));
    json_t *result = load_result(folder, "brief");
    assert_string_equal(text_at(result, "trials.0.verdict"), "UNSAFE");
    assert_true(json_is_null(json_at(result, "trials.0.statistics")));
    assert_int_equal(json_array_size(json_at(result, "costs")), 2);
    json_decref(result);
    char *page = content_of("brief/report.html");
    assert_null(strstr(page, "href=\"trials/"));
    assert_null(strstr(page, "src=\"trials/"));
    assert_non_null(strstr(page, "data:image/svg+xml"));
    free(page);
}

TEST(a_run_without_a_trial_that_fits_is_reported_again_as_it_was_judged)
{
    write_in(folder, "unfit.yaml",
             "version: 1\nname: unfit\nabout: For a test.\nschemes: [redis-set-px-del]\n"
             "workload: {kind: increment, store: shm, fenced: true, operations: 4}\n");
    expect("run @/unfit.yaml --out @/unfit", 3, "n/a");
    expect("check @/unfit", 3, "n/a");
    expect("report @/unfit", 3, "n/a");
}

TEST(what_is_no_run_is_refused)
{
    expect("report", 2, "which run?");
    expect("report @/nothing", 2, "cannot open the run in");
    expect("report @", 2, "is no run's folder");
    expect("report @/first @/second", 2, "--out DIR must say");
    expect("report @/first @/first --out @/twice", 2, "is named twice");
    expect("report @/elsewhere", 2, "has no history left");
    expect("report @/first --brief --out ''", 2, "--out takes a name");
    expect("help report", 0, "results/latest");
}
