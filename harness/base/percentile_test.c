#include "harness/base/rank.h"

#include "harness/testing/test.h"

TEST(an_empty_set_has_zeros)
{
    struct percentiles percentiles;
    percentiles_make(NULL, 0, &percentiles);
    assert_int_equal(percentiles.count, 0);
    assert_int_equal(percentiles.p50_ns, 0);
    assert_int_equal(percentiles.max_ns, 0);
}

TEST(one_value_is_every_percentile)
{
    int64_t values[] = {42};
    struct percentiles percentiles;
    percentiles_make(values, 1, &percentiles);
    assert_int_equal(percentiles.p50_ns, 42);
    assert_int_equal(percentiles.p999_ns, 42);
    assert_int_equal(percentiles.max_ns, 42);
}

TEST(the_median_of_two_is_the_lesser)
{
    int64_t values[] = {9, 3};
    struct percentiles percentiles;
    percentiles_make(values, 2, &percentiles);
    assert_int_equal(percentiles.p50_ns, 3);
    assert_int_equal(percentiles.p90_ns, 9);
    assert_int_equal(percentiles.max_ns, 9);
}

TEST(ranks_of_a_thousand_are_exact)
{
    int64_t values[1000];
    for (int i = 0; i < 1000; i++)
        values[i] = 1000 - i;
    struct percentiles percentiles;
    percentiles_make(values, 1000, &percentiles);
    assert_int_equal(percentiles.p50_ns, 500);
    assert_int_equal(percentiles.p90_ns, 900);
    assert_int_equal(percentiles.p99_ns, 990);
    assert_int_equal(percentiles.p999_ns, 999);
    assert_int_equal(percentiles.max_ns, 1000);
}

TEST(the_far_end_is_exact)
{
    static int64_t values[20000];
    for (int i = 0; i < 20000; i++)
        values[i] = 20000 - i;
    struct percentiles percentiles;
    percentiles_make(values, 20000, &percentiles);
    assert_int_equal(percentiles.p999_ns, 19980);
    assert_int_equal(percentiles.p9999_ns, 19998);
    assert_int_equal(percentiles.max_ns, 20000);
    percentiles_make(values, 9999, &percentiles); // 1 to 9999: too few for one beyond it
    assert_int_equal(percentiles.p9999_ns, 9999);
}

TEST(a_rank_between_two_values_is_the_higher)
{
    int64_t values[] = {1, 2, 3, 4, 5};
    assert_int_equal(percentile_of_sorted(values, 5, 500), 3);
    assert_int_equal(percentile_of_sorted(values, 5, 601), 4);
    assert_int_equal(percentile_of_sorted(values, 5, 0), 1);
}
