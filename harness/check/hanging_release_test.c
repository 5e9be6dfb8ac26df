// A release that does not come back: when the history proves it, and all that it must not be
// taken for.
#include "harness/check/build_history_test_support.h"
#include "harness/check/hanging_release.h"
#include "harness/testing/test.h"

// What a request may take, and for how long nobody is granted before a trial is stuck: so a release
// takes 1.5 s at most, of 15 requests one after the other.
#define REQUEST_MS 100
#define STUCK_AFTER_MS 1000
#define LONGEST_MS 1500

static struct build build;

// client-2 has a turn; client-1 holds the lock, with a lease until 310 ms or none, and asks for its
// release at 100 ms.
static void begin(double valid_until_ms)
{
    build_start(&build, "increment");
    build.scenario.lock.request_ns = REQUEST_MS * NS_PER_MS;
    build.scenario.lock.stuck_after_ns = STUCK_AFTER_MS * NS_PER_MS;
    build_begin(&build, 0);
    build_hold(&build, 2, 1, 0, 1, NEVER_MS);
    build_acquire(&build, 1, 2, 5, 10, valid_until_ms, 0);
    build_release(&build, 1, 2, 100, NEVER_MS, RELEASE_UNKNOWN);
}

static void end(double at_ms, enum stop_reason reason)
{
    build_stop(&build, at_ms, reason);
    build_final(&build, at_ms + 20, 0);
    build_judge(&build);
}

static void end_kept(double at_ms, enum stop_reason reason)
{
    end(at_ms, reason);
    if (finding_named(&build, "stuck")->state == FINDING_VIOLATED)
        fail_msg("called stuck: %s", finding_named(&build, "stuck")->text);
    build_free(&build);
}

static void end_stuck(double at_ms, const char *said)
{
    end(at_ms, STOP_STUCK);
    assert_state(&build, "stuck", FINDING_VIOLATED);
    assert_verdict(&build, VERDICT_STUCK);
    assert_text_has(build.judgement.reason, said);
    assert_true(is_of_hanging_release(&build.digest, finding_named(&build, "stuck")));
    build_free(&build);
}

// --- what is proven ------------------------------------------------------------------------------

TEST(a_release_that_is_never_answered_is_stuck)
{
    begin(310);
    end(100 + LONGEST_MS + 1, STOP_STUCK);
    assert_verdict(&build, VERDICT_STUCK);
    assert_string_equal(build.judgement.reason,
                        "client-1's release was not answered in the 1.50 s until the trial ended, "
                        "although no fault was on and a request may take 100 ms");
    const struct finding *finding = finding_named(&build, "stuck");
    assert_int_equal(build.digest.holds[finding->evidence.holds[0]].client, 1);
    assert_int_equal(finding->evidence.from_ns, ms(100));
    build_free(&build);
}

TEST(one_whose_worker_gave_up_after_the_end_is_too)
{
    begin(310);
    BUILD_EVENT(&build, 5000, 1, RELEASE_RETURN, OUTCOME_UNKNOWN, 2);
    build.events[build.count - 1].detail = RELEASE_UNKNOWN;
    end_stuck(1700, "client-1's release was not answered in the 1.60 s");
}

TEST(waiters_and_grants_meanwhile_are_told)
{
    begin(NEVER_MS);
    build_attempt(&build, 3, 3, 50, NEVER_MS, OUTCOME_OK);
    build_attempt(&build, 4, 4, 50, NEVER_MS, OUTCOME_OK);
    end_stuck(1700, "; nobody was granted the lock meanwhile, and 2 workers wait");
    begin(310);
    build_hold(&build, 3, 3, 400, 1500, 1800);
    end_stuck(1700, "; others were granted the lock 1 time meanwhile");
}

TEST(of_several_the_one_that_hangs_longest_is_told)
{
    begin(310);
    build_acquire(&build, 3, 3, 320, 330, 600, 0);
    build_release(&build, 3, 3, 340, NEVER_MS, RELEASE_UNKNOWN);
    end_stuck(2000, "client-1's release was not answered in the 1.90 s");
}

// --- what is not ---------------------------------------------------------------------------------

TEST(slow_servers_have_time_for_all_requests_of_a_release)
{
    begin(310);
    end_kept(100 + LONGEST_MS, STOP_STUCK);
    begin(310);
    build.scenario.lock.request_ns = NS_PER_S; // of which fifteen are not over by then
    end_kept(14000, STOP_STUCK);
    begin(310);
    build.scenario.lock.stuck_after_ns = 3 * NS_PER_S;
    end_kept(3000, STOP_STUCK);
}

