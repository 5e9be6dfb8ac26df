#include "harness/base/file.h"
#include "harness/report/gnuplot.h"
#include "harness/report/pictures/trial_time.h"
#include "harness/report/test_run.h"
#include "harness/testing/test.h"

#include <stdlib.h>
#include <unistd.h>

static struct test_run test;
static struct trial_result *result;
static char folder[64];
static struct picture picture;

static const char *const names[] = {"throughput", "latency", "timeline", "operations",
                                    "latency-over-time"};

#define NAMES (sizeof names / sizeof *names)

static int start(void **state)
{
    (void)state;
    test_run_start(&test);
    result = test_add(&test, "redis_set-px", VERDICT_UNSAFE, EXPECTATION_MET);
    test_digest(&test);
    strcpy(folder, "/tmp/lockpick-plots-XXXXXX");
    assert_non_null(mkdtemp(folder));
    result->folder = folder;
    return 0;
}

static char *path_of(const char *name, const char *ending)
{
    struct text path = {0};
    text_format(&path, "%s/%s.%s", folder, name, ending);
    return path.bytes;
}

static int end(void **state)
{
    (void)state;
    static const char *const endings[] = {"dat", "gp", "svg"};
    for (size_t i = 0; i < 3 * NAMES; i++) {
        char *path = path_of(names[i / 3], endings[i % 3]);
        unlink(path);
        free(path);
    }
    rmdir(folder);
    picture_free(&picture);
    free(result->timeline);
    free(result->throughput);
    free(result->latency);
    return 0;
}

static bool exists(const char *name, const char *ending)
{
    char *path = path_of(name, ending);
    bool there = access(path, R_OK) == 0;
    free(path);
    return there;
}

// Two holds that overlap from 320 to 400 ms, under a pause.
static void add_violation(void)
{
    test.steps[0] = (struct fault_step){.number = 1,
                                        .verb = "pause",
                                        .target = {.client = 1},
                                        .bound_ns = NS_PER_S,
                                        .text = "pause client-1 at 'a_b' \"c\" `d` {e} $f \\"};
    test.faults[0] = (struct fault_record){
        .step = &test.steps[0], .asked_ns = AT(5), .in_effect_ns = AT(6), .healed_ns = AT(500)};
    test.digest.fault_count = 1;
    test_hold(&test, 1, 0, 5, 600);
    test_hold(&test, 2, 10, 320, 400);
    test.accesses[0] = (struct access){.returned_ns = AT(330), .hold = 1};
    test.digest.access_count = 1;
    struct finding *finding = test_find(result, &test_stale_holder, false);
    finding->evidence = (struct evidence){{0, 1}, {SIZE_MAX, SIZE_MAX}, AT(320), AT(400)};
}

// Holds after the violation: enough for percentiles of latency.
static void add_peace(void)
{
    for (int i = 0; i < LEAST_FOR_PERCENTILES; i++)
        test_hold(&test, 2, 700 + 10 * i, 705 + 10 * i, 709 + 10 * i);
}

static bool have_gnuplot(void)
{
    char note[200];
    if (plots_available(note, sizeof note)) {
        assert_string_equal(note, "");
        return true;
    }
    assert_non_null(strstr(note, "gnuplot"));
    return false;
}

static void assert_is_picture(const char *svg)
{
    assert_non_null(svg);
    assert_memory_equal(svg, "<svg", 4);
    assert_non_null(strstr(svg, "</svg>"));
}

TEST_WITH(each_picture_lies_beside_its_script_and_data, start, end)
{
    if (!have_gnuplot())
        skip();
    add_violation();
    add_peace();
    struct error error = {""};
    if (plots_write(&test.digest, result, true, &error) != 0)
        fail_msg("%s", error.text);
    for (size_t i = 0; i < NAMES; i++) {
        assert_true(exists(names[i], "dat"));
        assert_true(exists(names[i], "gp"));
        assert_true(exists(names[i], "svg"));
    }
    assert_is_picture(result->throughput);
    assert_is_picture(result->latency);
    assert_is_picture(result->timeline);
    assert_true(result->has_operations && result->has_slices);
    assert_non_null(strstr(result->timeline, "stale-holder: both hold for 80 ms"));
}

