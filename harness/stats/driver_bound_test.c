// Whether a trial measured the lock, or the driver that asks for it. What is counted and timed of
// histories: cases/*.events.
#include "harness/report/test_run.h"

static struct statistics statistics;

static struct driver_bound bound;

// A second on two processors, of which nobody used anything.
static int start_driver(void **state)
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
    assert_has(bound.reason, reason);
}

static void expect_free(void)
{
    driver_bound_decide(&statistics, &bound);
    if (bound.is_bound)
        fail_msg("bound: %s", bound.reason);
    assert_string_equal(bound.reason, "");
}

TEST_WITH(clients_and_driver_that_leave_a_tenth_are_free, start_driver, NULL)
{
    statistics.resources.clients.processor_ns = 1700 * NS_PER_MS;
    statistics.resources.driver.processor_ns = 100 * NS_PER_MS;
    expect_free();
    statistics.resources.driver.processor_ns++;
    expect_bound("the clients and the driver used 90 % of the time of all 2 processors");
    statistics.resources.is_known = false;
    expect_free();
}

TEST_WITH(clients_are_held_against_the_processors_they_are_pinned_to, start_driver, NULL)
{
    statistics.resources.clients.processor_ns = 950 * NS_PER_MS;
    expect_free();
    statistics.resources.client_processors = 1;
    expect_bound("95 % of the time of the 1 processor they are pinned to");
}

static void expect_late(enum percentile figure, const char *reason)
{
    driver_bound_decide(&statistics, &bound);
    assert_false(bound.is_bound);
    assert_true(any_is_late(bound.late));
    for (enum percentile i = 0; i < PERCENTILE_COUNT; i++)
        assert_int_equal(bound.late[i], i == figure);
    assert_has(bound.reason, reason);
}

TEST_WITH(lateness_is_held_against_each_figure_for_itself, start_driver, NULL)
{
    statistics.acquire_on_time = statistics.acquire;
    expect_free();
    statistics.acquire_on_time.p50_ns = 900;
    statistics.acquire_on_time.p99_ns =
        18000; // twice the median of acquire, but a tenth of its p99
    expect_free();
    statistics.acquire_on_time.p99_ns--;
    expect_late(PERCENTILE_p99, "acquire is too high: p99 by up to 2 µs of 20 µs");
    statistics.acquire_on_time = statistics.acquire;
    statistics.acquire_on_time.p50_ns = 899;
    expect_late(PERCENTILE_p50, "p50 by up to 101 ns of 1 µs");
    statistics.acquire.p9999_ns = 50 * NS_PER_MS;
    statistics.acquire_on_time.p50_ns = 1000;
    expect_late(PERCENTILE_p9999, "p99.99 by up to 50 ms of 50 ms");
}

// Operations may be late, as a lateness beyond any acquire's tells, and no figure be wrong by it:
// they had to wait in any case.
TEST_WITH(lateness_alone_is_no_blame, start_driver, NULL)
{
    statistics.lateness = (struct percentiles){.count = 9, .p50_ns = 30000, .p99_ns = 40000};
    statistics.acquire_on_time = statistics.acquire;
    expect_free();
    statistics.acquire_on_time.count = 0; // a closed loop
    statistics.acquire_on_time.p50_ns = 0;
    expect_free();
}

TEST_WITH(a_harness_that_stood_still_for_long_is_no_measure, start_driver, NULL)
{
    statistics.stalled_ns = 10 * NS_PER_MS;
    expect_free();
    statistics.stalled_ns++;
    expect_bound("stood still for 10 ms of 1.00 s");
}

// Each figure by the share of the acquires that lies beyond it.
TEST_WITH(a_stall_is_held_against_the_figures_that_few_make_up, start_driver, NULL)
{
    statistics.acquire.p999_ns = 30000;
    statistics.acquire.max_ns = 50 * NS_PER_MS;
    statistics.stalled_ns = NS_PER_MS; // a thousandth
    statistics.longest_stall_ns = NS_PER_MS;
    expect_free();
    statistics.stalled_ns++;
    expect_late(PERCENTILE_p999, "stood still, for up to 1 ms, which may be in acquire p99.9");
    statistics.acquire.p999_ns = 0;
    statistics.acquire.max_ns = 10 * NS_PER_MS;
    expect_free();
    statistics.acquire.max_ns--;
    expect_late(PERCENTILE_max, "may be in acquire max");
    statistics.stalled_ns = 0; // it was before the clients began
    expect_free();
}

TEST_WITH(every_reason_is_said, start_driver, NULL)
{
    statistics.stalled_ns = 500 * NS_PER_MS;
    statistics.resources.clients.processor_ns = 2 * NS_PER_S;
    statistics.acquire_on_time = (struct percentiles){.count = 1000, .p99_ns = 20000};
    expect_bound("; the harness itself stood still");
    expect_bound("; the driver began operations late, so acquire is too high: p50 by up to 1 µs");
    expect_bound("the clients and the driver used 100 %");
}
