#include "harness/check/build_history_test_support.h"
#include "harness/testing/test.h"

static void derive(struct build *build)
{
    build_judge(build);
}

HISTORY_TEST(an_acquire_that_is_granted_becomes_a_hold_with_its_core, "increment")
{
    build_acquire(build, 1, 7, 1, 2, 302, 5);
    build_release(build, 1, 7, 10, 11, RELEASE_RELEASED);
    derive(build);
    assert_int_equal(build->digest.hold_count, 1);
    assert_int_equal(build->digest.attempt_count, 0);
    const struct hold *hold = &build->digest.holds[0];
    assert_int_equal(hold->operation, 7);
    assert_int_equal(hold->invoked_ns, ms(1));
    assert_int_equal(hold->granted_ns, ms(2));
    assert_int_equal(hold->released_ns, ms(10));
    assert_int_equal(hold->returned_ns, ms(11));
    assert_int_equal(hold->valid_until_ns, ms(302));
    assert_int_equal(hold->token, 5);
    assert_int_equal(hold->answer, RELEASE_RELEASED);
    assert_int_equal(hold->granted_event, 1);
    assert_int_equal(hold->released_event, 2);
    assert_false(hold->died);
}

HISTORY_TEST(an_acquire_that_is_not_granted_becomes_an_attempt, "increment")
{
    build_attempt(build, 1, 1, 1, 2, OUTCOME_NO);
    build_attempt(build, 1, 2, 3, 4, OUTCOME_UNKNOWN);
    build_attempt(build, 2, 3, 3, NEVER_MS, OUTCOME_OK);
    derive(build);
    assert_int_equal(build->digest.hold_count, 0);
    assert_int_equal(build->digest.attempt_count, 3);
    assert_int_equal(build->digest.attempts[0].outcome, OUTCOME_NO);
    assert_int_equal(build->digest.attempts[1].outcome, OUTCOME_UNKNOWN);
    assert_int_equal(build->digest.attempts[2].outcome, OUTCOME_UNKNOWN);
    assert_int_equal(build->digest.attempts[2].returned_ns, TIME_NEVER);
    assert_false(build->digest.attempts[2].died);
}

HISTORY_TEST(a_death_ends_the_hold_the_write_and_the_acquire_of_its_client_only, "increment")
{
    build_acquire(build, 1, 1, 1, 2, 302, 0);
    build_write(build, 1, 1, 3, 1, 0, 0, OUTCOME_UNKNOWN);
    build_event(build, 2, 1, 2, (struct event){.kind = EVENT_ACQUIRE_INVOKE, .args = {2}});
    build_attempt(build, 2, 3, 2, NEVER_MS, OUTCOME_OK);
    build_death(build, 1, 5);
    build_stop(build, 20, STOP_DONE);
    derive(build);
    const struct hold *hold = &build->digest.holds[0];
    assert_true(hold->died);
    assert_int_equal(hold->released_ns, ms(5));
    assert_int_equal(hold->returned_ns, TIME_NEVER);
    assert_int_equal(hold->released_event, SIZE_MAX);
    assert_int_equal(build->digest.accesses[0].outcome, OUTCOME_UNKNOWN);
    assert_int_equal(build->digest.accesses[0].returned_ns, TIME_NEVER);
    assert_int_equal(build->digest.attempt_count, 2);
    assert_true(build->digest.attempts[0].died);
    assert_int_equal(build->digest.attempts[0].worker, 2);
    assert_int_equal(build->digest.attempts[0].died_ns, ms(5));
    assert_false(build->digest.attempts[1].died);
}

HISTORY_TEST(a_hold_must_last_only_until_its_process_was_killed, "increment")
{
    build_acquire(build, 1, 1, 1, 2, NEVER_MS, 0);
    build_acquire(build, 2, 2, 1, 4, NEVER_MS, 0);
    build_read(build, 2, 2, 6, 0, 0);
    for (int client = 1; client <= 2; client++)
        build_event(build, 9, client, 0,
                    (struct event){.kind = EVENT_PROCESS_DEATH, .args = {1000, 9, 0, ms(5)}});
    derive(build);
    assert_int_equal(build->digest.holds[0].released_ns, ms(5));
    assert_int_equal(build->digest.holds[1].released_ns, ms(6.1));
    assert_int_equal(build->digest.holds[0].died_ns, ms(9));
}

