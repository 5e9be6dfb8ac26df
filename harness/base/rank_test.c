#include "harness/base/rank.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

struct stay {
    char guest;
    int64_t from_ns, to_ns;
};

static void the_first_that_is_no_less_is_found(void **state)
{
    (void)state;
    static const struct stay stays[] = {{'a', 1, 9}, {'b', 3, 9}, {'c', 3, 10}, {'d', 7, 12}};
    assert_int_equal(FIRST_FROM(stays, 4, from_ns, INT64_MIN), 0);
    assert_int_equal(FIRST_FROM(stays, 4, from_ns, 2), 1);
    assert_int_equal(FIRST_FROM(stays, 4, from_ns, 3), 1); // of equal ones the first
    assert_int_equal(FIRST_FROM(stays, 4, from_ns, 4), 3);
    assert_int_equal(FIRST_FROM(stays, 4, to_ns, 10), 2);
    assert_int_equal(FIRST_FROM(stays, 4, to_ns, 13), 4);
    assert_int_equal(FIRST_FROM(stays, 3, to_ns, 12), 3);
}

static void among_nothing_none_is_found(void **state)
{
    (void)state;
    const struct stay *nobody = NULL;
    assert_int_equal(FIRST_FROM(nobody, 0, from_ns, 1), 0);
}

static void percentiles_are_of_the_nearest_rank(void **state)
{
    (void)state;
    int64_t values[] = {40, 10, 30, 20};
    sort_values(values, 4);
    assert_int_equal(percentile_of_sorted(values, 4, 0), 10);
    assert_int_equal(percentile_of_sorted(values, 4, 250), 10);
    assert_int_equal(percentile_of_sorted(values, 4, 251), 20);
    assert_int_equal(percentile_of_sorted(values, 4, 1000), 40);
    assert_int_equal(percentile_of_sorted(values, 0, 500), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_that_is_no_less_is_found),
        cmocka_unit_test(among_nothing_none_is_found),
        cmocka_unit_test(percentiles_are_of_the_nearest_rank),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
