#include "harness/report/lateness.h"

#include "harness/base/rank.h"
#include "harness/report/test_run.h"
#include "harness/testing/test.h"

static struct test_run test;
static struct lateness lateness;

static int start(void **state)
{
    (void)state;
    test_run_start(&test);
    test_add(&test, "redis-setnx", VERDICT_SAFE, EXPECTATION_NONE);
    test_digest(&test);
    return 0;
}

static int end(void **state)
{
    (void)state;
    durations_free(&lateness.late);
    durations_free(&lateness.acquire_on_time);
    return 0;
}

// Times in milliseconds; the release is answered a millisecond after `released`.
static void add_operation(int client, int64_t intended, int64_t invoked, int64_t released)
{
    test_hold(&test, client, invoked, invoked + 1, released)->intended_ns = AT(intended);
}

TEST_WITH(a_closed_loop_has_no_lateness, start, end)
{
    test_hold(&test, 1, 0, 10, 30);
    lateness = lateness_of(&test.digest);
    assert_int_equal(lateness.late.count, 0);
    assert_int_equal(lateness.acquire_on_time.count, 0);
}

TEST_WITH(a_free_worker_that_woke_late_was_late, start, end)
{
    add_operation(1, 10, 13, 20);
    lateness = lateness_of(&test.digest);
    assert_int_equal(lateness.late.count, 1);
    assert_int_equal(lateness.late.items[0], 3 * NS_PER_MS);
}

TEST_WITH(what_waited_for_a_free_worker_was_not_late, start, end)
{
    add_operation(1, 10, 10, 49); // answered at 50
    add_operation(1, 20, 52, 60); // due at 20, but the worker was busy until 50: 2 ms are its own
    add_operation(2, 30, 31, 40); // another worker's
    lateness = lateness_of(&test.digest);
    assert_int_equal(lateness.late.count, 3);
    sort_values(lateness.late.items, 3);
    assert_int_equal(lateness.late.items[0], 0);
    assert_int_equal(lateness.late.items[1], 1 * NS_PER_MS);
    assert_int_equal(lateness.late.items[2], 2 * NS_PER_MS);
}

// What is taken off is the driver's part alone: not the 30 ms that nobody was free.
TEST_WITH(on_time_an_acquire_takes_what_is_not_the_drivers, start, end)
{
    add_operation(1, 10, 10, 49);
    add_operation(1, 20, 52, 60);
    lateness = lateness_of(&test.digest);
    assert_int_equal(lateness.acquire_on_time.count, 2);
    sort_values(lateness.acquire_on_time.items, 2);
    assert_int_equal(lateness.acquire_on_time.items[0], 1 * NS_PER_MS);
    assert_int_equal(lateness.acquire_on_time.items[1], (53 - 20 - 2) * NS_PER_MS);
}

TEST_WITH(a_worker_that_thinks_is_not_free, start, end)
{
    test.scenario.workload.think_ns = 5 * NS_PER_MS;
    add_operation(1, 10, 10, 49); // answered at 50, thinks until 55
    add_operation(1, 20, 56, 60);
    lateness = lateness_of(&test.digest);
    assert_int_equal(lateness.late.count, 2);
    sort_values(lateness.late.items, 2);
    assert_int_equal(lateness.late.items[1], 1 * NS_PER_MS);
}

// The first began 30 ms late, so the two behind it did, too, though each at once when the worker
// was free; the third had caught up.
TEST_WITH(what_was_late_once_is_late_in_those_behind_it, start, end)
{
    add_operation(1, 10, 40, 48); // answered at 49: on time, at 19
    add_operation(1, 20, 49, 57); // could have begun at 20, and ended at 29
    add_operation(1, 50, 58, 60); // could have begun at 50
    add_operation(1, 70, 70, 75);
    lateness = lateness_of(&test.digest);
    sort_values(lateness.late.items, 4);
    static const int64_t late_ms[] = {0, 8, 29, 30};
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(lateness.late.items[i], late_ms[i] * NS_PER_MS);
    sort_values(lateness.acquire_on_time.items, 4);
    assert_int_equal(lateness.acquire_on_time.items[3], 1 * NS_PER_MS);
}

TEST_WITH(a_late_warm_up_delays_what_is_counted, start, end)
{
    struct load_phase phases[] = {{AT(0), AT(100), 2, 500000, false},
                                  {AT(100), AT(1000), 2, 500000, true}};
    test.digest.phases = phases;
    test.digest.phase_count = 2;
    add_operation(1, 90, 190, 195); // answered at 196
    add_operation(1, 110, 196, 200);
    lateness = lateness_of(&test.digest);
    assert_int_equal(lateness.late.count, 1);
    assert_int_equal(lateness.late.items[0], 86 * NS_PER_MS);
}

TEST_WITH(an_acquire_that_gave_up_keeps_its_worker_busy, start, end)
{
    test.attempts[0] = (struct attempt){.client = 1,
                                        .worker = 1,
                                        .intended_ns = AT(10),
                                        .invoked_ns = AT(10),
                                        .returned_ns = AT(40),
                                        .outcome = OUTCOME_NO,
                                        .died_ns = TIME_NEVER};
    test.digest.attempt_count = 1;
    add_operation(1, 20, 44, 60);
    lateness = lateness_of(&test.digest);
    assert_int_equal(lateness.late.count, 2);
    sort_values(lateness.late.items, 2);
    assert_int_equal(lateness.late.items[1], 4 * NS_PER_MS);
}

TEST_WITH(after_an_operation_without_an_end_nothing_is_known, start, end)
{
    add_operation(1, 10, 10, 49);
    test.holds[0].returned_ns = TIME_NEVER;
    add_operation(1, 20, 70, 80);
    lateness = lateness_of(&test.digest);
    assert_int_equal(lateness.late.count, 1);
    assert_int_equal(lateness.late.items[0], 0);
    sort_values(lateness.acquire_on_time.items, 2);
    assert_int_equal(lateness.acquire_on_time.items[1], (71 - 20) * NS_PER_MS);
}

TEST_WITH(a_warm_up_is_left_out, start, end)
{
    struct load_phase phases[] = {{AT(0), AT(100), 2, 500000, false},
                                  {AT(100), AT(1000), 2, 500000, true}};
    test.digest.phases = phases;
    test.digest.phase_count = 2;
    add_operation(1, 10, 60, 70);
    add_operation(1, 110, 111, 120);
    lateness = lateness_of(&test.digest);
    assert_int_equal(lateness.late.count, 1);
    assert_int_equal(lateness.late.items[0], 1 * NS_PER_MS);
}
