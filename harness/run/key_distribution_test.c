#include "harness/run/load_generator.h"

#include "harness/testing/test.h"

#include <math.h>

enum { COUNT = 10, DRAWS = 200000 };

static void draw_many(double skew, size_t drawn[COUNT])
{
    struct key_distribution distribution;
    struct random random;
    key_distribution_make(&distribution, COUNT, skew);
    random_start(&random, 5, 1);
    for (size_t i = 0; i < DRAWS; i++)
        drawn[key_distribution_draw(&distribution, &random)]++;
    key_distribution_free(&distribution);
}

TEST(without_skew_all_are_alike)
{
    size_t drawn[COUNT] = {0};
    draw_many(0, drawn);
    for (size_t i = 0; i < COUNT; i++)
        assert_true(fabs((double)drawn[i] - DRAWS / COUNT) < 6 * sqrt(DRAWS / COUNT));
}

TEST(with_skew_the_nth_is_drawn_as_zipf_says)
{
    size_t drawn[COUNT] = {0};
    double sum = 0;
    draw_many(0.99, drawn);
    for (size_t i = 0; i < COUNT; i++)
        sum += pow((double)i + 1, -0.99);
    for (size_t i = 0; i < COUNT; i++) {
        double expected = DRAWS * pow((double)i + 1, -0.99) / sum;
        assert_true(fabs((double)drawn[i] - expected) < 6 * sqrt(expected));
    }
}

TEST(one_alone_is_always_drawn)
{
    struct key_distribution distribution;
    struct random random;
    key_distribution_make(&distribution, 1, 0.99);
    random_start(&random, 5, 1);
    for (size_t i = 0; i < 100; i++)
        assert_int_equal(key_distribution_draw(&distribution, &random), 0);
    key_distribution_free(&distribution);
}