HISTORY_TEST(a_death_during_the_release_leaves_the_core_where_the_release_began, "increment")
{
    build_acquire(build, 1, 1, 1, 2, 302, 0);
    build_release(build, 1, 1, 4, NEVER_MS, RELEASE_UNKNOWN);
    build_death(build, 1, 9);
    derive(build);
    const struct hold *hold = &build->digest.holds[0];
    assert_false(hold->died);
    assert_int_equal(hold->released_ns, ms(4));
    assert_int_equal(hold->returned_ns, TIME_NEVER);
    assert_int_equal(hold->died_ns, ms(9));
}

HISTORY_TEST(a_hold_open_at_the_end_ends_with_the_trial, "increment")
{
    build_acquire(build, 1, 1, 1, 2, NEVER_MS, 0);
    build_stop(build, 20, STOP_TIME);
    build_acquire(build, 2, 2, 19, 21, NEVER_MS, 0);
    derive(build);
    assert_int_equal(build->digest.holds[0].released_ns, ms(20));
    assert_int_equal(build->digest.holds[1].released_ns, ms(21));
    assert_false(build->digest.holds[0].release_invoked);
}

HISTORY_TEST(half_a_history_ends_with_its_last_event, "increment")
{
    build_acquire(build, 1, 1, 1, 2, NEVER_MS, 0);
    build_read(build, 1, 1, 7, 3, 0);
    derive(build);
    assert_false(build->digest.stop_known);
    assert_false(build->digest.final_known);
    assert_int_equal(build->digest.ended_ns, ms(7.1));
    assert_int_equal(build->digest.holds[0].released_ns, ms(7.1));
    assert_verdict(build, VERDICT_UNKNOWN);
}

HISTORY_TEST(an_empty_history_makes_an_empty_digest, "increment")
{
    derive(build);
    assert_int_equal(build->digest.hold_count, 0);
    assert_verdict(build, VERDICT_UNKNOWN);
}

HISTORY_TEST(what_makes_no_sense_is_passed_over, "increment")
{
    BUILD_EVENT(build, 1, 1, ACQUIRE_RETURN, OUTCOME_OK, 1, 0, ms(301), 1);
    BUILD_EVENT(build, 2, 1, RELEASE_RETURN, OUTCOME_OK, 1);
    BUILD_EVENT(build, 3, 1, RELEASE_INVOKE, OUTCOME_OK, 1);
    BUILD_EVENT(build, 4, 1, WRITE_RETURN, OUTCOME_OK, 1, 0, 1, 0);
    build_write(build, 1, 1, 5, 1, 0, 0, OUTCOME_OK);
    BUILD_EVENT(build, 6, 1, RENEW_RETURN, OUTCOME_OK, 1, ms(900));
    build_acquire(build, 1, 2, 7, 8, 307, 0);
    BUILD_EVENT(build, 9, 1, ACQUIRE_RETURN, OUTCOME_OK, 2, 0, ms(301), 1);
    BUILD_EVENT(build, 10, 1, RELEASE_INVOKE, OUTCOME_OK, 3);
    BUILD_EVENT(build, 11, 1, READ_RETURN, OUTCOME_OK, 2, 0, 4);
    build_event(build, 12, 65535, 65535, (struct event){.kind = EVENT_LOST});
    build_event(build, 13, 0, 0, (struct event){.kind = EVENT_FAULT_HEALED, .step = 9});
    derive(build);
    assert_int_equal(build->digest.hold_count, 1);
    assert_int_equal(build->digest.access_count, 0);
    assert_false(build->digest.holds[0].release_invoked);
}

