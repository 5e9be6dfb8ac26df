#include "harness/report/chart_grid.h"
#include "harness/report/test_costs.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static struct chart chart;
static struct drawing drawing;

static int start(void **state)
{
    (void)state;
    chart_start(&chart, &drawing, "test", 800);
    return 0;
}

static int end(void **state)
{
    (void)state;
    chart_finish(&chart);
    drawing_free(&drawing);
    return 0;
}

static const char *body(void)
{
    return text_string(&chart.body);
}

// --- axes ----------------------------------------------------------------------------------------

static struct chart_axis axis_of(enum chart_scale scale, enum chart_unit unit, double low,
                                 double high)
{
    struct chart_axis axis = {.scale = scale, .unit = unit};
    chart_axis_widen(&axis, low);
    chart_axis_widen(&axis, high);
    chart_axis_round(&axis);
    return axis;
}

static void an_axis_ends_at_round_numbers(void **state)
{
    (void)state;
    static const struct {
        enum chart_scale scale;
        double low, high, from, to;
    } cases[] = {
        {CHART_LOGARITHMIC, 130, 87000, 100, 100000},
        {CHART_LOGARITHMIC, 200, 5000, 200, 5000},
        {CHART_LOGARITHMIC, 3e6, 3.1e6, 2e6, 1e7},
        {CHART_LINEAR, 0, 7.7, 0, 8},
        {CHART_LINEAR, 0, 1, 0, 1},
        {CHART_LINEAR, 3, 3, 3, 6},
        {CHART_NINES, 1, 4, 1, 10},
        {CHART_NINES, 1, 356, 1, 356},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct chart_axis axis = axis_of(cases[i].scale, CHART_NUMBER, cases[i].low, cases[i].high);
        if (fabs(axis.low - cases[i].from) > 1e-6 * cases[i].from ||
            fabs(axis.high - cases[i].to) > 1e-6 * cases[i].to)
            fail_msg("%g to %g became %g to %g", cases[i].low, cases[i].high, axis.low, axis.high);
    }
}

static void an_axis_of_nothing_has_a_range_all_the_same(void **state)
{
    (void)state;
    for (enum chart_scale scale = CHART_LINEAR; scale <= CHART_NINES; scale++) {
        struct chart_axis axis = axis_of(scale, CHART_NUMBER, NAN, INFINITY);
        assert_true(axis.low < axis.high);
    }
    struct chart_axis axis = axis_of(CHART_LOGARITHMIC, CHART_NUMBER, 0, -4);
    assert_true(axis.low > 0 && axis.low < axis.high);
}

