// How those who wait for a Redisson lock are woken, and what it costs when nobody wakes them.
#include "harness/locks/test_redisson.h"

static const struct contract redisson_contract = {REDISSON_CONTRACT};

// --- being woken ---------------------------------------------------------------------------------

CONTRACT_GROUP(redisson_contract);

SCHEME_TEST(a_waiter_asks_only_when_it_is_woken, true)
{
    struct act waiter = {0};
    assert_int_equal(acquire(fixture, 0), OUTCOME_OK);
    begin_to_wait(&waiter, &fixture->locks[1], LONG_NS);
    await_waiters(&fixture->locks[1], 1);
    lock_release(&fixture->locks[0]);
    hold_to(scheme, end_of(&waiter) == OUTCOME_OK, "a waiter is not woken");
    // The first, the one with a subscription, and the one that the message caused.
    hold_to(scheme, waiter.grant.attempts == 3, "a waiter polls");
    lock_release(&fixture->locks[1]);
}

SCHEME_TEST_WITH(a_message_that_is_lost_costs_the_rest_of_the_lease,
                 lock_scheme_has(scheme, "lease"),
                 open_with_lease(fixture, scheme, true, 400 * NS_PER_MS))
{
    struct act waiter = {0};
    assert_int_equal(acquire(fixture, 0), OUTCOME_OK);
    begin_to_wait_and_stop(fixture, &waiter, LONG_NS);
    probe(fixture, "DEL", fixture->name);
    go_on(fixture);
    hold_to(scheme, end_of(&waiter) == OUTCOME_OK, "a waiter has no other way than to be woken");
    hold_to(scheme, waiter.grant.attempts == 3, "a waiter polls");
    lock_release(&fixture->locks[1]);
}

SCHEME_TEST(a_message_that_is_lost_leaves_a_waiter_for_a_permit_waiting, IS("redisson-semaphore"))
{
    struct act waiter = {0};
    assert_int_equal(acquire(fixture, 0), OUTCOME_OK);
    begin_to_wait_and_stop(fixture, &waiter, 300 * NS_PER_MS);
    probe(fixture, "INCR", fixture->name);
    go_on(fixture);
    assert_int_equal(end_of(&waiter), OUTCOME_NO);
    assert_int_equal(waiter.grant.attempts, 2);
    assert_int_equal(acquire(fixture, 2), OUTCOME_OK);
}

SCHEME_TEST(one_try_subscribes_to_nothing, true)
{
    struct grant grant;
    assert_int_equal(lock_acquire(&fixture->locks[0], &grant), OUTCOME_OK);
    const struct point_match subscribes = {POINT_BEFORE, PHASE_NONE, "SUBSCRIBE"};
    set_trap(fixture, 1, 2, 1, subscribes, 1);
    hold_to(scheme, lock_acquire(&fixture->locks[1], &grant) == OUTCOME_NO, "not kept out");
    hold_to(scheme, grant.attempts == 1, "more than one try");
    go_on(fixture); // nobody was held
}

// Each acquires as often; a wake-up that is lost would cost a minute.
SCHEME_TEST(no_wake_up_is_lost_in_a_crowd, !lock_scheme_has(scheme, "shared"))
{
    for (int round = 0; round < 40; round++) {
        _Atomic int granted = 0;
        struct act waiters[WORKERS] = {0};
        for (int i = 0; i < WORKERS; i++) {
            waiters[i].granted = &granted;
            begin_to_wait(&waiters[i], &fixture->locks[i], LONG_NS);
        }
        for (int i = 0; i < WORKERS; i++)
            hold_to(scheme, end_of(&waiters[i]) == OUTCOME_OK, "a wake-up is lost");
    }
    fixture->locks[0].options.wait_ns = 0;
    hold_to(scheme, acquire(fixture, 0) == OUTCOME_OK, "not free in the end");
}

// --- readers and a writer ------------------------------------------------------------------------

SCHEME_TEST(a_writer_that_leaves_wakes_all_readers_of_a_client, IS("redisson-rw"))
{
    struct act readers[2] = {0};
    struct neighbour neighbour;
    open_neighbour(fixture, &neighbour, 1);
    fixture->locks[1].mode = neighbour.lock.mode = LOCK_SHARED;
    assert_int_equal(acquire(fixture, 0), OUTCOME_OK);
    begin_to_wait(&readers[0], &fixture->locks[1], LONG_NS);
    begin_to_wait(&readers[1], &neighbour.lock, LONG_NS);
    await_waiters(&fixture->locks[1], 2);
    lock_release(&fixture->locks[0]);
    for (int i = 0; i < 2; i++)
        assert_int_equal(end_of(&readers[i]), OUTCOME_OK);
    assert_int_equal(acquire(fixture, 2), OUTCOME_NO);
    lock_release(&fixture->locks[1]);
    lock_release(&neighbour.lock);
    assert_int_equal(acquire(fixture, 2), OUTCOME_OK);
    lock_close(&neighbour.lock);
}

SCHEME_TEST(a_reader_that_is_about_to_wait_misses_the_writers_message, IS("redisson-rw"))
{
    struct act reader = {0}, woken = {0};
    struct neighbour neighbour;
    open_neighbour(fixture, &neighbour, 1);
    fixture->locks[1].mode = neighbour.lock.mode = LOCK_SHARED;
    assert_int_equal(acquire(fixture, 0), OUTCOME_OK);
    begin_to_wait_and_stop(fixture, &reader, 300 * NS_PER_MS);
    begin_to_wait(&woken, &neighbour.lock, LONG_NS);
    await_waiters(&fixture->locks[1], 1);
    lock_release(&fixture->locks[0]);
    assert_int_equal(end_of(&woken), OUTCOME_OK); // so the message has come
    go_on(fixture);
    assert_int_equal(end_of(&reader), OUTCOME_NO); // although it may read
    assert_int_equal(reader.grant.attempts, 2);
    lock_close(&neighbour.lock);
}

SCHEME_TEST(a_writer_that_goes_on_reading_wakes_nobody, IS("redisson-rw"))
{
    struct act reader = {0};
    struct grant grant;
    struct lock *writer = &fixture->locks[0];
    assert_int_equal(lock_acquire(writer, &grant), OUTCOME_OK);
    writer->mode = LOCK_SHARED;
    assert_int_equal(lock_reenter(writer, &grant), OUTCOME_OK);
    fixture->locks[1].mode = fixture->locks[2].mode = LOCK_SHARED;
    begin_to_wait_and_stop(fixture, &reader, 300 * NS_PER_MS);
    writer->mode = LOCK_EXCLUSIVE;
    assert_int_equal(lock_release(writer), RELEASE_RELEASED);
    go_on(fixture);
    assert_int_equal(end_of(&reader), OUTCOME_NO);
    assert_int_equal(reader.grant.attempts, 2);
    assert_int_equal(lock_acquire(&fixture->locks[2], &grant), OUTCOME_OK); // although it may read
}
