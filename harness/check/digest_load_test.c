// What the digest says of the load that a trial was under.
#include "harness/check/build_history_test_support.h"
#include "harness/testing/test.h"

static void operation(struct build *build, int64_t number, double intended_ms, double invoked_ms)
{
    BUILD_EVENT(build, invoked_ms, 1, ACQUIRE_INVOKE, OUTCOME_OK, number, 0, ms(intended_ms), 2);
    BUILD_EVENT(build, invoked_ms + 1, 1, ACQUIRE_RETURN, OUTCOME_OK, number, 0, ms(900), 1);
    build_release(build, 1, number, invoked_ms + 2, invoked_ms + 3, RELEASE_RELEASED);
}

static void digest_of(struct build *build)
{
    build->history = (struct history){.events = build->events, .count = build->count};
    digest_make(&build->history, &build->trial, &build->digest);
    build->judged = true;
}

HISTORY_TEST(phases_follow_each_other_to_the_end, "increment")
{
    BUILD_EVENT(build, 0, 0, LOAD, OUTCOME_OK, 1, 4, 500000, 0);
    BUILD_EVENT(build, 100, 0, LOAD, OUTCOME_OK, 2, 2, 0, 1);
    BUILD_EVENT(build, 300, 0, STOP_ASKED, OUTCOME_OK);
    digest_of(build);
    const struct load_phase *phases = build->digest.phases;
    assert_int_equal(build->digest.phase_count, 2);
    assert_int_equal(phases[0].from_ns, ms(0));
    assert_int_equal(phases[0].to_ns, ms(100));
    assert_int_equal(phases[0].clients, 4);
    assert_int_equal(phases[0].rate, 500000);
    assert_false(phases[0].counts);
    assert_int_equal(phases[1].to_ns, ms(300));
    assert_int_equal(phases[1].rate, 0);
    assert_true(phases[1].counts);
}

HISTORY_TEST(an_operation_keeps_its_time_and_its_key, "increment")
{
    operation(build, 1, 5, 10);
    BUILD_EVENT(build, 20, 1, ACQUIRE_INVOKE, OUTCOME_OK, 2, 0, ms(18), 1);
    BUILD_EVENT(build, 25, 1, ACQUIRE_RETURN, OUTCOME_NO, 2);
    digest_of(build);
    assert_int_equal(build->digest.holds[0].intended_ns, ms(5));
    assert_int_equal(build->digest.holds[0].invoked_ns, ms(10));
    assert_int_equal(build->digest.holds[0].key, 2);
    assert_int_equal(build->digest.attempts[0].intended_ns, ms(18));
    assert_int_equal(build->digest.attempts[0].key, 1);
}

// Of what was due, what began before the stop; neither what was to begin in a warm-up, nor what has
// no time at all.
HISTORY_TEST(what_began_is_counted_without_the_warm_up, "increment")
{
    BUILD_EVENT(build, 0, 0, LOAD, OUTCOME_OK, 1, 4, 500000, 0);
    operation(build, 1, 10, 20);
    BUILD_EVENT(build, 100, 0, LOAD, OUTCOME_OK, 2, 4, 500000, 1);
    operation(build, 2, 99, 110);
    operation(build, 3, 100, 120);
    operation(build, 4, 150, 151);
    build_acquire(build, 2, 5, 160, 161, 900, 0);
    build_attempt(build, 3, 6, 162, 163, OUTCOME_NO);
    BUILD_EVENT(build, 200, 0, STOP_ASKED, OUTCOME_OK, 7);
    operation(build, 7, 190, 201);
    digest_of(build);
    assert_int_equal(build->digest.due_operations, 7);
    assert_int_equal(build->digest.begun_operations, 2);
}

HISTORY_TEST(a_trial_without_a_load_has_no_phases, "increment")
{
    build_acquire(build, 2, 5, 160, 161, 900, 0);
    BUILD_EVENT(build, 200, 0, STOP_ASKED, OUTCOME_OK);
    digest_of(build);
    assert_int_equal(build->digest.phase_count, 0);
    assert_int_equal(build->digest.due_operations, 0);
    assert_int_equal(build->digest.begun_operations, 0);
}
