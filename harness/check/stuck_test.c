#include "harness/check/build_history_test_support.h"
#include "harness/testing/test.h"

HISTORY_TEST(a_lock_without_a_lease_is_stuck_after_a_crash, "increment")
{
    build_crash(build, NEVER_MS, 1310, STOP_STUCK);
    build_judge(build);
    assert_state(build, "stuck", FINDING_VIOLATED);
    assert_verdict(build, VERDICT_STUCK);
    assert_string_equal(
        build->judgement.reason,
        "nobody was granted the lock in the 1.30 s after client-1 died holding the "
        "lock, although 3 workers waited; the lock has no lease: nothing will ever free it");
    const struct finding *finding = finding_named(build, "stuck");
    assert_int_equal(finding->evidence.holds[0], 0);
    assert_int_equal(finding->evidence.from_ns, ms(10));
    assert_int_equal(finding->evidence.to_ns, ms(1310));
}

// That may be what keeps everybody from the lock. A disconnect that failed has changed nothing.
TEST(nothing_is_called_stuck_if_servers_were_left_down)
{
    static const char *const verbs[] = {"restart", "failover", "disconnect"};
    for (size_t i = 0; i < 3; i++) {
        struct build build;
        build_start(&build, "increment");
        build_crash(&build, NEVER_MS, 1310, STOP_STUCK);
        build_fault(&build, verbs[i], 0, NEVER_MS, NEVER_MS);
        build_event(&build, 11, 0, 0, (struct event){.kind = EVENT_FAULT_ASKED, .step = 2});
        build_event(&build, 12, 0, 0, (struct event){.kind = EVENT_FAULT_FAILED, .step = 2});
        build_judge(&build);
        assert_state(&build, "stuck", FINDING_VIOLATED);
        assert_verdict(&build, i < 2 ? VERDICT_UNKNOWN : VERDICT_STUCK);
        if (i < 2)
            assert_text_has(build.judgement.reason, "it was tried and FAILED");
        build_free(&build);
    }
}

HISTORY_TEST(a_lease_that_never_frees_the_lock_is_stuck, "increment")
{
    build_crash(build, 300, 1310, STOP_TIME);
    build_judge(build);
    assert_verdict(build, VERDICT_STUCK);
    assert_text_has(build->judgement.reason, "the lease of 300 ms should have freed it");
}

HISTORY_TEST(a_lease_that_frees_the_lock_is_not_stuck, "increment")
{
    build_begin(build, 0);
    build_acquire(build, 1, 1, 0, 1, 300, 0);
    build_fault(build, "kill", 1, 10.5, NEVER_MS);
    build_death(build, 1, 10);
    build_acquire(build, 2, 2, 5, 305, 605, 0);
    build_release(build, 2, 2, 306, 307, RELEASE_RELEASED);
    build_stop(build, 1000, STOP_DONE);
    build_final(build, 1001, 0);
    build_judge(build);
    assert_state(build, "stuck", FINDING_KEPT);
    assert_verdict(build, VERDICT_SAFE);
}

HISTORY_TEST(an_observation_that_ends_too_soon_decides_nothing, "increment")
{
    build_crash(build, 300, 110, STOP_TIME);
    build_judge(build);
    assert_state(build, "stuck", FINDING_UNDECIDED);
    assert_verdict(build, VERDICT_UNKNOWN);
    assert_text_has(build->judgement.reason, "waited in vain for only 100 ms");
}

HISTORY_TEST(nobody_who_waits_is_nobody_stuck, "increment")
{
    build_begin(build, 0);
    build_acquire(build, 1, 1, 0, 1, NEVER_MS, 0);
    build_death(build, 1, 10);
    build_stop(build, 5000, STOP_DONE);
    build_judge(build);
    assert_state(build, "stuck", FINDING_KEPT);
}

HISTORY_TEST(a_living_holder_is_no_stuckness_even_if_paused, "increment")
{
    build_begin(build, 0);
    build_acquire(build, 1, 1, 0, 1, NEVER_MS, 0);
    build_fault(build, "pause", 1, 5, NEVER_MS);
    build_attempt(build, 2, 2, 5, NEVER_MS, OUTCOME_OK);
    build_stop(build, 5000, STOP_STUCK);
    build_final(build, 5001, 0);
    build_judge(build);
    assert_state(build, "stuck", FINDING_KEPT);
    assert_verdict(build, VERDICT_UNKNOWN);
    assert_text_has(build->judgement.reason, "does not prove it stuck");
}

