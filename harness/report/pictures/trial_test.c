// The pictures of a trial: their data, and their files.
#include "harness/base/file.h"
#include "harness/base/scope.h"
#include "harness/report/pictures/picture.h"
#include "harness/report/pictures/test_svg.h"
#include "harness/report/test_run.h"

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
    test_model(&test);
    strcpy(folder, "/tmp/lockpick-plots-XXXXXX");
    assert_non_null(mkdtemp(folder));
    result->folder = folder;
    return 0;
}

static int stop(void **state)
{
    (void)state;
    folder_remove(folder, NULL);
    picture_free(&picture);
    plots_free(result);
    return 0;
}

static bool draw(const struct picture_kind *kind)
{
    picture_free(&picture);
    return picture_write(
        kind, &(struct picture_subject){.model = &test.model, .judgement = &result->judgement},
        &picture);
}

#define DRAWN(kind, ...)                                                                           \
    do {                                                                                           \
        assert_true(draw(&(kind)));                                                                \
        PICTURE_SAYS(&picture, __VA_ARGS__);                                                       \
    } while (0)

static void add_pause(int64_t from, int64_t to)
{
    test.instances[0] =
        (struct fault_instance){.number = 1,
                                .verb = "pause",
                                .target = {.client = 1},
                                .bound_ns = NS_PER_S,
                                .text = "pause client-1 at 'a_b' \"c\" `d` {e} $f \\"};
    test.faults[0] = (struct fault_record){.instance = &test.instances[0],
                                           .asked_ns = AT(from),
                                           .in_effect_ns = AT(from),
                                           .healed_ns = AT(to)};
    test.model.fault_count = 1;
}

static void add_holds(int count)
{
    for (int i = 0; i < count; i++)
        test_hold(&test, 1, 10 * i, 10 * i + 5, 10 * i + 6);
}

// --- data ----------------------------------------------------------------------------------------

static size_t lines_of(const char *block)
{
    size_t lines = 0;
    const char *at = strstr(text_string(&picture.data), block);
    for (; at != NULL && *at != '\0' && strncmp(at, "\n\n", 2) != 0; at++)
        lines += *at == '\n';
    return lines;
}

// Of many holds each takes 1 ms, but for one that takes 900; and some acquires fail.
TEST_WITH(of_very_many_those_are_drawn_that_hide_no_other, start, stop)
{
    enum { MANY = 20000, FAILED = 2000 };
    struct hold *holds = memory_zeroed(MANY, sizeof *holds);
    struct hold *attempts = memory_zeroed(FAILED, sizeof *attempts);
    for (int i = 0; i < MANY; i++) {
        int64_t asked_ns = TEST_START + i * INT64_C(5000);
        holds[i] = (struct hold){.invoked_ns = asked_ns,
                                 .granted_ns = asked_ns + NS_PER_MS,
                                 .released_ns = asked_ns + 2 * NS_PER_MS,
                                 .returned_ns = asked_ns + 3 * NS_PER_MS,
                                 .release_invoked = true,
                                 .died_ns = TIME_NEVER};
    }
    holds[4711].granted_ns += 899 * NS_PER_MS;
    for (int i = 0; i < FAILED; i++)
        attempts[i] = (struct hold){.invoked_ns = AT(i / 10),
                                    .returned_ns = AT(i / 10 + 5),
                                    .outcome = OUTCOME_NO,
                                    .died_ns = TIME_NEVER};
    test.model.holds = holds;
    test.model.hold_count = MANY;
    test.model.attempts = attempts;
    test.model.attempt_count = FAILED;
    DRAWN(operations_picture, "23.555 900000000 \"granted\"\n", "\"granted\" 20000\n",
          "\"not-granted\" 2000\n", "drawn once");
    free(holds);
    free(attempts);
    assert_in_range(lines_of("# operations:"), 100, 500);
}

