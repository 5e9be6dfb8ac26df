// By what a search for the highest rate goes.
#include "harness/cli/find.h"
#include "harness/testing/test.h"

// One that misses only by the driver's lateness, or while the driver had no time left.
TEST(a_miss_by_the_driver_is_no_answer)
{
    const struct percentiles target = {.p99_ns = 50};
    struct statistics statistics = {.acquire = {.count = 100, .p99_ns = 40}, .due = 100};
    assert_int_equal(find_judge(&target, &statistics), RATE_MET);
    statistics.acquire.p99_ns = 60;
    assert_int_equal(find_judge(&target, &statistics), RATE_MISSED);
    statistics.acquire_on_time = (struct percentiles){.count = 100, .p99_ns = 55};
    assert_int_equal(find_judge(&target, &statistics), RATE_MISSED);
    statistics.acquire_on_time.p99_ns = 45;
    assert_int_equal(find_judge(&target, &statistics), RATE_DRIVER);
    statistics.due = 200; // half of them never began, which no lateness explains
    assert_int_equal(find_judge(&target, &statistics), RATE_MISSED);
    statistics.driver_bound.is_bound = true;
    assert_int_equal(find_judge(&target, &statistics), RATE_DRIVER);
}

TEST(what_too_few_acquires_meet_is_not_met)
{
    const struct percentiles target = {.p99_ns = 50};
    struct statistics statistics = {.acquire = {.count = 99, .p99_ns = 40}, .due = 99};
    assert_int_equal(find_judge(&target, &statistics), RATE_DRIVER);
    statistics.acquire.p99_ns = 60;
    assert_int_equal(find_judge(&target, &statistics), RATE_MISSED);
    // 100 and thrice their root.
    assert_int_equal(find_least_rate(&target, NS_PER_S), 130 * 3600);
    assert_int_equal(find_least_rate(&(struct percentiles){.max_ns = 1}, 3600 * NS_PER_S), 60);
}