TEST(a_release_that_was_answered_in_the_end_was_slow)
{
    static const enum release_answer answers[] = {RELEASE_RELEASED, RELEASE_NOT_OWNER, RELEASE_GONE,
                                                  RELEASE_UNKNOWN};
    for (size_t i = 0; i < 4; i++) {
        begin(310);
        BUILD_EVENT(&build, i < 3 ? 9001 : 8000, 1, RELEASE_RETURN,
                    i < 3 ? OUTCOME_OK : OUTCOME_UNKNOWN, 2);
        build.events[build.count - 1].detail = (uint8_t)answers[i];
        end_kept(9000, STOP_TIME);
    }
}

TEST(a_release_is_only_just_asked_for_when_the_trial_ends)
{
    static const enum stop_reason reasons[] = {STOP_DONE, STOP_TIME, STOP_STUCK};
    for (size_t i = 0; i < 3; i++) {
        begin(310);
        end_kept(101, reasons[i]);
        begin(310);
        end_kept(50, reasons[i]); // asked for after the end
    }
}

TEST(a_paused_client_does_not_wait)
{
    for (int target = 1; target <= 3; target += 2) { // itself, or somebody else
        begin(310);
        build_fault(&build, "pause", target, 90, NEVER_MS);
        end_kept(9000, STOP_STUCK);
    }
    begin(310);
    build_fault(&build, "pause", 1, 90, NEVER_MS);
    build.steps[0].bound_ns = NO_BOUND; // until the trial ends
    end_kept(9000, STOP_TIME);
}

// It counts from the end of the fault, and a cut delays for as long again what was sent meanwhile.
TEST(a_fault_that_is_over_has_had_its_time_again)
{
    begin(310);
    build_fault(&build, "cut", 1, 90, 1090);
    end_kept(1090 + 1000 + LONGEST_MS, STOP_STUCK);
    begin(310);
    build_fault(&build, "cut", 1, 90, 1090);
    end_stuck(1090 + 1000 + LONGEST_MS + 1, "was not answered in the 2.50 s");
}

TEST(a_cut_wire_that_is_not_whole_again_explains_it)
{
    begin(310);
    build_fault(&build, "cut", 1, 90, NEVER_MS);
    build.steps[0].bound_ns = NO_BOUND;
    end_kept(9000, STOP_STUCK);
}

TEST(a_server_that_was_killed_stays_away)
{
    begin(310);
    build_fault(&build, "kill", 0, 90, NEVER_MS);
    end_kept(9000, STOP_STUCK);
}

TEST(a_fault_that_may_be_in_effect_explains_it)
{
    begin(310);
    build_fault(&build, "restart", 0, NEVER_MS, NEVER_MS);
    build_event(&build, 90, 0, 0, (struct event){.kind = EVENT_FAULT_ASKED, .step = 1});
    end_kept(9000, STOP_STUCK);
    // Its end was tried, and failed.
    begin(310);
    build_fault(&build, "pause", 3, 90, NEVER_MS);
    build_event(&build, 99, 0, 0, (struct event){.kind = EVENT_FAULT_FAILED, .step = 1});
    end_kept(9000, STOP_STUCK);
}

TEST(a_dead_client_waits_for_nothing)
{
    begin(310);
    build_death(&build, 1, 110);
    build_fault(&build, "kill", 1, 110, NEVER_MS);
    end_kept(9000, STOP_DONE);
}

TEST(a_machine_that_stood_still_has_had_its_time_again)
{
    begin(310);
    build_stall(&build, 700, 500);
    end_kept(100 + LONGEST_MS + 2 * 500, STOP_STUCK);
    begin(310);
    build_stall(&build, 700, 500);
    end_stuck(100 + LONGEST_MS + 2 * 500 + 1, "was not answered in the 2.50 s");
}

TEST(a_history_that_breaks_off_says_nothing)
{
    begin(310);
    build_hold(&build, 3, 3, 9000, 9001, 9300);
    build_judge(&build);
    assert_state(&build, "stuck", FINDING_KEPT);
    build_free(&build);
}

TEST(an_answer_may_be_among_what_a_history_has_lost)
{
    begin(310);
    build_stop(&build, 9000, STOP_STUCK);
    build_sort(&build);
    build.history = (struct history){.events = build.events, .count = build.count};
    build.history.condition.state = HISTORY_DAMAGED;
    digest_make(&build.history, &build.trial, &build.digest);
    build.judged = true;
    judge(&build.digest, &build.judgement);
    assert_state(&build, "stuck", FINDING_UNDECIDED);
    assert_verdict(&build, VERDICT_UNKNOWN);
    build_free(&build);
}

TEST(a_driver_that_failed_is_an_error_whatever_hangs)
{
    begin(310);
    BUILD_EVENT(&build, 2000, 3, ACQUIRE_INVOKE, OUTCOME_OK, 3);
    BUILD_EVENT(&build, 2001, 3, ACQUIRE_RETURN, OUTCOME_BROKEN, 3);
    end(9000, STOP_BROKEN);
    assert_verdict(&build, VERDICT_ERROR);
    build_free(&build);
}
