#include "harness/stats/ratio.h"

#include "harness/base/random.h"
#include "harness/testing/test.h"

#include <math.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define COMPARE(base, other, in_turns)                                                             \
    ratio_make(base, COUNT(base), other, COUNT(other), in_turns, 0.05, 1)

TEST(clear_differences_are_told)
{
    const double slow[] = {100, 101, 99, 100, 102};
    const double fast[] = {150, 149, 152, 150, 151};
    struct ratio ratio = COMPARE(slow, fast, false);
    assert_int_equal(ratio.change, CHANGE_MORE);
    assert_true(ratio.low > 1.45 && ratio.ratio > ratio.low && ratio.ratio < ratio.high &&
                ratio.high < 1.55);
    assert_int_equal(COMPARE(fast, slow, false).change, CHANGE_LESS);
}

TEST(a_difference_that_does_not_matter_is_no_change)
{
    const double before[] = {1000, 1001, 999, 1000, 1000};
    const double after[] = {1010, 1011, 1010, 1009, 1010};
    assert_int_equal(COMPARE(before, after, false).change, CHANGE_NONE);
}

TEST(noise_is_not_taken_for_a_change)
{
    const double before[] = {50, 150, 90, 120, 70};
    const double after[] = {60, 140, 130, 60, 110};
    assert_int_equal(COMPARE(before, after, false).change, CHANGE_NOISE);
}

// The machine got slower and slower, and both with it.
TEST(what_slowed_both_is_no_difference)
{
    const double before[] = {100, 80, 60, 40, 20};
    const double after[] = {120, 96, 72, 48, 24};
    assert_int_equal(COMPARE(before, after, false).change, CHANGE_NOISE);
    struct ratio ratio = COMPARE(before, after, true);
    assert_int_equal(ratio.change, CHANGE_MORE);
    assert_true(fabs(ratio.ratio - 1.2) < 1e-9);
}

TEST(without_a_baseline_nothing_is_said)
{
    const double two[] = {100, 100};
    const double three[] = {100, 100, 100};
    const double zero[] = {0, 0, 0};
    const double huge[] = {1e308, 1e308, 1e308};
    const double broken[] = {100, NAN, 100};
    assert_int_equal(ratio_make(NULL, 0, three, 3, false, 0.05, 1).change, CHANGE_UNKNOWN);
    assert_int_equal(COMPARE(two, three, false).change, CHANGE_UNKNOWN);
    assert_int_equal(COMPARE(zero, three, false).change, CHANGE_UNKNOWN);
    assert_int_equal(COMPARE(zero, zero, false).change, CHANGE_UNKNOWN);
    assert_int_equal(COMPARE(broken, three, false).change, CHANGE_UNKNOWN);
    assert_int_equal(COMPARE(three, huge, false).change, CHANGE_UNKNOWN);
    assert_int_equal(COMPARE(three, three, false).change, CHANGE_NONE);
}

static double draw_figure(struct random *random)
{
    // The sum of twelve even draws is nearly normal (Irwin-Hall), of deviation 1.
    double sum = 0;
    for (int i = 0; i < 12; i++)
        sum += (double)random_below(random, 1000000) / 1e6;
    return 100 + (sum - 6) * 10;
}

// How many of three hundred comparisons of things that are equal call them different.
static int differences(size_t repeats, bool in_turns)
{
    enum { TRIES = 300, MOST = 12 };
    struct random random;
    random_start(&random, 5, 0);
    int different = 0;
    for (int i = 0; i < TRIES; i++) {
        double figures[2][MOST];
        for (size_t j = 0; j < repeats; j++) {
            figures[0][j] = draw_figure(&random);
            figures[1][j] = draw_figure(&random);
        }
        struct ratio ratio =
            ratio_make(figures[0], repeats, figures[1], repeats, in_turns, 0, (uint64_t)i);
        different += ratio.low > 1 || ratio.high < 1;
    }
    return different;
}

// 15 would be right; draws alone give 75 of three pairs, and 30 of seven apart.
TEST(equal_things_are_seldom_called_different)
{
    assert_in_range(differences(3, true), 6, 26);
    assert_in_range(differences(7, true), 6, 26);
    assert_in_range(differences(7, false), 6, 26);
}

// Three repeats say less than their draws do.
TEST(the_arms_are_as_long_as_few_repeats_make_them)
{
    const double before[] = {100, 100, 100};
    const double after[] = {90, 100, 110};
    struct ratio pairs = COMPARE(before, after, true);
    struct ratio apart = COMPARE(before, after, false);
    // A draw of three is all 90 in one of 27: the 2.5 percentile is 0.9, and the factor 2.69.
    assert_true(fabs(pairs.low - pow(0.9, 4.303 / 1.959964 * sqrt(1.5))) < 1e-6);
    assert_true(fabs(apart.low - pow(0.9, 2.776 / 1.959964 * sqrt(1.5))) < 1e-6);
}

TEST(what_came_to_a_stop_is_less)
{
    const double before[] = {100, 101, 99};
    const double never[] = {0, 0, 0};
    const double seldom[] = {100, 0, 100};
    struct ratio ratio = COMPARE(before, never, false);
    assert_int_equal(ratio.change, CHANGE_LESS);
    assert_true(ratio.ratio <= 0 && ratio.low <= 0 && ratio.high <= 0);
    ratio = COMPARE(before, seldom, false);
    assert_int_equal(ratio.change, CHANGE_NOISE);
    assert_true(ratio.low <= 0 && fabs(ratio.ratio - 2.0 / 3) < 1e-9);
    ratio = COMPARE(seldom, before, false);
    assert_int_equal(ratio.change, CHANGE_NOISE);
    assert_true(isinf(ratio.high));
}
