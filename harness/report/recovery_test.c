#include "harness/report/recovery.h"

#include "harness/report/test_run.h"
#include "harness/testing/test.h"

static struct test_run test;
static struct recoveries recoveries;

static int start(void **state)
{
    (void)state;
    test_run_start(&test);
    test_add(&test, "redis-setnx", VERDICT_SAFE, EXPECTATION_NONE);
    test_digest(&test);
    return 0;
}

// Times in milliseconds; -1: never.
static void add_fault(int64_t in_effect, int64_t healed)
{
    test.faults[test.digest.fault_count++] =
        (struct fault_record){.in_effect_ns = in_effect >= 0 ? AT(in_effect) : TIME_NEVER,
                              .healed_ns = healed >= 0 ? AT(healed) : TIME_NEVER};
}

static void add_attempt(int64_t invoked, int64_t returned)
{
    test.attempts[test.digest.attempt_count++] =
        (struct attempt){.client = 3,
                         .worker = 1,
                         .invoked_ns = AT(invoked),
                         .returned_ns = returned >= 0 ? AT(returned) : TIME_NEVER,
                         .outcome = returned >= 0 ? OUTCOME_NO : OUTCOME_UNKNOWN,
                         .died_ns = TIME_NEVER};
}

TEST_WITH(the_first_grant_ends_the_recovery, start, NULL)
{
    test_hold(&test, 1, 0, 10, 50);
    test_hold(&test, 2, 40, 430, 450); // waits from 40 to 430
    test_hold(&test, 1, 440, 460, 470);
    add_fault(100, 400);
    recoveries_measure(&test.digest, &recoveries);
    assert_int_equal(recoveries.count, 1);
    assert_int_equal(recoveries.items[0].fault, 1);
    assert_int_equal(recoveries.items[0].after_effect_ns, 330 * NS_PER_MS);
    assert_int_equal(recoveries.items[0].after_heal_ns, 30 * NS_PER_MS);
    assert_int_equal(recoveries.items[0].unavailable_ns, 330 * NS_PER_MS);
}

TEST_WITH(the_longest_time_may_come_after_the_first_grant, start, NULL)
{
    test_hold(&test, 1, 90, 110, 120);  // whose answer was under way
    test_hold(&test, 2, 115, 700, 710); // waited from 115 to 700
    add_fault(100, 300);
    recoveries_measure(&test.digest, &recoveries);
    assert_int_equal(recoveries.items[0].after_effect_ns, 10 * NS_PER_MS);
    assert_int_equal(recoveries.items[0].unavailable_ns, 585 * NS_PER_MS);
}

TEST_WITH(time_in_which_nobody_wants_the_lock_is_no_loss, start, NULL)
{
    test_hold(&test, 1, 0, 10, 50);
    test_hold(&test, 1, 800, 820, 830);
    add_fault(100, 300);
    recoveries_measure(&test.digest, &recoveries);
    assert_int_equal(recoveries.items[0].after_effect_ns, 720 * NS_PER_MS);
    assert_int_equal(recoveries.items[0].unavailable_ns, 20 * NS_PER_MS);
}

TEST_WITH(giving_up_does_not_end_it, start, NULL)
{
    add_attempt(150, 200);
    add_attempt(250, 300);
    test_hold(&test, 1, 380, 400, 410);
    add_fault(100, -1);
    recoveries_measure(&test.digest, &recoveries);
    assert_int_equal(recoveries.items[0].after_effect_ns, 300 * NS_PER_MS);
    assert_int_equal(recoveries.items[0].unavailable_ns, 250 * NS_PER_MS);
    assert_true(recoveries.items[0].after_heal_ns == TIME_NEVER);
}

