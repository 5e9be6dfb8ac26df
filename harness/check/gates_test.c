#include "harness/check/build_history_test_support.h"
#include "harness/testing/test.h"

#include <errno.h>

static void build_end(struct build *build, enum stop_reason reason)
{
    build_stop(build, 50, reason);
    build_final(build, 51, 4);
    build_judge(build);
}

static void assert_unknown(const struct build *build, const char *reason)
{
    assert_verdict(build, VERDICT_UNKNOWN);
    assert_text_has(build->judgement.reason, reason);
}

TEST(a_trial_without_faults_and_violations_is_safe)
{
    struct build build;
    build_traffic(&build);
    build_end(&build, STOP_DONE);
    assert_verdict(&build, VERDICT_SAFE);
    assert_text_has(build.judgement.reason, "4 holds");
    build_free(&build);
}

TEST(a_fault_whose_point_was_never_reached_proves_nothing)
{
    struct build build;
    build_traffic(&build);
    build_fault(&build, "pause", 1, NEVER_MS, NEVER_MS);
    build_end(&build, STOP_DONE);
    assert_unknown(&build,
                   "fault 1 (pause client after read) never took effect: its point was never "
                   "reached");
    build_free(&build);
}

TEST(a_command_that_was_never_reached_may_not_be_one_of_the_scheme)
{
    struct build build;
    build_traffic(&build);
    build_fault(&build, "pause", 1, NEVER_MS, NEVER_MS);
    build.steps[0].points[0] =
        (struct point_name){.client = 1, .moment = MOMENT_AFTER, .what = "GET", .phase = "release"};
    build_end(&build, STOP_DONE);
    assert_unknown(&build, "its point was never reached; is it a command that this scheme sends? "
                           "see lockpick history");
    build_free(&build);
}

TEST(a_point_that_was_reached_too_rarely_asks_for_more)
{
    struct build build;
    build_traffic(&build);
    build_fault(&build, "pause", 1, NEVER_MS, NEVER_MS);
    build.steps[0].nth = 30;
    build_end(&build, STOP_DONE);
    assert_unknown(&build, "never reached so often or so late; more operations would do");
    build_free(&build);
}

TEST(a_reason_has_room_for_its_advice_however_long_the_fault)
{
    char text[600];
    struct build build;
    build_traffic(&build);
    build_fault(&build, "pause", 1, 7, 8);
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    build.steps[0].text = text;
    build_end(&build, STOP_DONE);
    assert_unknown(&build, "let another client compete: more operations, more clients.processes "
                           "(now 2), or lead");
    build_free(&build);
}

TEST(a_fault_whose_time_never_came_proves_nothing)
{
    struct build build;
    build_traffic(&build);
    build_fault(&build, "pause", 1, NEVER_MS, NEVER_MS);
    build.steps[0].at_ns = NS_PER_S;
    build_end(&build, STOP_DONE);
    assert_unknown(&build, "the trial ended before its time");
    build_free(&build);
}

TEST(a_fault_that_failed_proves_nothing)
{
    struct build build;
    build_traffic(&build);
    build_fault(&build, "pause", 1, NEVER_MS, NEVER_MS);
    build_event(&build, 9, 0, 0, (struct event){.kind = EVENT_FAULT_ASKED, .step = 1});
    build_event(&build, 9, 0, 0,
                (struct event){.kind = EVENT_FAULT_FAILED, .step = 1, .args = {1, 0, ESRCH}});
    build_end(&build, STOP_DONE);
    assert_unknown(&build, "it was tried and FAILED: No such process");
    build_free(&build);
}

TEST(a_pause_that_others_met_is_a_test)
{
    struct build build;
    build_traffic(&build);
    build_fault(&build, "pause", 1, 8, 12);
    build_end(&build, STOP_DONE);
    assert_verdict(&build, VERDICT_SAFE);
    build_free(&build);
}

