#include "harness/report/driver_bound.h"

#include "harness/base/clock.h"
#include "harness/report/statistics.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct statistics statistics;
static struct driver_bound bound;

// A second on two processors, of which nobody used anything.
static int start(void **state)
{
    (void)state;
    statistics = (struct statistics){
        .counted_ns = NS_PER_S,
        .acquire = {.count = 1000, .p50_ns = 1000, .p99_ns = 20000},
        .resources = {.is_known = true, .covered_ns = NS_PER_S, .processors = 2},
    };
    return 0;
}

static void expect_bound(const char *reason)
{
    driver_bound_decide(&statistics, &bound);
    assert_true(bound.is_bound);
    if (strstr(bound.reason, reason) == NULL)
        fail_msg("not in '%s': %s", bound.reason, reason);
}

static void expect_free(void)
{
    driver_bound_decide(&statistics, &bound);
    if (bound.is_bound)
        fail_msg("bound: %s", bound.reason);
    assert_string_equal(bound.reason, "");
}

static void clients_and_driver_that_leave_a_tenth_are_free(void **state)
{
    (void)state;
    statistics.resources.clients.processor_ns = 1700 * NS_PER_MS;
    statistics.resources.driver.processor_ns = 100 * NS_PER_MS;
    expect_free();
    statistics.resources.driver.processor_ns++;
    expect_bound("the clients and the driver used 90 % of the time of all 2 processors");
    statistics.resources.is_known = false;
    expect_free();
}

static void clients_are_held_against_the_processors_they_are_pinned_to(void **state)
{
    (void)state;
    statistics.resources.clients.processor_ns = 950 * NS_PER_MS;
    expect_free();
    statistics.resources.client_processors = 1;
    expect_bound("95 % of the time of the 1 processor they are pinned to");
}

static void lateness_is_held_against_the_same_percentile(void **state)
{
    (void)state;
    statistics.lateness.count = 1000;
    statistics.lateness.p50_ns = 100;
    statistics.lateness.p99_ns = 2000; // twice the median of acquire, but a tenth of its p99
    expect_free();
    statistics.lateness.p99_ns = 2001;
    expect_bound("2 µs at p99, where acquire takes 20 µs");
    statistics.lateness.p50_ns = 101;
    expect_bound("101 ns at p50, where acquire takes 1 µs");
}

static void a_harness_that_stood_still_for_long_is_no_measure(void **state)
{
    (void)state;
    statistics.stalled_ns = 10 * NS_PER_MS;
    expect_free();
    statistics.stalled_ns++;
    expect_bound("stood still for 10 ms of 1.00 s");
}

static void every_reason_is_said(void **state)
{
    (void)state;
    statistics.stalled_ns = 500 * NS_PER_MS;
    statistics.resources.clients.processor_ns = 2 * NS_PER_S;
    expect_bound("; the harness itself stood still");
    expect_bound("the clients and the driver used 100 %");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(clients_and_driver_that_leave_a_tenth_are_free, start),
        cmocka_unit_test_setup(clients_are_held_against_the_processors_they_are_pinned_to, start),
        cmocka_unit_test_setup(lateness_is_held_against_the_same_percentile, start),
        cmocka_unit_test_setup(a_harness_that_stood_still_for_long_is_no_measure, start),
        cmocka_unit_test_setup(every_reason_is_said, start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
