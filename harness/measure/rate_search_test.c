#include "harness/measure/rate_search.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

// Searches where everything up to `limit` meets the target. Returns how many rates were tried.
static int search_up_to(int64_t limit, struct rate_search *search)
{
    int tried = 0;
    for (; search->next > 0; tried++) {
        assert_in_range(search->next, search->least, search->most);
        assert_true(tried < 40);
        rate_search_tell(search, search->next <= limit);
    }
    return tried;
}

static void what_is_found_is_close_to_the_limit_from_wherever_it_begins(void **state)
{
    (void)state;
    for (int64_t first = 1; first <= 1000000; first *= 10) {
        for (int64_t limit = 100; limit <= 1000000; limit = limit * 7 / 3) {
            struct rate_search search = rate_search_start(first, 1, 10000000);
            int tried = search_up_to(limit, &search);
            assert_true(search.met <= limit && search.missed > limit);
            assert_true(search.missed - search.met <= search.met / 20);
            assert_in_range(tried, 2, 30);
        }
    }
}

static void where_all_meet_it_the_highest_is_found(void **state)
{
    (void)state;
    struct rate_search search = rate_search_start(300, 1, 1000);
    search_up_to(5000, &search);
    assert_int_equal(search.met, 1000);
    assert_int_equal(search.missed, 0);
}

static void where_none_meets_it_nothing_is_found(void **state)
{
    (void)state;
    struct rate_search search = rate_search_start(300, 10, 1000);
    search_up_to(0, &search);
    assert_int_equal(search.met, 0);
    assert_int_equal(search.missed, 10);
}

static void few_a_second_end_too(void **state)
{
    (void)state;
    struct rate_search search = rate_search_start(1, 1, 1000);
    search_up_to(3, &search);
    assert_int_equal(search.met, 3);
    assert_int_equal(search.missed, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_found_is_close_to_the_limit_from_wherever_it_begins),
        cmocka_unit_test(where_all_meet_it_the_highest_is_found),
        cmocka_unit_test(where_none_meets_it_nothing_is_found),
        cmocka_unit_test(few_a_second_end_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