HISTORY_TEST(a_worker_that_acquires_anew_has_given_up_what_it_held, "increment")
{
    build_acquire(build, 1, 1, 1, 2, NEVER_MS, 0);
    build_read(build, 1, 1, 3, 0, 0);
    build_acquire(build, 1, 2, 9, 10, NEVER_MS, 0);
    derive(build);
    assert_int_equal(build->digest.holds[0].released_ns, ms(3.1));
    assert_state(build, "double-grant", FINDING_KEPT);
}

HISTORY_TEST(accesses_stand_together_in_the_order_of_the_holds, "increment")
{
    build_acquire(build, 1, 1, 1, 2, NEVER_MS, 0);
    build_acquire(build, 2, 2, 1, 3, NEVER_MS, 0);
    build_read(build, 2, 2, 4, 10, 0);
    build_read(build, 1, 1, 5, 11, 0);
    build_write(build, 2, 2, 6, 11, 10, 0, OUTCOME_OK);
    build_write(build, 1, 1, 7, 12, 11, 0, OUTCOME_NO);
    derive(build);
    assert_int_equal(build->digest.access_count, 4);
    for (size_t i = 0; i < 2; i++) {
        const struct hold *hold = &build->digest.holds[i];
        assert_int_equal(hold->access_count, 2);
        assert_int_equal(build->digest.accesses[hold->first_access].hold, i);
        assert_int_equal(build->digest.accesses[hold->first_access + 1].hold, i);
        assert_true(build->digest.accesses[hold->first_access + 1].is_write);
    }
    assert_int_equal(build->digest.accesses[0].value, 11);
    assert_int_equal(build->digest.accesses[1].outcome, OUTCOME_NO);
    assert_int_equal(build->digest.accesses[1].seen, 11);
}

HISTORY_TEST(a_renewal_in_time_extends_the_lease_and_a_late_one_proves_nothing, "increment")
{
    build_acquire(build, 1, 1, 0, 1, 300, 0);
    BUILD_EVENT(build, 100, 1, RENEW_RETURN, OUTCOME_OK, 1, ms(390));
    BUILD_EVENT(build, 200, 1, RENEW_RETURN, OUTCOME_NO, 1, ms(490));
    BUILD_EVENT(build, 389, 1, RENEW_RETURN, OUTCOME_OK, 1, ms(680));
    BUILD_EVENT(build, 500, 1, RENEW_RETURN, OUTCOME_OK, 1, ms(790));
    derive(build);
    assert_int_equal(build->digest.holds[0].proven_until_ns, ms(390));
    assert_int_equal(build->digest.holds[0].valid_until_ns, ms(790));
}

HISTORY_TEST(faults_stalls_and_the_end_are_noted, "increment")
{
    build_begin(build, 3);
    build_fault(build, "pause", 1, 5, 8);
    build_fault(build, "pause", 2, NEVER_MS, NEVER_MS);
    build_stall(build, 9, 2);
    build_stop(build, 20, STOP_LIMIT);
    build_final(build, 21, 4);
    derive(build);
    assert_int_equal(build->digest.fault_count, 2);
    assert_int_equal(build->digest.faults[0].in_effect_ns, ms(5));
    assert_int_equal(build->digest.faults[0].healed_ns, ms(8));
    assert_int_equal(build->digest.faults[1].asked_ns, TIME_NEVER);
    assert_int_equal(build->digest.faults[1].in_effect_ns, TIME_NEVER);
    assert_int_equal(build->digest.stall_count, 1);
    assert_int_equal(build->digest.stalls[0].from_ns, ms(7));
    assert_int_equal(build->digest.stalls[0].to_ns, ms(9));
    assert_int_equal(build->digest.started_ns, ms(0));
    assert_int_equal(build->digest.ended_ns, ms(20));
    assert_int_equal(build->digest.stop_reason, STOP_LIMIT);
    assert_int_equal(build->digest.initial_value, 3);
    assert_int_equal(build->digest.final_value, 4);
}

TEST(drift_is_a_hundredth_of_the_lease_and_two_milliseconds)
{
    assert_int_equal(allowed_drift_ns(300 * NS_PER_MS), 5 * NS_PER_MS);
}