TEST(a_pause_that_nobody_met_proves_nothing)
{
    struct build build;
    build_traffic(&build);
    build_fault(&build, "pause", 1, 7, 8);
    build_end(&build, STOP_DONE);
    assert_unknown(&build, "met no traffic: nobody else went for the lock during it");
    build_free(&build);
}

TEST(traffic_before_or_after_the_pause_is_none_during_it)
{
    struct build build;
    build_traffic(&build);
    build_fault(&build, "pause", 1, 7, 8);
    build_attempt(&build, 3, 50, 6, NEVER_MS, OUTCOME_OK);
    build_death(&build, 3, 6.5);
    build_attempt(&build, 4, 51, 5, 6, OUTCOME_NO);
    build_attempt(&build, 4, 52, 9, 9.5, OUTCOME_NO);
    build_end(&build, STOP_DONE);
    assert_unknown(&build, "met no traffic");
    build_free(&build);
}

TEST(the_target_itself_is_no_traffic)
{
    struct build build;
    build_traffic(&build);
    build_fault(&build, "pause", 2, 7, 8);
    build_attempt(&build, 2, 50, 7.5, NEVER_MS, OUTCOME_OK);
    build_end(&build, STOP_DONE);
    assert_unknown(&build, "met no traffic");
    build_free(&build);
}

TEST(another_worker_of_a_client_of_which_one_is_paused_is_traffic)
{
    struct build build;
    build_traffic(&build);
    build_fault(&build, "pause", 1, 20.1, 21.5);
    build.steps[0].target.worker = 2;
    build_end(&build, STOP_DONE);
    assert_verdict(&build, VERDICT_SAFE);
    build_free(&build);
}

TEST(a_kill_that_nobody_came_after_proves_nothing)
{
    struct build build;
    build_traffic(&build);
    build_fault(&build, "kill", 2, 45, NEVER_MS);
    build_death(&build, 2, 44);
    build_end(&build, STOP_DONE);
    assert_unknown(&build, "nobody else went for the lock after it");
    build_free(&build);
}

TEST(a_kill_that_others_came_after_is_a_test)
{
    struct build build;
    build_traffic(&build);
    build_fault(&build, "kill", 3, 15, NEVER_MS);
    build_death(&build, 3, 14);
    build_end(&build, STOP_DONE);
    assert_verdict(&build, VERDICT_SAFE);
    build_free(&build);
}

TEST(a_kill_is_met_from_when_it_was_sent)
{
    struct build build;
    build_traffic(&build);
    build_fault(&build, "kill", 3, 45, NEVER_MS); // noticed so late
    for (size_t i = 0; i < build.count; i++) {
        if (build.events[i].kind == EVENT_FAULT_ASKED)
            build.events[i].at_ns = ms(15);
    }
    build_death(&build, 3, 45);
    build_end(&build, STOP_DONE);
    assert_verdict(&build, VERDICT_SAFE);
    build_free(&build);
}

TEST(a_cut_that_no_packet_met_proves_nothing)
{
    for (int64_t met = 0; met < 2; met++) {
        struct build build;
        build_traffic(&build);
        build_fault(&build, "cut", 0, 20.1, 21.5);
        build.steps[0].side_counts[0] = build.steps[0].side_counts[1] = 1;
        for (size_t i = 0; i < build.count; i++) {
            if (build.events[i].kind == EVENT_FAULT_HEALED)
                build.events[i].args[3] = met;
        }
        build_end(&build, STOP_DONE);
        if (met == 0)
            assert_unknown(&build, "met no packet");
        else
            assert_verdict(&build, VERDICT_SAFE);
        build_free(&build);
    }
}

TEST(a_fault_that_could_not_be_ended_proves_nothing)
{
    struct build build;
    build_traffic(&build);
    build_fault(&build, "restart", 0, 7, NEVER_MS);
    struct event failed = {.kind = EVENT_FAULT_FAILED, .step = 1};
    struct event note = {.kind = EVENT_NOTE, .step = 1};
    build_event(&build, 8, 0, 0, failed);
    memcpy(note.args, "it would not start: the disk is ", 32);
    build_event(&build, 8, 0, 0, note);
    note = (struct event){.kind = EVENT_NOTE, .step = 1};
    memcpy(note.args, "full", 4);
    build_event(&build, 8, 0, 0, note);
    build_end(&build, STOP_DONE);
    assert_unknown(&build, "was never over: its end was tried and FAILED: it would not start: the "
                           "disk is full");
    build_free(&build);
}

