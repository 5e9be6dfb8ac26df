#include "harness/base/rank.h"

#include "harness/testing/test.h"

struct stay {
    char guest;
    int64_t from_ns, to_ns;
};

TEST(the_first_that_is_no_less_is_found)
{
    static const struct stay stays[] = {{'a', 1, 9}, {'b', 3, 9}, {'c', 3, 10}, {'d', 7, 12}};
    assert_int_equal(FIRST_FROM(stays, 4, from_ns, INT64_MIN), 0);
    assert_int_equal(FIRST_FROM(stays, 4, from_ns, 2), 1);
    assert_int_equal(FIRST_FROM(stays, 4, from_ns, 3), 1); // of equal ones the first
    assert_int_equal(FIRST_FROM(stays, 4, from_ns, 4), 3);
    assert_int_equal(FIRST_FROM(stays, 4, to_ns, 10), 2);
    assert_int_equal(FIRST_FROM(stays, 4, to_ns, 13), 4);
    assert_int_equal(FIRST_FROM(stays, 3, to_ns, 12), 3);
}

TEST(among_nothing_none_is_found)
{
    const struct stay *nobody = NULL;
    assert_int_equal(FIRST_FROM(nobody, 0, from_ns, 1), 0);
}

TEST(percentiles_are_of_the_nearest_rank)
{
    int64_t values[] = {40, 10, 30, 20};
    sort_values(values, 4);
    assert_int_equal(percentile_of_sorted(values, 4, 0), 10);
    assert_int_equal(percentile_of_sorted(values, 4, 250), 10);
    assert_int_equal(percentile_of_sorted(values, 4, 251), 20);
    assert_int_equal(percentile_of_sorted(values, 4, 1000), 40);
    assert_int_equal(percentile_of_sorted(values, 0, 500), 0);
}

// Numbers that spread over all that fits, or over little.
static int64_t draw(uint64_t *state, unsigned bits)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)(*state) >> (64 - bits);
}

// More than are sorted in one piece.
#define MOST 300000

TEST(any_number_of_values_is_sorted)
{
    static int64_t values[MOST];
    uint64_t drawn = 1;
    for (unsigned bits = 1; bits <= 64; bits += 7) {
        for (size_t count = 0; count <= MOST; count = count * 3 + 1) {
            int64_t sum = 0;
            for (size_t i = 0; i < count; i++) {
                values[i] = draw(&drawn, bits);
                sum ^= values[i];
            }
            sort_values(values, count);
            for (size_t i = 0; i < count; i++) {
                assert_true(i == 0 || values[i - 1] <= values[i]);
                sum ^= values[i];
            }
            assert_int_equal(sum, 0);
        }
    }
}

TEST(equal_values_stay_in_their_order)
{
    static struct ranked places[MOST];
    uint64_t drawn = 1;
    for (size_t count = 1; count <= MOST; count = count * 3 + 1) {
        for (size_t i = 0; i < count; i++)
            places[i] = (struct ranked){draw(&drawn, 5), i};
        sort_ranked(places, count);
        for (size_t i = 1; i < count; i++) {
            assert_true(places[i - 1].value <= places[i].value);
            if (places[i - 1].value == places[i].value)
                assert_true(places[i - 1].index < places[i].index);
        }
    }
}

// As a history's: in order, but for a few places.
TEST(what_is_nearly_in_order_is_sorted_in_its_order)
{
    static struct ranked places[MOST];
    uint64_t drawn = 1;
    for (size_t i = 0; i < MOST; i++)
        places[i] = (struct ranked){(int64_t)i / 2 + draw(&drawn, 11), i};
    sort_ranked(places, MOST);
    for (size_t i = 1; i < MOST; i++)
        assert_true(
            places[i - 1].value < places[i].value ||
            (places[i - 1].value == places[i].value && places[i - 1].index < places[i].index));
}
