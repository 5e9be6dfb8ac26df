// End to end: reports that are made anew from stored runs.
#include "harness/cli/test_runs.h"
#include "harness/report/test_json_path.h"

// Schemes that need no server. One of them is UNSAFE, which is expected, the other SAFE.
static const char scenario[] =
    "version: 1\nname: small\nabout: For a test.\nclients: {processes: 1, threads: 2}\n"
    "workload: {kind: increment, operations: %d, hold: 1ms}\nschemes: [none, process-mutex]\n"
    "expect: [{schemes: [none], verdict: unsafe}, {schemes: [\"*\"], verdict: safe}]\n";

static void remove_file(const char *name)
{
    assert_int_equal(shell("rm @/%s", name), 0);
}

static void keep_result(const char *name, json_t *result)
{
    char *path = path_of("@/%s/result.json", name);
    assert_int_equal(json_dump_file(result, path, 0), 0);
    free(path);
    json_decref(result);
}

static const char *text_at(json_t *value, const char *path)
{
    return json_string_value(json_at(value, path));
}

static int make_runs(void **state)
{
    static const char *const names[] = {"small.yaml", "other.yaml"};
    if (make_test_folder(state) != 0)
        return -1;
    for (int i = 0; i < 2; i++) {
        char text[sizeof scenario + 16];
        snprintf(text, sizeof text, scenario, 60 + 20 * i);
        write_in(folder, names[i], text);
    }
    expect(0, "2 trials", "run @/small.yaml --no-namespaces --seed 1 --out @/first --quiet");
    expect(0, "2 trials", "run @/small.yaml --no-namespaces --seed 2 --out @/second --quiet");
    expect(0, "1 trial", "run @/other.yaml --no-namespaces --scheme none --out @/other --quiet");
    return 0;
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
    json_t *was = result_of("first");
    expect(0, "judged anew: 2 verdicts, as in result.json", "report @/first");
    assert_true(has_file("first/report.html"));
    for (size_t i = 0; i < FILES; i++) {
        char *now = content_of(files[i]);
        assert_string_equal(now, before[i]);
        free(now);
        free(before[i]);
    }
    json_t *now = result_of("first");
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
    expect(0, "elsewhere/report.html", "report @/second --out @/elsewhere --csv @/all.csv");
    char *after = content_of("second/result.json");
    assert_string_equal(before, after);
    free(before);
    free(after);
    assert_true(has_file("all.csv"));
    assert_true(has_file("elsewhere/as-run.yaml"));
    assert_true(has_file("elsewhere/trials/small--none/timeline.svg"));
    assert_false(has_file("elsewhere/trials/small--none/history.bin"));
    expect(2, "is not empty", "report @/second --out @/elsewhere");
}

TEST(trials_of_the_same_scenario_are_repeats)
{
    expect(0, "4 trials: 4 as expected", "report @/first @/second --out @/repeats --quiet");
    json_t *result = result_of("repeats");
    assert_string_equal(text_at(result, "trials.0.name"), "small--none");
    assert_string_equal(text_at(result, "trials.1.name"), "small--none--2");
    assert_string_equal(text_at(result, "trials.3.name"), "small--process-mutex--2");
    assert_int_equal(json_integer_value(json_at(result, "trials.1.repeat")), 2);
    assert_int_equal(json_integer_value(json_at(result, "costs.0.repeats")), 2);
    assert_int_equal(json_array_size(json_at(result, "costs")), 2);
    json_decref(result);
    assert_true(has_file("repeats/trials/small--none--2/timeline.svg"));
}

TEST(a_scenario_of_another_text_is_shown_as_its_own)
{
    expect(0, "small-2 is the scenario in ", "report @/first @/other --out @/both");
    json_t *result = result_of("both");
    assert_string_equal(text_at(result, "trials.2.name"), "small-2--none");
    assert_string_equal(text_at(result, "trials.2.scenario.name"), "small-2");
    assert_int_equal(json_array_size(json_at(result, "costs")), 3);
    json_decref(result);
    assert_true(has_file("both/as-run/small-2.yaml"));
}

TEST(environments_that_differ_are_marked)
{
    json_t *result = result_of("second");
    json_object_set_new(json_at(result, "environment"), "kernel", json_string("Linux 2.0"));
    keep_result("second", result);
    expect(0, "Linux 2.0", "report @/first @/second --out @/unlike");
    expect_content("unlike/report.html", "Linux 2.0");
    expect_content("unlike/report.html", "their costs cannot be compared");
    result = result_of("unlike");
    assert_non_null(strstr(text_at(result, "remarks.0"), "kernel: "));
    json_decref(result);
}

TEST(a_run_that_was_killed_gets_a_report)
{
    expect(0, "2 trials", "run @/small.yaml --no-namespaces --out @/killed --quiet");
    remove_file("killed/result.json");
    remove_file("killed/report.html");
    remove_file("killed/trials/small--process-mutex/history.bin");
    expect(3, "was stopped before it could write its result", "report @/killed");
    json_t *result = result_of("killed");
    assert_int_equal(json_array_size(json_at(result, "trials")), 1);
    assert_string_equal(text_at(result, "trials.0.verdict"), "UNSAFE");
    json_decref(result);
}

TEST(a_verdict_that_changed_is_said)
{
    json_t *result = result_of("other");
    json_object_set_new(json_at(result, "trials.0"), "verdict", json_string("SAFE"));
    keep_result("other", result);
    expect(0, "small--none: UNSAFE now, SAFE in result.json", "report @/other --quiet");
}

TEST(a_brief_report_is_all_in_one_folder)
{
    expect(2, "--out DIR must name another folder", "report @/first --brief");
    expect(0, "2 trials", "report @/first --brief --out @/brief --quiet");
    assert_false(has_file("brief/trials"));
    json_t *result = result_of("brief");
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
    expect(3, "n/a", "run @/unfit.yaml --out @/unfit");
    expect(3, "n/a", "check @/unfit");
    expect(3, "n/a", "report @/unfit");
}

TEST(what_is_no_run_is_refused)
{
    static const struct command_case cases[] = {
        {"report", 2, "which run?"},
        {"report @/nothing", 2, "cannot open the run in"},
        {"report @", 2, "is no run's folder"},
        {"report @/first @/second", 2, "--out DIR must say"},
        {"report @/first @/first --out @/twice", 2, "is named twice"},
        {"report @/elsewhere", 2, "has no history left"},
        {"report @/first --brief --out ''", 2, "--out takes a name"},
        {"help report", 0, "results/latest"},
        {.arguments = NULL},
    };
    expect_each(cases);
}