TEST_WITH(a_label_with_any_character_is_drawn_as_it_is, start, end)
{
    if (!have_gnuplot())
        skip();
    add_violation();
    test.scenario.name = "it's_\"quoted\" `id` {x} $HOME @y %d \\n \\";
    assert_int_equal(plots_write(&test.digest, result, true, NULL), 0);
    assert_non_null(
        strstr(result->throughput, "it's_\"quoted\" `id` {x} $HOME @y %d \\n \\, redis_set-px"));
    assert_non_null(strstr(result->timeline, "at 'a_b' \"c\" `d` {e} $f \\ (at 6 ms, for 494 ms)"));
}

TEST_WITH(a_trial_without_any_event_still_has_pictures, start, end)
{
    if (!have_gnuplot())
        skip();
    test.digest.ended_ns = test.digest.started_ns;
    struct error error = {""};
    if (plots_write(&test.digest, result, true, &error) != 0)
        fail_msg("%s", error.text);
    assert_is_picture(result->timeline);
}

TEST_WITH(without_gnuplot_scripts_and_data_are_there, start, end)
{
    add_violation();
    add_peace();
    assert_int_equal(plots_write(&test.digest, result, false, NULL), 0);
    for (size_t i = 0; i < NAMES; i++) {
        assert_true(exists(names[i], "dat"));
        assert_true(exists(names[i], "gp"));
        assert_false(exists(names[i], "svg"));
    }
    assert_null(result->timeline);
    assert_null(result->throughput);
    assert_null(result->latency);
    assert_false(result->has_operations || result->has_slices);
}

TEST_WITH(a_few_acquires_have_no_plot_of_latency, start, end)
{
    add_violation();
    struct error error = {""};
    if (plots_write(&test.digest, result, have_gnuplot(), &error) != 0)
        fail_msg("%s", error.text);
    assert_false(exists("latency", "dat"));
    assert_false(exists("latency", "gp"));
    assert_false(exists("latency", "svg"));
    assert_false(exists("latency-over-time", "gp"));
    assert_true(exists("throughput", "gp"));
    assert_true(exists("operations", "gp"));
    assert_null(result->latency);
}

static void draw(const struct picture_kind *kind)
{
    picture_free(&picture);
    assert_true(picture_write(
        kind, &(struct picture_subject){.digest = &test.digest, .judgement = &result->judgement},
        &picture));
}

static bool says(const char *words)
{
    return strstr(text_string(&picture.data), words) != NULL ||
           strstr(text_string(&picture.values), words) != NULL ||
           strstr(text_string(&picture.notes), words) != NULL;
}

TEST_WITH(a_killed_holder_is_marked_and_still_has_the_lock, start, end)
{
    struct event death = {.kind = EVENT_PROCESS_DEATH,
                          .client = 1,
                          .at_ns = AT(22),
                          .process_death = {.pid = 77, .signal = 9, .killed_ns = AT(20)}};
    struct history history = {.events = &death, .count = 1};
    test.digest.history = &history;
    struct hold *hold = test_hold(&test, 1, 0, 10, 20);
    hold->died = true;
    hold->died_ns = AT(22);
    hold->release_invoked = false;
    test_hold(&test, 2, 0, 320, 400);
    draw(&timeline_picture);
    assert_true(says("# deaths: row at\n1 20\n"));
    assert_true(says("# dead: row from to\n1 20 320\n"));
    assert_true(says("\"killed\""));
    assert_true(says("\"held by the dead client\""));
    death.process_death.signal = 0; // it ended by itself
    draw(&timeline_picture);
    assert_false(says("killed"));
}

TEST_WITH(a_short_hold_is_drawn_wide_enough_to_be_seen, start, end)
{
    test_hold(&test, 1, 0, 10, 10)->released_ns += 1000;
    test_hold(&test, 2, 0, 900, 990);
    draw(&timeline_picture);
    assert_true(says("Holds shorter than 2."));
    test.holds[0].released_ns = AT(100);
    draw(&timeline_picture);
    assert_false(says("Holds shorter than"));
}