HISTORY_TEST(a_living_holder_whose_lease_ran_out_blocks_nobody, "increment")
{
    build_begin(build, 0);
    build_acquire(build, 1, 1, 0, 1, 300, 0);
    build_fault(build, "pause", 1, 5, NEVER_MS);
    build_attempt(build, 2, 2, 5, NEVER_MS, OUTCOME_OK);
    build_stop(build, 2000, STOP_STUCK);
    build_judge(build);
    assert_state(build, "stuck", FINDING_VIOLATED);
    assert_text_has(finding_named(build, "stuck")->text, "client-1's lease ran out");
}

HISTORY_TEST(a_crash_inside_an_acquire_can_leave_the_lock_behind, "increment")
{
    build_begin(build, 0);
    build_hold(build, 2, 1, 0, 1, 300);
    build_attempt(build, 1, 2, 2, NEVER_MS, OUTCOME_OK);
    build_death(build, 1, 5);
    build_attempt(build, 2, 3, 3, 503, OUTCOME_NO);
    build_attempt(build, 2, 4, 510, 1010, OUTCOME_NO);
    build_stop(build, 1020, STOP_DONE);
    build_judge(build);
    assert_state(build, "stuck", FINDING_VIOLATED);
    assert_text_has(
        finding_named(build, "stuck")->text,
        "client-1 died while acquiring the lock, although 1 worker waited; the lease of "
        "300 ms should have freed it");
}

HISTORY_TEST(a_crash_inside_a_release_can_leave_the_lock_behind, "increment")
{
    build_begin(build, 0);
    build_acquire(build, 1, 1, 0, 1, NEVER_MS, 0);
    build_release(build, 1, 1, 5, NEVER_MS, RELEASE_UNKNOWN);
    build_death(build, 1, 10);
    build_attempt(build, 2, 2, 3, NEVER_MS, OUTCOME_OK);
    build_stop(build, 1020, STOP_STUCK);
    build_judge(build);
    assert_state(build, "stuck", FINDING_VIOLATED);
}

HISTORY_TEST(an_acquire_without_an_answer_can_leave_the_lock_behind, "increment")
{
    build_begin(build, 0);
    build_hold(build, 2, 1, 0, 1, NEVER_MS);
    build_attempt(build, 1, 2, 2, 50, OUTCOME_UNKNOWN);
    build_attempt(build, 2, 3, 3, NEVER_MS, OUTCOME_OK);
    build_stop(build, 1020, STOP_STUCK);
    build_judge(build);
    assert_state(build, "stuck", FINDING_VIOLATED);
    assert_text_has(finding_named(build, "stuck")->text, "got no answer to its acquire");
}

HISTORY_TEST(acquires_without_answers_to_the_end_decide_nothing, "increment")
{
    build_begin(build, 0);
    build_hold(build, 2, 1, 0, 1, 300);
    for (int i = 0; i < 10; i++) {
        build_attempt(build, 1, 10 + i, 2 + 100 * i, 100 + 100 * i, OUTCOME_UNKNOWN);
        build_attempt(build, 2, 30 + i, 2 + 100 * i, 100 + 100 * i, OUTCOME_NO);
    }
    build_stop(build, 1020, STOP_DONE);
    build_judge(build);
    assert_state(build, "stuck", FINDING_KEPT);
}

HISTORY_TEST(what_ends_a_client_after_the_trial_says_nothing, "increment")
{
    build_begin(build, 0);
    build_acquire(build, 1, 1, 0, 1, NEVER_MS, 0);
    build_attempt(build, 2, 2, 3, NEVER_MS, OUTCOME_OK);
    build_stop(build, 1020, STOP_TIME);
    build_death(build, 1, 1030);
    build_death(build, 2, 1030);
    build_judge(build);
    assert_state(build, "stuck", FINDING_KEPT);
}

HISTORY_TEST(waiters_that_are_killed_after_the_trial_had_waited_all_the_same, "increment")
{
    build_begin(build, 0);
    build_acquire(build, 1, 1, 0, 1, NEVER_MS, 0);
    build_death(build, 1, 10);
    build_attempt(build, 2, 2, 3, NEVER_MS, OUTCOME_OK);
    build_stop(build, 1020, STOP_STUCK);
    build_death(build, 2, 1030);
    build_judge(build);
    assert_state(build, "stuck", FINDING_VIOLATED);
}

HISTORY_TEST(a_free_lock_that_nobody_gets_is_stuck, "increment")
{
    build_begin(build, 0);
    build_hold(build, 1, 1, 0, 10, 300);
    build_attempt(build, 2, 2, 3, NEVER_MS, OUTCOME_OK);
    build_stop(build, 1020, STOP_STUCK);
    build_judge(build);
    assert_state(build, "stuck", FINDING_VIOLATED);
    assert_text_has(finding_named(build, "stuck")->text, "client-1 released it");
}