TEST_WITH(a_lock_that_never_comes_back_is_gone_until_the_end, start, NULL)
{
    test_hold(&test, 1, 0, 10, 50);
    add_attempt(150, -1);
    add_fault(100, 300);
    recoveries_measure(&test.digest, &recoveries);
    assert_true(recoveries.items[0].after_effect_ns == TIME_NEVER);
    assert_true(recoveries.items[0].after_heal_ns == TIME_NEVER);
    assert_int_equal(recoveries.items[0].unavailable_ns, 850 * NS_PER_MS);
}

TEST_WITH(each_fault_answers_for_the_time_until_the_next, start, NULL)
{
    test_hold(&test, 1, 100, 150, 160);
    test_hold(&test, 2, 120, 550, 560);
    add_fault(100, 200);
    add_fault(500, 520);
    recoveries_measure(&test.digest, &recoveries);
    assert_int_equal(recoveries.count, 2);
    assert_int_equal(recoveries.items[0].unavailable_ns, 350 * NS_PER_MS);
    assert_int_equal(recoveries.items[1].fault, 2);
    assert_int_equal(recoveries.items[1].unavailable_ns, 50 * NS_PER_MS);
}

TEST_WITH(a_fault_that_never_took_effect_has_none, start, NULL)
{
    test_hold(&test, 1, 0, 10, 50);
    add_fault(-1, -1);
    recoveries_measure(&test.digest, &recoveries);
    assert_int_equal(recoveries.count, 0);
}

// Lock 1 is granted all the time, lock 2 is not; lock 3 nobody wants before the end is near.
TEST_WITH(of_several_locks_the_worst_counts, start, NULL)
{
    test_hold(&test, 1, 0, 10, 50)->key = 1;
    test_hold(&test, 1, 100, 110, 150)->key = 1;
    test_hold(&test, 1, 200, 210, 250)->key = 1;
    test_hold(&test, 2, 120, 600, 610)->key = 2;
    test_hold(&test, 3, 900, 910, 920)->key = 3;
    add_fault(100, 205);
    recoveries_measure(&test.digest, &recoveries);
    assert_int_equal(recoveries.count, 1);
    assert_int_equal(recoveries.items[0].after_effect_ns, 480 * NS_PER_MS);
    assert_int_equal(recoveries.items[0].after_heal_ns, 395 * NS_PER_MS);
    assert_int_equal(recoveries.items[0].unavailable_ns, 480 * NS_PER_MS);
}

TEST_WITH(one_of_several_that_never_comes_back_is_never, start, NULL)
{
    test_hold(&test, 1, 110, 120, 150)->key = 1;
    add_attempt(150, -1);
    test.attempts[0].key = 2;
    add_fault(100, 200);
    recoveries_measure(&test.digest, &recoveries);
    assert_true(recoveries.items[0].after_effect_ns == TIME_NEVER);
    assert_true(recoveries.items[0].after_heal_ns == TIME_NEVER);
    assert_int_equal(recoveries.items[0].unavailable_ns, 850 * NS_PER_MS);
}

// Asked for a millisecond before the end, which was not long enough to tell anything.
TEST_WITH(one_of_several_that_the_end_cuts_off_says_nothing, start, NULL)
{
    test.scenario.lock.stuck_after_ns = 200 * NS_PER_MS;
    test_hold(&test, 1, 190, 220, 250)->key = 1;
    add_attempt(999, 1001);
    test.attempts[0].key = 2;
    add_fault(100, 200);
    recoveries_measure(&test.digest, &recoveries);
    assert_int_equal(recoveries.items[0].after_effect_ns, 30 * NS_PER_MS);
    assert_int_equal(recoveries.items[0].after_heal_ns, 20 * NS_PER_MS);
    test.attempts[0].invoked_ns = AT(790); // longer than that
    recoveries_measure(&test.digest, &recoveries);
    assert_true(recoveries.items[0].after_effect_ns == TIME_NEVER);
    test.attempts[0].invoked_ns = AT(990); // who gave up before the end was not cut off
    test.attempts[0].returned_ns = AT(995);
    recoveries_measure(&test.digest, &recoveries);
    assert_true(recoveries.items[0].after_heal_ns == TIME_NEVER);
}
