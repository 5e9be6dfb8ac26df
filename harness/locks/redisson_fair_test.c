// Redisson's fair lock: the order of its queue, and who falls out of it.
#include "harness/locks/test_redisson.h"

#include "harness/base/clock_shift.h"

static const struct contract redisson_contract = {REDISSON_CONTRACT};

#define QUEUE "redisson_lock_queue"
#define TIMEOUTS "redisson_lock_timeout"

CONTRACT_GROUP(redisson_contract);

SCHEME_TEST(waiters_are_granted_in_the_order_of_their_coming, IS("redisson-fair"))
{
    _Atomic int granted = 0;
    struct act waiters[3] = {{.granted = &granted}, {.granted = &granted}, {.granted = &granted}};
    struct neighbour neighbour;
    open_neighbour(fixture, &neighbour, 1);
    struct lock *const order[] = {&fixture->locks[2], &neighbour.lock, &fixture->locks[1]};
    assert_int_equal(acquire(fixture, 0), OUTCOME_OK);
    for (int i = 0; i < 3; i++) {
        begin_to_wait(&waiters[i], order[i], LONG_NS);
        AWAIT(probe(fixture, "LLEN", key_of(fixture, QUEUE)) == i + 1);
    }
    assert_int_equal(probe(fixture, "ZCARD", key_of(fixture, TIMEOUTS)), 3);
    lock_release(&fixture->locks[0]);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(end_of(&waiters[i]), OUTCOME_OK);
        assert_int_equal(waiters[i].turn, i);
    }
    assert_int_equal(probe(fixture, "EXISTS", key_of(fixture, QUEUE)), 0);
    assert_int_equal(probe(fixture, "EXISTS", key_of(fixture, TIMEOUTS)), 0);
    lock_close(&neighbour.lock);
}

// How long the last place in the queue is kept, from 1970.
#define LAST_SCORE "return redis.call('ZRANGE', KEYS[1], -1, -1, 'WITHSCORES')[2]"

SCHEME_TEST(who_gives_up_leaves_the_queue_and_those_behind_wait_the_less, IS("redisson-fair"))
{
    struct act first = {0}, second = {0};
    assert_int_equal(acquire(fixture, 0), OUTCOME_OK);
    begin_to_wait(&first, &fixture->locks[1], 500 * NS_PER_MS);
    AWAIT(probe(fixture, "LLEN", key_of(fixture, QUEUE)) == 1);
    begin_to_wait(&second, &fixture->locks[2], LONG_NS);
    AWAIT(probe(fixture, "LLEN", key_of(fixture, QUEUE)) == 2);
    int64_t before = strtoll(look(fixture, LAST_SCORE, key_of(fixture, TIMEOUTS)).text, NULL, 10);
    assert_int_equal(end_of(&first), OUTCOME_NO);
    assert_int_equal(probe(fixture, "LLEN", key_of(fixture, QUEUE)), 1);
    assert_int_equal(probe(fixture, "ZCARD", key_of(fixture, TIMEOUTS)), 1);
    int64_t after = strtoll(look(fixture, LAST_SCORE, key_of(fixture, TIMEOUTS)).text, NULL, 10);
    assert_int_equal(before - after, 500);
    lock_release(&fixture->locks[0]);
    assert_int_equal(end_of(&second), OUTCOME_OK);
}

SCHEME_TEST(a_client_whose_clock_is_ahead_throws_the_others_out_of_the_queue, IS("redisson-fair"))
{
    struct act waiter = {0};
    struct clock_shift ahead = {0};
    fixture->actors[2].clock.shift = &ahead;
    assert_int_equal(acquire(fixture, 0), OUTCOME_OK);
    begin_to_wait(&waiter, &fixture->locks[1], LONG_NS);
    await_waiters(&fixture->locks[1], 1); // it asks no more: it would queue up again
    assert_int_equal(acquire(fixture, 2), OUTCOME_NO);
    assert_int_equal(probe(fixture, "LLEN", key_of(fixture, QUEUE)), 1);
    clock_shift_set(&ahead, SHIFTED_REALTIME, clock_realtime_ns(), 3600 * NS_PER_S,
                    CLOCK_RATE_NORMAL);
    assert_int_equal(acquire(fixture, 2), OUTCOME_NO);
    assert_int_equal(probe(fixture, "LLEN", key_of(fixture, QUEUE)), 0);
    atomic_store(&fixture->stop, 1); // nobody will wake the one who was thrown out
    assert_int_equal(end_of(&waiter), OUTCOME_NO);
    atomic_store(&fixture->stop, 0);
    fixture->actors[2].clock.shift = NULL;
}

SCHEME_TEST(a_place_counts_anew_after_an_attempt_without_an_answer, IS("redisson-fair"))
{
    static const struct {
        enum outcome outcome;
        int places;
    } attempts[] = {{OUTCOME_NO, 1}, {OUTCOME_NO, 0}, {OUTCOME_UNKNOWN, 0}, {OUTCOME_UNKNOWN, 0},
                    {OUTCOME_NO, 1}, {OUTCOME_NO, 0}, {OUTCOME_UNKNOWN, 0}, {OUTCOME_OK, 1}};
    struct grant grant = {0};
    struct history_follower *follower = history_follower_new(&fixture->history);
    count_places(follower);
    for (size_t i = 0; i < sizeof attempts / sizeof *attempts; i++) {
        grant.attempts++;
        redisson_queued(&fixture->locks[0], &grant, attempts[i].outcome, NS_PER_S);
        assert_int_equal(count_places(follower), attempts[i].places);
    }
    history_follower_free(follower);
}

SCHEME_TEST(only_a_fair_unlock_of_what_has_run_out_is_answered_as_if_it_were_held,
            lock_scheme_has(scheme, "owner-checked"))
{
    assert_int_equal(acquire(fixture, 0), OUTCOME_OK);
    probe(fixture, "DEL", fixture->name);
    enum release_answer answer = lock_release(&fixture->locks[0]);
    hold_to(scheme,
            answer == (lock_scheme_has(scheme, "fair") ? RELEASE_RELEASED : RELEASE_NOT_OWNER),
            "its unlock of what has run out is not answered as Redisson's is");
}