HISTORY_TEST(a_trial_without_a_hold_proves_nothing, "increment")
{
    build_begin(build, 0);
    build_stop(build, 50, STOP_DONE);
    build_final(build, 51, 0);
    build_judge(build);
    assert_unknown(build, "nobody was ever granted the lock");
}

TEST(a_trial_that_ran_into_its_limit_or_broke_proves_nothing)
{
    struct build build;
    build_traffic(&build);
    build_end(&build, STOP_LIMIT);
    assert_unknown(&build, "ran into its time limit after 50 ms");
    build_free(&build);
    build_traffic(&build);
    build_end(&build, STOP_BROKEN);
    assert_unknown(&build, "the harness or its set-up failed");
    build_free(&build);
}

TEST(a_history_that_breaks_off_proves_nothing)
{
    struct build build;
    build_traffic(&build);
    build_final(&build, 51, 4);
    build_judge(&build);
    assert_unknown(&build, "the history breaks off");
    build_free(&build);
}

HISTORY_TEST(one_worker_alone_does_not_put_exclusion_to_the_test, "increment")
{
    build_begin(build, 0);
    build_hold(build, 1, 1, 0, 1, 300);
    build_hold(build, 1, 2, 2, 3, 302);
    build_stop(build, 50, STOP_DONE);
    build_final(build, 51, 0);
    build_judge(build);
    assert_unknown(build, "only one worker ever went for the lock: exclusion was not put to the "
                          "test; more clients, threads or operations would");
    assert_false(build->judgement.is_measurement); // there were two who could have
}

HISTORY_TEST(locks_of_ones_own_are_measured_and_not_judged, "increment")
{
    build->scenario.clients.processes = 2;
    build->scenario.clients.threads = 1;
    build->scenario.workload.keys = KEYS_OWN;
    build_begin(build, 0);
    build_hold(build, 1, 1, 0, 1, 300);
    build_hold(build, 1, 2, 2, 3, 302);
    build_stop(build, 50, STOP_DONE);
    build_final(build, 51, 0);
    build_judge(build);
    assert_int_equal(build->judgement.verdict, VERDICT_UNKNOWN);
    assert_true(build->judgement.is_measurement);
}

HISTORY_TEST(a_second_worker_that_only_tried_puts_it_to_the_test, "increment")
{
    build->scenario.lock.wait_ns = 0;
    build_begin(build, 0);
    build_hold(build, 1, 1, 0, 20, 300);
    build_attempt(build, 2, 2, 2, 15, OUTCOME_NO);
    build_stop(build, 16, STOP_DONE);
    build_final(build, 51, 0);
    build_judge(build);
    assert_verdict(build, VERDICT_SAFE);
}

TEST(evidence_needs_no_gates)
{
    struct build build;
    build_traffic(&build);
    build_hold(&build, 3, 77, 2, 3, NEVER_MS);
    build_fault(&build, "pause", 1, NEVER_MS, NEVER_MS);
    build_end(&build, STOP_LIMIT);
    assert_verdict(&build, VERDICT_UNSAFE);
    build_free(&build);
}

TEST(a_broken_request_is_an_error_and_no_verdict)
{
    struct build build;
    build_traffic(&build);
    build_hold(&build, 3, 77, 2, 3, NEVER_MS);
    build_attempt(&build, 3, 78, 40, 41, OUTCOME_BROKEN);
    build_end(&build, STOP_DONE);
    assert_verdict(&build, VERDICT_ERROR);
    assert_text_has(build.judgement.reason, "1 request failed");
    build_free(&build);
}

