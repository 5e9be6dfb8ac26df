#include "harness/report/test_run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static struct test_run test;
static struct statistics statistics;

static int start(void **state)
{
    (void)state;
    test_run_start(&test);
    test_add(&test, "redis-setnx", VERDICT_SAFE, EXPECTATION_NONE);
    test_digest(&test);
    return 0;
}

static void a_trial_without_a_hold_has_only_zeros(void **state)
{
    (void)state;
    statistics_make(&test.digest, &statistics);
    assert_int_equal(statistics.duration_ns, NS_PER_S);
    assert_true(statistics.holds_per_second == 0);
    assert_true(statistics.attempts_per_hold == 0);
    assert_true(statistics.fairness == 0);
    assert_int_equal(statistics.acquire.count, 0);
}

static void a_trial_that_never_began_divides_by_nothing(void **state)
{
    (void)state;
    test.digest.ended_ns = test.digest.started_ns - 5;
    test_hold(&test, 1, 0, 0, 1);
    statistics_make(&test.digest, &statistics);
    assert_int_equal(statistics.duration_ns, 0);
    assert_true(statistics.holds_per_second == 0);
}

static void holds_are_counted_and_timed(void **state)
{
    (void)state;
    test_hold(&test, 1, 0, 10, 30);
    test_hold(&test, 2, 5, 40, 45);
    test_hold(&test, 1, 50, 52, 60)->attempts = 5;
    statistics_make(&test.digest, &statistics);
    assert_int_equal(statistics.holds, 3);
    assert_true(statistics.holds_per_second == 3);
    assert_true(statistics.attempts_per_hold == 3);
    assert_int_equal(statistics.acquire.p50_ns, 10 * NS_PER_MS);
    assert_int_equal(statistics.acquire.max_ns, 35 * NS_PER_MS);
    assert_int_equal(statistics.release.p50_ns, 1 * NS_PER_MS);
    assert_int_equal(statistics.hold.max_ns, 20 * NS_PER_MS);
    assert_int_equal(statistics.longest_wait_ns, 35 * NS_PER_MS);
}

static void a_hand_off_needs_somebody_who_waited(void **state)
{
    (void)state;
    test_hold(&test, 1, 0, 10, 30);
    test_hold(&test, 2, 5, 40, 45);  // waited at 30: a hand-off of 10 ms
    test_hold(&test, 1, 50, 52, 60); // asked only after the release at 45
    statistics_make(&test.digest, &statistics);
    assert_int_equal(statistics.hand_off.count, 1);
    assert_int_equal(statistics.hand_off.max_ns, 10 * NS_PER_MS);
}

static void a_crashed_holder_hands_nothing_off_and_releases_nothing(void **state)
{
    (void)state;
    struct hold *hold = test_hold(&test, 1, 0, 10, 30);
    hold->release_invoked = false;
    hold->died = true;
    hold->returned_ns = TIME_NEVER;
    test_hold(&test, 2, 5, 40, 45);
    statistics_make(&test.digest, &statistics);
    assert_int_equal(statistics.hand_off.count, 0);
    assert_int_equal(statistics.release.count, 1);
    assert_int_equal(statistics.hold.count, 1);
}

static void an_acquire_that_never_returned_waited_until_the_end(void **state)
{
    (void)state;
    test.attempts[0] = (struct attempt){.client = 1,
                                        .worker = 1,
                                        .invoked_ns = AT(300),
                                        .returned_ns = TIME_NEVER,
                                        .outcome = OUTCOME_UNKNOWN,
                                        .died_ns = TIME_NEVER};
    test.digest.attempt_count = 1;
    statistics_make(&test.digest, &statistics);
    assert_int_equal(statistics.longest_wait_ns, 700 * NS_PER_MS);
    assert_int_equal(statistics.unknown, 1);
    test.attempts[0].died = true;
    test.attempts[0].died_ns = AT(350);
    statistics_make(&test.digest, &statistics);
    assert_int_equal(statistics.longest_wait_ns, 50 * NS_PER_MS);
}

static void equal_shares_are_fair_and_a_starved_worker_is_not(void **state)
{
    (void)state;
    test_hold(&test, 1, 0, 1, 2);
    test_hold(&test, 2, 0, 3, 4);
    statistics_make(&test.digest, &statistics);
    assert_true(statistics.fairness == 1);
    // A worker that only tried counts, with no holds: (1 + 1)² / (4 × 2).
    for (int i = 0; i < 2; i++)
        test.attempts[i] = (struct attempt){.client = 3 + i,
                                            .worker = 1,
                                            .invoked_ns = AT(0),
                                            .returned_ns = AT(9),
                                            .outcome = OUTCOME_NO,
                                            .died_ns = TIME_NEVER};
    test.digest.attempt_count = 2;
    statistics_make(&test.digest, &statistics);
    assert_true(statistics.fairness == 0.5);
    assert_int_equal(statistics.not_held, 2);
}

static void writes_are_told_apart_by_their_outcome(void **state)
{
    (void)state;
    const enum outcome outcomes[] = {OUTCOME_OK, OUTCOME_NO, OUTCOME_UNKNOWN, OUTCOME_OK};
    for (size_t i = 0; i < 4; i++)
        test.accesses[i] = (struct access){.is_write = true, .outcome = outcomes[i]};
    test.accesses[4] = (struct access){.is_write = false};
    test.digest.access_count = 5;
    statistics_make(&test.digest, &statistics);
    assert_int_equal(statistics.writes, 2);
    assert_int_equal(statistics.refused_writes, 1);
    assert_int_equal(statistics.unknown_writes, 1);
}

static void the_longest_stall_is_kept(void **state)
{
    (void)state;
    struct stall stalls[] = {{AT(1), AT(4)}, {AT(10), AT(11)}};
    test.digest.stalls = stalls;
    test.digest.stall_count = 2;
    statistics_make(&test.digest, &statistics);
    assert_int_equal(statistics.stalls, 2);
    assert_int_equal(statistics.longest_stall_ns, 3 * NS_PER_MS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_trial_without_a_hold_has_only_zeros, start),
        cmocka_unit_test_setup(a_trial_that_never_began_divides_by_nothing, start),
        cmocka_unit_test_setup(holds_are_counted_and_timed, start),
        cmocka_unit_test_setup(a_hand_off_needs_somebody_who_waited, start),
        cmocka_unit_test_setup(a_crashed_holder_hands_nothing_off_and_releases_nothing, start),
        cmocka_unit_test_setup(an_acquire_that_never_returned_waited_until_the_end, start),
        cmocka_unit_test_setup(equal_shares_are_fair_and_a_starved_worker_is_not, start),
        cmocka_unit_test_setup(writes_are_told_apart_by_their_outcome, start),
        cmocka_unit_test_setup(the_longest_stall_is_kept, start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