TEST_WITH(bins_of_throughput_have_some_holds_each, start, stop)
{
    static const size_t cases[][3] = {{1, 4, 6}, {20, 4, 6}, {200, 26, 40}};
    for (size_t i = 0; i < 3; i++) {
        struct hold many[200];
        for (size_t j = 0; j < cases[i][0]; j++)
            many[j] = (struct hold){.granted_ns = AT(1000 * (int64_t)j / (int64_t)cases[i][0])};
        test.model.holds = many;
        test.model.hold_count = cases[i][0];
        DRAWN(throughput_picture, "all operations done");
        assert_in_range(lines_of("# bins:"), cases[i][1], cases[i][2]);
    }
}

// Faults of the same time.
TEST_WITH(labels_at_one_time_do_not_cover_each_other, start, stop)
{
    enum { FAULTS = 4 };
    struct fault_record faults[FAULTS];
    struct fault_instance instances[FAULTS];
    add_pause(400, 600);
    for (int i = 0; i < FAULTS; i++) {
        instances[i] = test.instances[0];
        instances[i].number = i + 1;
        instances[i].target = (struct target){.client = i};
        strcpy(instances[i].target.server, i == 0 ? "server-1" : "");
        faults[i] = test.faults[0];
        faults[i].instance = &instances[i];
    }
    test.model.faults = faults;
    test.model.fault_count = FAULTS;
    DRAWN(throughput_picture, "400 600 \"brown\" \"fault 2: pause client-1\"",
          "400 600 \"brown\" \"fault 3: pause client-2\"");
    svg_assert_legible(&throughput_picture, &picture, 10);
}

// --- files ---------------------------------------------------------------------------------------

static bool exists(const char *name, const char *ending)
{
    AUTO_TEXT struct text path = {0};
    text_format(&path, "%s/%s.%s", folder, name, ending);
    bool there = access(path.bytes, R_OK) == 0;
    return there;
}

static bool have_gnuplot(void)
{
    char note[200];
    bool there = plots_available(note, sizeof note);
    assert_true(there ? note[0] == '\0' : strstr(note, "gnuplot") != NULL);
    return there;
}

// Two holds that overlap from 320 to 400 ms, under a pause; then enough for percentiles.
static void add_violation(void)
{
    add_pause(6, 500);
    test_hold(&test, 1, 0, 5, 600);
    test_hold(&test, 2, 10, 320, 400);
    test.accesses[0] = (struct access){.returned_ns = AT(330), .hold = 1};
    test.model.access_count = 1;
    test_find(result, &test_stale_holder, false)->evidence =
        (struct evidence){{0, 1}, {SIZE_MAX, SIZE_MAX}, AT(320), AT(400)};
}

TEST_WITH(each_picture_lies_beside_its_script_and_data, start, stop)
{
    add_violation();
    add_holds(LEAST_FOR_PERCENTILES);
    test.scenario.name = "it's_\"quoted\" `id` {x} $HOME @y %d \\n \\";
    struct error error = {""};
    for (int drawn = 0; drawn <= (have_gnuplot() ? 1 : 0); drawn++) {
        plots_free(result);
        if (plots_write(&test.model, result, PICTURE_ALL, &error) != 0 ||
            (drawn && plots_draw_all(result, 1, &error) != 0))
            fail_msg("%s", error.text);
        for (size_t i = 0; i < NAMES; i++) {
            assert_true(exists(names[i], "dat"));
            assert_true(exists(names[i], "gp"));
            assert_int_equal(exists(names[i], "svg"), drawn);
        }
        assert_int_equal(result->plots[PICTURE_OPERATIONS].is_drawn &&
                             result->plots[PICTURE_SLICES].is_drawn,
                         drawn);
        for (enum trial_picture i = 0; i < PICTURES_OF_PAGE; i++) {
            const char *svg = result->plots[i].svg;
            assert_int_equal(svg != NULL, drawn);
            if (drawn) {
                assert_memory_equal(svg, "<svg", 4);
                assert_non_null(strstr(svg, "</svg>"));
                assert_non_null(strstr(svg, "it's_\"quoted\" `id` {x} $HOME @y %d \\n \\"));
            }
        }
    }
    if (result->plots[PICTURE_TIMELINE].svg == NULL)
        return;
    assert_non_null(
        strstr(result->plots[PICTURE_TIMELINE].svg, "stale-holder: both hold for 80 ms"));
    assert_non_null(strstr(result->plots[PICTURE_TIMELINE].svg,
                           "at 'a_b' \"c\" `d` {e} $f \\ (at 6 ms, for 494 ms)"));
}