HISTORY_TEST(a_trial_that_stops_between_two_holds_is_not_stuck, "increment")
{
    build_begin(build, 0);
    build_hold(build, 1, 1, 0, 10, 300);
    build_attempt(build, 2, 2, 3, 55, OUTCOME_NO);
    build_stop(build, 50, STOP_TIME);
    build_final(build, 60, 0);
    build_judge(build);
    assert_state(build, "stuck", FINDING_KEPT);
    assert_verdict(build, VERDICT_SAFE);
}

HISTORY_TEST(a_grant_after_the_stop_still_shows_that_the_lock_can_be_had, "increment")
{
    build_crash(build, NEVER_MS, 1310, STOP_TIME);
    build_acquire(build, 9, 99, 20, 1312, NEVER_MS, 0);
    build_judge(build);
    assert_state(build, "stuck", FINDING_KEPT);
}

HISTORY_TEST(a_lock_nobody_ever_gets_is_stuck, "increment")
{
    build_begin(build, 0);
    build_attempt(build, 2, 2, 3, NEVER_MS, OUTCOME_OK);
    build_stop(build, 1020, STOP_STUCK);
    build_judge(build);
    assert_verdict(build, VERDICT_STUCK);
    assert_text_has(build->judgement.reason, "after the trial began");
}

HISTORY_TEST(slow_hand_offs_of_the_same_history_are_allowed_for, "increment")
{
    build_begin(build, 0);
    build_hold(build, 2, 90, 0, 1, 300);
    build_acquire(build, 3, 91, 1, 901, 1201, 0);
    build_release(build, 3, 91, 902, 903, RELEASE_RELEASED);
    build_hold(build, 1, 92, 1000, 1001, 1300);
    build_attempt(build, 2, 93, 1000, 2100, OUTCOME_NO);
    build_stop(build, 2100, STOP_DONE);
    build_judge(build);
    assert_state(build, "stuck", FINDING_KEPT);
}

HISTORY_TEST(a_machine_that_stood_still_meanwhile_is_allowed_for, "increment")
{
    build_crash(build, NEVER_MS, 1310, STOP_STUCK);
    build_stall(build, 1200, 900);
    build_judge(build);
    assert_state(build, "stuck", FINDING_UNDECIDED);
}

HISTORY_TEST(the_wait_counts_from_the_end_of_the_last_fault, "increment")
{
    build_begin(build, 0);
    build_hold(build, 1, 1, 0, 10, 300);
    build_fault(build, "pause", 3, 12, 900);
    build_attempt(build, 2, 2, 3, NEVER_MS, OUTCOME_OK);
    build_stop(build, 1020, STOP_STUCK);
    build_judge(build);
    assert_state(build, "stuck", FINDING_UNDECIDED);
}

HISTORY_TEST(a_worker_that_a_fault_stops_does_not_wait, "increment")
{
    build_begin(build, 0);
    build_hold(build, 1, 1, 0, 10, 300);
    build_fault(build, "pause", 2, 12, NEVER_MS);
    build_attempt(build, 2, 2, 3, NEVER_MS, OUTCOME_OK);
    build_stop(build, 5020, STOP_STUCK);
    build_judge(build);
    assert_state(build, "stuck", FINDING_KEPT);
}

HISTORY_TEST(a_worker_stopped_inside_its_acquire_may_hold_a_lock_without_a_lease, "increment")
{
    build_begin(build, 0);
    build_hold(build, 1, 1, 0, 10, NEVER_MS);
    build_fault(build, "pause", 2, 12, NEVER_MS);
    build_attempt(build, 2, 2, 3, NEVER_MS, OUTCOME_OK);
    build_attempt(build, 3, 3, 3, NEVER_MS, OUTCOME_OK);
    build_stop(build, 5020, STOP_STUCK);
    build_judge(build);
    assert_state(build, "stuck", FINDING_UNDECIDED);
    assert_text_has(finding_named(build, "stuck")->text, "may hold the lock");
}

// Two servers are down of three, or of five: with three left the others still agree.
TEST(a_dead_majority_is_named_as_the_cause)
{
    for (int servers = 3; servers <= 5; servers += 2) {
        struct build build;
        build_start(&build, "increment");
        build_crash(&build, NEVER_MS, 1310, STOP_STUCK);
        build.trial.servers = servers;
        build.trial.by_majority = true;
        build_fault(&build, "kill", 0, 11, NEVER_MS);
        build_fault(&build, "kill", 0, 12, NEVER_MS);
        build_judge(&build);
        assert_true(build.judgement.verdict == VERDICT_STUCK ||
                    build.judgement.verdict == VERDICT_UNKNOWN);
        if (servers == 3)
            assert_text_has(build.judgement.reason, "; 2 of 3 servers were down (faults 2, 3)");
        else
            assert_null(strstr(build.judgement.reason, "servers were down"));
        build_free(&build);
    }
}
