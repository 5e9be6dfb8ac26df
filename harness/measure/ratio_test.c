#include "harness/measure/ratio.h"

#include "harness/base/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define COMPARE(base, other, in_turns)                                                             \
    ratio_make(base, COUNT(base), other, COUNT(other), in_turns, 0.05, 1)

static void clear_differences_are_told(void **state)
{
    (void)state;
    const double slow[] = {100, 101, 99, 100, 102};
    const double fast[] = {150, 149, 152, 150, 151};
    struct ratio ratio = COMPARE(slow, fast, false);
    assert_int_equal(ratio.change, CHANGE_MORE);
    assert_true(ratio.low > 1.45 && ratio.ratio > ratio.low && ratio.ratio < ratio.high &&
                ratio.high < 1.55);
    assert_int_equal(COMPARE(fast, slow, false).change, CHANGE_LESS);
    assert_string_equal(change_name(CHANGE_MORE, true), "faster");
    assert_string_equal(change_name(CHANGE_MORE, false), "slower");
}

static void a_difference_that_does_not_matter_is_no_change(void **state)
{
    (void)state;
    const double before[] = {1000, 1001, 999, 1000, 1000};
    const double after[] = {1010, 1011, 1010, 1009, 1010};
    assert_int_equal(COMPARE(before, after, false).change, CHANGE_NONE);
}

static void noise_is_not_taken_for_a_change(void **state)
{
    (void)state;
    const double before[] = {50, 150, 90, 120, 70};
    const double after[] = {60, 140, 130, 60, 110};
    assert_int_equal(COMPARE(before, after, false).change, CHANGE_NOISE);
}

// The machine got slower and slower, and both with it.
static void what_slowed_both_is_no_difference(void **state)
{
    (void)state;
    const double before[] = {100, 80, 60, 40, 20};
    const double after[] = {120, 96, 72, 48, 24};
    assert_int_equal(COMPARE(before, after, false).change, CHANGE_NOISE);
    struct ratio ratio = COMPARE(before, after, true);
    assert_int_equal(ratio.change, CHANGE_MORE);
    assert_true(fabs(ratio.ratio - 1.2) < 1e-9);
}

static void without_a_baseline_nothing_is_said(void **state)
{
    (void)state;
    const double two[] = {100, 100};
    const double three[] = {100, 100, 100};
    const double zero[] = {100, 0, 100};
    const double broken[] = {100, NAN, 100};
    assert_int_equal(ratio_make(NULL, 0, three, 3, false, 0.05, 1).change, CHANGE_UNKNOWN);
    assert_int_equal(COMPARE(two, three, false).change, CHANGE_UNKNOWN);
    assert_int_equal(COMPARE(three, zero, false).change, CHANGE_UNKNOWN);
    assert_int_equal(COMPARE(broken, three, false).change, CHANGE_UNKNOWN);
    assert_int_equal(COMPARE(three, three, false).change, CHANGE_NONE);
    assert_string_equal(change_name(CHANGE_UNKNOWN, true), "inconclusive");
}

static double draw_figure(struct random *random)
{
    // The sum of twelve even draws is nearly normal (Irwin-Hall), of deviation 1.
    double sum = 0;
    for (int i = 0; i < 12; i++)
        sum += (double)random_below(random, 1000000) / 1e6;
    return 100 + (sum - 6) * 10;
}

// Of things that are equal, few are called different: 2.5 % to each side would be right for many
// repeats, and twelve make a bit more.
static void equal_things_are_seldom_called_different(void **state)
{
    (void)state;
    enum { TRIES = 200, REPEATS = 12 };
    struct random random;
    random_start(&random, 5, 0);
    int different = 0;
    for (int i = 0; i < TRIES; i++) {
        double figures[2][REPEATS];
        for (int j = 0; j < REPEATS; j++) {
            figures[0][j] = draw_figure(&random);
            figures[1][j] = draw_figure(&random);
        }
        struct ratio ratio =
            ratio_make(figures[0], REPEATS, figures[1], REPEATS, false, 0, (uint64_t)i);
        different += ratio.change == CHANGE_MORE || ratio.change == CHANGE_LESS;
    }
    assert_in_range(different, 2, TRIES / 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clear_differences_are_told),
        cmocka_unit_test(a_difference_that_does_not_matter_is_no_change),
        cmocka_unit_test(noise_is_not_taken_for_a_change),
        cmocka_unit_test(what_slowed_both_is_no_difference),
        cmocka_unit_test(without_a_baseline_nothing_is_said),
        cmocka_unit_test(equal_things_are_seldom_called_different),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