// A word that is longer than any line has a line of its own, and is not looked at for ever.
TEST_WITH(a_long_text_is_broken_between_words, start, stop)
{
    char longest[1000];
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    if (!have_gnuplot())
        skip();
    add_violation();
    assert_true(draw(&timeline_picture));
    for (int i = 0; i < 40; i++)
        text_format(&picture.cause, " µword%d", i);
    svg_assert_legible(&timeline_picture, &picture, 10);
    text_format(&picture.notes, "\n%s and more", longest);
    AUTO_FREE char *svg = svg_draw(&timeline_picture, &picture);
    assert_non_null(strstr(svg, ">and more"));
}

TEST_WITH(a_trial_without_any_event_still_has_pictures, start, stop)
{
    test.model.ended_ns = test.model.started_ns;
    struct error error = {""};
    if (plots_write(&test.model, result, PICTURE_ALL, &error) != 0 ||
        plots_draw_all(result, 1, &error) != 0)
        fail_msg("%s", error.text);
    assert_int_equal(result->plots[PICTURE_TIMELINE].svg != NULL, have_gnuplot());
}

TEST_WITH(a_few_acquires_have_no_plot_of_latency, start, stop)
{
    add_holds(LEAST_FOR_PERCENTILES - 1);
    assert_int_equal(plots_write(&test.model, result, PICTURE_ALL, NULL), 0);
    assert_int_equal(plots_draw_all(result, 1, NULL), 0);
    for (size_t i = 0; i < NAMES; i++)
        assert_int_equal(exists(names[i], "gp"), strncmp(names[i], "latency", 7) != 0);
    assert_null(result->plots[PICTURE_LATENCY].svg);
}

TEST_WITH(a_missing_gnuplot_is_told_and_no_error_of_the_plots, start, stop)
{
    add_violation();
    AUTO_FREE char *path = memory_string(getenv("PATH"));
    setenv("PATH", "/nonexistent", 1);
    char note[200];
    bool available = plots_available(note, sizeof note);
    assert_int_equal(plots_write(&test.model, result, PICTURE_ALL, NULL), 0);
    int drawn = plots_draw_all(result, 1, NULL);
    setenv("PATH", path, 1);
    assert_false(available);
    assert_non_null(strstr(note, "gnuplot-nox"));
    assert_int_equal(drawn, 0);
    assert_null(result->plots[PICTURE_TIMELINE].svg);
}

TEST_WITH(what_goes_wrong_names_where, start, stop)
{
    struct error error = {""};
    result->folder = "/dev/null/trial";
    MUST_FAIL(-1, plots_write(&test.model, result, PICTURE_ALL, &error),
              "cannot make folder /dev/null");
    if (!have_gnuplot())
        skip();
    struct plot bad = {.kind = &latency_picture, .folder = folder};
    struct plot *plot = &bad;
    bool missing = true;
    AUTO_FREE char *path = path_join(folder, "latency.gp");
    assert_int_equal(file_write(path, "plott 1\n", 8, &error), 0);
    assert_int_equal(gnuplot_run(&plot, 1, &missing, &error), -1);
    assert_false(missing);
    assert_non_null(strstr(error.text, "latency.gp"));
    assert_non_null(strstr(error.text, "exit status"));
    bad.folder = (char[]){"/nonexistent"};
    MUST_FAIL(-1, gnuplot_run(&plot, 1, &missing, &error), "/nonexistent");
}
