// The timeline of a trial as it is drawn, of a schedule, and of very many holds; what else it
// shows: cases/timeline.events.
#include "harness/report/pictures/test_svg.h"
#include "harness/report/test_run.h"

static struct test_run test;
static struct trial_result *result;
static struct picture picture;

static int start(void **state)
{
    (void)state;
    test_run_start(&test);
    result = test_add(&test, "redis-setnx", VERDICT_UNSAFE, EXPECTATION_MET);
    test_model(&test);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    picture_free(&picture);
    return 0;
}

static void find(const struct check *check, size_t write, int64_t from_ms, int64_t to_ms)
{
    result->judgement.finding_count = 0;
    test_find(result, check, false)->evidence =
        (struct evidence){{0, 1}, {write, SIZE_MAX}, AT(from_ms), AT(to_ms)};
}

static void add_access(size_t hold, bool is_write, int64_t at_ms, int64_t value)
{
    size_t index = test.model.access_count++;
    test.accesses[index] = (struct access){.is_write = is_write,
                                           .invoked_ns = AT(at_ms),
                                           .returned_ns = AT(at_ms),
                                           .value = value,
                                           .hold = hold};
    if (test.holds[hold].access_count++ == 0)
        test.holds[hold].first_access = index;
}

#define DRAWN(...)                                                                                 \
    do {                                                                                           \
        picture_free(&picture);                                                                    \
        assert_true(picture_write(                                                                 \
            &timeline_picture,                                                                     \
            &(struct picture_subject){.model = &test.model, .judgement = &result->judgement},      \
            &picture));                                                                            \
        PICTURE_SAYS(&picture, __VA_ARGS__);                                                       \
    } while (0)

TEST_WITH(a_tiny_violation_has_a_second_panel_with_an_axis_of_its_own, start, stop)
{
    test_hold(&test, 1, 0, 1, 900);
    test_hold(&test, 2, 0, 500, 501);
    find(&test_stale_holder, SIZE_MAX, 500, 501);
    DRAWN("enlarged = 1\n", "from_2 = 499*", "to_2 = 502*");
    if (svg_has_gnuplot()) {
        AUTO_FREE char *svg = svg_draw(&timeline_picture, &picture);
        assert_non_null(strstr(svg, "ms, counted from 0.499 s after the trial began"));
        assert_non_null(strstr(svg, ">+1.5<"));
        assert_non_null(strstr(svg, "The violation, enlarged"));
    }
    test.holds[1].released_ns = AT(600);
    find(&test_stale_holder, SIZE_MAX, 500, 600);
    DRAWN("enlarged = 0\n", "!from_2");
}

TEST_WITH(what_a_schedule_did_stands_at_its_steps, start, stop)
{
    static const struct move moves[] = {{.client = 1}, {.client = 1}};
    static const int64_t began_ns[] = {AT(0), AT(10), AT(110)};
    const struct picture_steps steps = {moves, 2, "client-1 SET\nclient-1 DEL\n", began_ns};
    const struct picture_subject subject = {
        .model = &test.model, .judgement = &result->judgement, .steps = &steps};
    test_hold(&test, 1, 5, 60, 110);
    test_hold(&test, 2, 200, 900, 901); // after the last step
    assert_true(picture_write(&timeline_picture, &subject, &picture));
    PICTURE_SAYS(&picture, "Step by step", "from_1 = 0*", "to_1 = 3*", "\n1 0.5 1.5 \"waits\" 0\n",
                 "\n1 1.5 2 \"holds\" 0\n", "# places: at line\n1 \"1\"\n2 \"2\"\n",
                 "1 client-1 SET · 2 client-1 DEL", "!client-2");
}

TEST_WITH(crowds_of_holds_are_joined, start, stop)
{
    enum { HOLDS = 20000 };
    struct hold *holds = memory_zeroed(HOLDS, sizeof *holds);
    for (int i = 0; i < HOLDS; i++)
        holds[i] = (struct hold){.client = 1 + i % 2,
                                 .worker = 1,
                                 .invoked_ns = TEST_START + i * 1000,
                                 .granted_ns = TEST_START + i * 1000,
                                 .released_ns = TEST_START + i * 1000 + 900,
                                 .valid_until_ns = TIME_NEVER,
                                 .release_invoked = true};
    test.model.holds = holds;
    test.model.hold_count = HOLDS;
    test_find(result, &test_stuck, false)->evidence = (struct evidence){
        {SIZE_MAX, SIZE_MAX}, {SIZE_MAX, SIZE_MAX}, TEST_START, TEST_START + HOLDS * INT64_C(1000)};
    DRAWN("Holds of one worker that are less than", "stuck: nobody is granted the lock for 20 ms");
    assert_true(picture.data.length < 4000);
    free(holds);
}

TEST_WITH(the_values_of_the_evidence_are_drawn_in_both_panels, start, stop)
{
    test_hold(&test, 1, 0, 5, 600);
    test_hold(&test, 2, 10, 320, 400);
    add_access(0, false, 50, 41);
    add_access(0, true, 500, 42);
    add_access(1, false, 330, 41);
    add_access(1, true, 331, 42);
    find(&test_stale_holder, SIZE_MAX, 320, 400);
    DRAWN("# marks: ");
    if (!svg_has_gnuplot())
        skip();
    AUTO_FREE char *svg = svg_draw(&timeline_picture, &picture);
    static const char *const words[] = {">reads 41<", ">writes 42<"};
    for (size_t i = 0; i < 2; i++) {
        const char *first = strstr(svg, words[i]);
        assert_non_null(first);
        assert_non_null(strstr(first + 1, words[i]));
    }
}
