#include "harness/base/rank.h"

#include "harness/testing/test.h"

// Of count, ..., 2, 1: p50, p90, p95, p99, p99.9, p99.99 and the longest.
static const struct {
    size_t count;
    int64_t ns[PERCENTILE_COUNT];
} sets[] = {
    {0, {0}},
    {1, {1, 1, 1, 1, 1, 1, 1}},
    {2, {1, 2, 2, 2, 2, 2, 2}},
    {1000, {500, 900, 950, 990, 999, 1000, 1000}},
    {9999, {5000, 9000, 9500, 9900, 9990, 9999, 9999}}, // too few for one beyond p99.99
    {20000, {10000, 18000, 19000, 19800, 19980, 19998, 20000}},
};

TEST(ranks_are_exact_to_the_far_end)
{
    static int64_t values[20000];
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        struct percentiles percentiles;
        for (size_t j = 0; j < sets[i].count; j++)
            values[j] = (int64_t)(sets[i].count - j);
        percentiles_make(values, sets[i].count, &percentiles);
        assert_int_equal(percentiles.count, sets[i].count);
        assert_memory_equal(percentiles.ns, sets[i].ns, sizeof sets[i].ns);
    }
}

TEST(a_rank_between_two_values_is_the_higher)
{
    int64_t values[] = {1, 2, 3, 4, 5};
    assert_int_equal(percentile_of_sorted(values, 5, 500), 3);
    assert_int_equal(percentile_of_sorted(values, 5, 601), 4);
    assert_int_equal(percentile_of_sorted(values, 5, 0), 1);
}