TEST_WITH(a_tiny_violation_has_a_second_panel_with_an_axis_of_its_own, start, end)
{
    test_hold(&test, 1, 0, 1, 900);
    test_hold(&test, 2, 0, 500, 501);
    test_find(result, &test_stale_holder, false)->evidence =
        (struct evidence){{0, 1}, {SIZE_MAX, SIZE_MAX}, AT(500), AT(501)};
    draw(&timeline_picture);
    assert_true(says("enlarged = 1\n"));
    assert_true(says("plus2 = '+'"));
    assert_true(says("ms, counted from 0.499 s after the trial began"));
    if (have_gnuplot())
        assert_int_equal(plots_write(&test.digest, result, true, NULL), 0);
}

TEST_WITH(workers_that_are_not_shown_are_counted, start, end)
{
    test.scenario.clients.processes = 8;
    add_violation();
    draw(&timeline_picture);
    assert_true(says("2 of 8 workers shown: the others did nothing in this time."));
}

static size_t bins_of(size_t holds)
{
    struct hold many[200];
    for (size_t i = 0; i < holds; i++)
        many[i] = (struct hold){.granted_ns = AT(1000 * (int64_t)i / (int64_t)holds)};
    test.digest.holds = many;
    test.digest.hold_count = holds;
    draw(&throughput_picture);
    const char *bins = strstr(text_string(&picture.data), "# bins:");
    size_t lines = 0;
    for (; *bins != '\0' && strncmp(bins, "\n\n", 2) != 0; bins++)
        lines += *bins == '\n';
    return lines;
}

TEST_WITH(bins_of_throughput_have_some_holds_each, start, end)
{
    assert_in_range(bins_of(1), 4, 6);
    assert_in_range(bins_of(20), 4, 6);
    assert_in_range(bins_of(200), 26, 40);
}

TEST_WITH(a_missing_gnuplot_is_told_and_no_error_of_the_plots, start, end)
{
    add_violation();
    char *path = memory_string(getenv("PATH"));
    setenv("PATH", "/nonexistent", 1);
    char note[200];
    bool available = plots_available(note, sizeof note);
    int written = plots_write(&test.digest, result, true, NULL);
    setenv("PATH", path, 1);
    free(path);
    assert_false(available);
    assert_non_null(strstr(note, "gnuplot-nox"));
    assert_int_equal(written, 0);
    assert_null(result->timeline);
}

TEST_WITH(a_folder_that_is_not_there_is_named, start, end)
{
    result->folder = "/nonexistent/trial";
    struct error error = {""};
    assert_int_equal(plots_write(&test.digest, result, true, &error), -1);
    assert_non_null(strstr(error.text, "/nonexistent/trial/timeline.dat"));
}

TEST_WITH(what_gnuplot_complains_of_is_in_the_error, start, end)
{
    if (!have_gnuplot())
        skip();
    char *path = path_of("latency", "gp");
    assert_int_equal(file_write(path, "plott 1\n", 8, NULL), 0);
    free(path);
    const char *const scripts[] = {"latency.gp", NULL};
    struct error error = {""};
    bool missing = true;
    assert_int_equal(gnuplot_run(folder, scripts, &missing, &error), -1);
    assert_false(missing);
    assert_non_null(strstr(error.text, "latency.gp"));
    assert_non_null(strstr(error.text, "exit status"));
    assert_int_equal(gnuplot_run("/nonexistent", scripts, &missing, &error), -1);
    assert_non_null(strstr(error.text, "/nonexistent"));
}

TEST_WITH(labels_at_one_time_do_not_cover_each_other, start, end)
{
    struct trial_time time;
    trial_time_start(&time, &picture, &test.digest, 100, AT(0), AT(1000), "");
    for (int i = 0; i < 3; i++)
        trial_label(&time, AT(500), COLOUR_DARK, "label %d", i);
    trial_label(&time, AT(100), COLOUR_DARK, "far away");
    assert_int_equal(time.label_count, 4);
    assert_int_equal(time.labels[0].lane, 0);
    assert_int_equal(time.labels[1].lane, 1);
    assert_int_equal(time.labels[2].lane, 2);
    assert_int_equal(time.labels[3].lane, 0);
}