static void numbers_have_units_in_words(void **state)
{
    (void)state;
    static const struct {
        enum chart_scale scale;
        enum chart_unit unit;
        double value;
        const char *text;
    } cases[] = {
        {CHART_LOGARITHMIC, CHART_NANOSECONDS, 200, "200 ns"},
        {CHART_LOGARITHMIC, CHART_NANOSECONDS, 1e3, "1 µs"},
        {CHART_LOGARITHMIC, CHART_NANOSECONDS, 5e8, "500 ms"},
        {CHART_LOGARITHMIC, CHART_NANOSECONDS, 2e12, "2,000 s"},
        {CHART_LOGARITHMIC, CHART_PER_SECOND, 1000, "1,000/s"},
        {CHART_LINEAR, CHART_NUMBER, 0.25, "0.25"},
        {CHART_NINES, CHART_NUMBER, 1, "0"},
        {CHART_NINES, CHART_NUMBER, 2, "50"},
        {CHART_NINES, CHART_NUMBER, 10000, "99.99"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct chart_axis axis = {.scale = cases[i].scale, .unit = cases[i].unit};
        char number[32];
        assert_string_equal(chart_axis_number(&axis, cases[i].value, number, sizeof number),
                            cases[i].text);
    }
}

static void numbers_of_a_small_axis_do_not_touch(void **state)
{
    (void)state;
    struct chart_axis axis = axis_of(CHART_LOGARITHMIC, CHART_NANOSECONDS, 1, 1e12);
    struct text script = {0};
    chart_axis_script(&axis, "x", 300, &script);
    // Twelve decades have room for but a few.
    assert_non_null(
        strstr(text_string(&script), "('1 ns' 1, '1 µs' 1000, '1 ms' 1000000, '1 s' 1e+09, "));
    text_free(&script);
    chart_axis_script(&axis, "y", 60, &script);
    assert_non_null(strstr(text_string(&script), "('1 ns' 1, '100 µs' 100000, '10 s' 1e+10)"));
    text_free(&script);
}

static void nines_are_regular_and_a_zero_is_not_negative(void **state)
{
    (void)state;
    struct chart_axis nines = axis_of(CHART_NINES, CHART_NUMBER, 1, 100);
    struct chart_axis linear = axis_of(CHART_LINEAR, CHART_NUMBER, 0, 7.7);
    struct text script = {0};
    chart_axis_script(&nines, "x", 500, &script);
    assert_non_null(strstr(text_string(&script), "('0' 1, '90' 10, '99' 100, '50' 2)"));
    chart_axis_script(&linear, "x", 300, &script);
    assert_non_null(strstr(text_string(&script), "'0' 0"));
    assert_null(strstr(text_string(&script), "-0"));
    text_free(&script);
}

static void own_numbers_win_over_the_usual_ones(void **state)
{
    (void)state;
    struct chart_axis axis = axis_of(CHART_LOGARITHMIC, CHART_NUMBER, 1, 8);
    chart_axis_add_tic(&axis, 3);
    chart_axis_add_tic(&axis, 7);
    chart_axis_add_tic(&axis, 3);
    struct text script = {0};
    chart_axis_script(&axis, "x", 300, &script);
    assert_non_null(strstr(text_string(&script), "('3' 3, '7' 7)"));
    text_free(&script);
}

// --- texts ---------------------------------------------------------------------------------------

static void texts_are_quoted_and_data_headings_are_one_line(void **state)
{
    (void)state;
    chart_text(&chart, 10, 10, CHART_LEFTWARD_FROM, 12, PLOT_DARK, "it's\n'here'");
    assert_non_null(strstr(body(), "set label 'it''s ''here''' at screen"));
    assert_int_equal(chart_data(&chart, "%s", "one\ntwo"), 0);
    assert_int_equal(chart_data(&chart, "three"), 1);
    assert_string_equal(text_string(&drawing.data), "# one two\n\n\n# three\n");
}

static void a_long_note_takes_as_many_lines_as_it_needs(void **state)
{
    (void)state;
    double before = chart.bottom;
    chart_note(&chart, "short");
    double line = chart.bottom - before;
    before = chart.bottom;
    struct text words = {0};
    for (int i = 0; i < 60; i++)
        text_add(&words, "µnine "); // 360 signs, of which a line has 106
    chart_note(&chart, "%s", text_string(&words));
    assert_true(fabs(chart.bottom - before - 4 * line) < 0.5);
    text_free(&words);
}

// --- groups --------------------------------------------------------------------------------------

static void groups_have_each_scheme_once_and_no_more_than_there_are_styles(void **state)
{
    (void)state;
    struct trial trials[TEST_SCHEMES];
    const struct trial *list[TEST_SCHEMES];
    bool seen[TEST_SCHEMES] = {false};
    struct chart_group *groups = NULL;
    for (size_t i = 0; i < TEST_SCHEMES; i++) {
        const char *const *traits = NULL;
        const char *scheme = test_scheme(i, &traits);
        trials[i] = (struct trial){.scheme = scheme, .traits = traits};
        list[i] = &trials[i];
    }
    size_t count = chart_groups_make(list, TEST_SCHEMES, &groups);
    for (size_t i = 0; i < count; i++) {
        assert_in_range(groups[i].count, 1, CHART_STYLES);
        for (size_t j = 0; j < groups[i].count; j++) {
            assert_false(seen[groups[i].members[j]]);
            seen[groups[i].members[j]] = true;
        }
    }
    for (size_t i = 0; i < TEST_SCHEMES; i++)
        assert_true(seen[i]);
    assert_string_equal(groups[0].title, "no server");
    assert_string_equal(groups[1].title, "Redis (1 of 3)");
    assert_int_equal(groups[1].count, 6);
    assert_int_equal(groups[3].count, 7);
    free(groups);
}

static void small_kinds_share_a_group_and_one_group_needs_no_title(void **state)
{
    (void)state;
    const struct trial trials[] = {{.scheme = "a", .traits = test_zookeeper},
                                   {.scheme = "b", .traits = test_redis},
                                   {.scheme = "c", .traits = test_etcd}};
    const struct trial *list[] = {&trials[0], &trials[1], &trials[2], &trials[0],
                                  &trials[0], &trials[0], &trials[0], &trials[0]};
    struct chart_group *groups = NULL;
    assert_int_equal(chart_groups_make(list, 3, &groups), 1);
    assert_string_equal(groups[0].title, "");
    assert_int_equal(groups[0].members[0], 1); // Redis comes first
    free(groups);
    assert_int_equal(chart_groups_make(list, 8, &groups), 2);
    assert_string_equal(groups[0].title, "Redis, etcd");
    assert_string_equal(groups[1].title, "ZooKeeper");
    free(groups);
}

static bool touch(struct chart_box a, struct chart_box b)
{
    return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

static void panels_of_a_grid_and_their_surroundings_do_not_touch(void **state)
{
    (void)state;
    const char *const names[] = {"redis-watchdog-unchecked"};
    for (size_t wide = 1; wide <= 2; wide++) {
        chart.width = 1100;
        struct chart_grid grid = chart_grid_make(&chart, 5, wide, 2, names, 1);
        struct chart_box boxes[20];
        size_t count = 0;
        for (size_t block = 0; block < 5; block++) {
            for (size_t i = 0; i < wide * 2; i++) {
                struct chart_box box = chart_grid_panel(&grid, block, i % wide, i / wide);
                assert_true(box.right - box.left > 150);
                box.left -= CHART_LEFT;
                box.top -= CHART_ABOVE;
                box.bottom += CHART_BELOW;
                box.right += i % wide + 1 == wide ? grid.legend - 1 : 0;
                assert_true(box.left >= 0 && box.right <= 1100);
                boxes[count++] = box;
            }
        }
        for (size_t i = 0; i < count; i++) {
            for (size_t j = i + 1; j < count; j++)
                assert_false(touch(boxes[i], boxes[j]));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_axis_ends_at_round_numbers),
        cmocka_unit_test(an_axis_of_nothing_has_a_range_all_the_same),
        cmocka_unit_test(numbers_have_units_in_words),
        cmocka_unit_test(numbers_of_a_small_axis_do_not_touch),
        cmocka_unit_test(nines_are_regular_and_a_zero_is_not_negative),
        cmocka_unit_test(own_numbers_win_over_the_usual_ones),
        cmocka_unit_test_setup_teardown(texts_are_quoted_and_data_headings_are_one_line, start,
                                        end),
        cmocka_unit_test_setup_teardown(a_long_note_takes_as_many_lines_as_it_needs, start, end),
        cmocka_unit_test(groups_have_each_scheme_once_and_no_more_than_there_are_styles),
        cmocka_unit_test(small_kinds_share_a_group_and_one_group_needs_no_title),
        cmocka_unit_test_setup_teardown(panels_of_a_grid_and_their_surroundings_do_not_touch, start,
                                        end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