// Two of three that were drawn struck: the one that did not is left out.
TEST(a_drawn_fault_that_did_not_strike_is_left_out)
{
    struct build build;
    build_traffic(&build);
    build_fault(&build, "pause", 1, 6, 12);
    build_fault(&build, "pause", 2, NEVER_MS, NEVER_MS);
    build_fault(&build, "pause", 1, 26, 32);
    for (size_t i = 0; i < 3; i++)
        build.steps[i].drawn = true;
    build_end(&build, STOP_DONE);
    assert_verdict(&build, VERDICT_SAFE);
    assert_string_equal(build.judgement.reason,
                        "4 holds, every property kept, 2 of 3 drawn faults struck");
    build_free(&build);
}

TEST(a_written_fault_is_demanded_beside_drawn_ones)
{
    struct build build;
    build_traffic(&build);
    build_fault(&build, "pause", 1, 6, 12);
    build_fault(&build, "pause", 2, NEVER_MS, NEVER_MS);
    build.steps[0].drawn = true;
    build_end(&build, STOP_DONE);
    assert_unknown(&build, "fault 2 (pause client after read) never took effect");
    build_free(&build);
}

TEST(drawn_faults_of_which_none_struck_prove_nothing)
{
    struct build build;
    build_traffic(&build);
    build_fault(&build, "pause", 1, NEVER_MS, NEVER_MS);
    build_fault(&build, "pause", 2, NEVER_MS, NEVER_MS);
    build.steps[0].drawn = build.steps[1].drawn = true;
    build_end(&build, STOP_DONE);
    assert_unknown(&build, "none of 2 drawn faults struck: fault 1 (pause client after read) never "
                           "took effect");
    build_free(&build);
}

TEST(a_drawn_fault_that_could_not_be_ended_proves_nothing)
{
    struct build build;
    build_traffic(&build);
    build_fault(&build, "pause", 1, 6, 12);
    build_fault(&build, "restart", 0, 26, NEVER_MS);
    build_event(&build, 28, 0, 0, (struct event){.kind = EVENT_FAULT_FAILED, .step = 2});
    build.steps[0].drawn = build.steps[1].drawn = true;
    build_end(&build, STOP_DONE);
    assert_unknown(&build, "its end was tried and FAILED");
    build_free(&build);
}

// client-1 was to stand still for 100 ms, well within its lease.
TEST(a_drawn_pause_that_lasted_too_long_is_no_fault_of_the_lock)
{
    for (int drawn = 0; drawn < 2; drawn++) {
        struct build build;
        build_start(&build, "increment");
        build.scenario.lock.lease_ns = 300 * NS_PER_MS;
        build_begin(&build, 0);
        build_acquire(&build, 1, 1, 0, 1, 300, 0);
        build_read(&build, 1, 1, 2, 0, 0);
        build_fault(&build, "pause", 1, 3, 500);
        build.steps[0].bound_ns = 100 * NS_PER_MS;
        build.steps[0].drawn = drawn == 1;
        build_acquire(&build, 2, 2, 5, 310, 610, 0);
        build_read(&build, 2, 2, 311, 0, 0);
        build_write(&build, 1, 1, 501, 1, 0, 0, OUTCOME_OK);
        build_release(&build, 1, 1, 502, 503, RELEASE_GONE);
        build_write(&build, 2, 2, 504, 1, 0, 0, OUTCOME_OK);
        build_release(&build, 2, 2, 505, 506, RELEASE_RELEASED);
        build_stop(&build, 600, STOP_DONE);
        build_final(&build, 601, 1);
        build_judge(&build);
        assert_state(&build, "stale-holder", drawn == 0 ? FINDING_VIOLATED : FINDING_UNDECIDED);
        if (drawn == 0)
            assert_verdict(&build, VERDICT_UNSAFE);
        else
            assert_unknown(&build, "fault 1 was to last 100 ms, and this machine was so late that "
                                   "it lasted 497 ms");
        build_free(&build);
    }
}
