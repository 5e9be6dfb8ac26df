#include "harness/check/stalls.h"

#include "harness/check/build_history_test_support.h"
#include "harness/testing/test.h"

HISTORY_TEST(pieces_of_one_stall_are_one_and_each_has_an_owner, "increment")
{
    build_hold(build, 1, 1, 0, 10, 300);
    build_stall_of(build, STALLED_CLIENT, 2, 600, 500);
    build_stall(build, 620, 30);
    build_stall_of(build, STALLED_SERVER, 2, 1100, 500);
    build_stall_of(build, STALLED_CLIENT, 2, 1100, 500);
    build_stall_of(build, STALLED_CLIENT, 2, 1250, 150);
    build_judge(build);
    assert_int_equal(build->digest.stall_count, 3);
    assert_int_equal(build->digest.longest_stall_ns, 1150 * NS_PER_MS);
    assert_int_equal(longest_stall_ns(&build->digest, 1), 500 * NS_PER_MS);
    assert_int_equal(longest_stall_ns(&build->digest, 2), 1150 * NS_PER_MS);
    // 100 to 1250 of client-2, 590 to 620 of the machine, 600 to 1100 of the server.
    assert_int_equal(stalled_ns(&build->digest, 2, ms(0), ms(2000)), 1150 * NS_PER_MS);
    assert_int_equal(stalled_ns(&build->digest, 1, ms(0), ms(2000)), 510 * NS_PER_MS);
    assert_int_equal(stalled_ns(&build->digest, 1, ms(595), ms(1000)), 405 * NS_PER_MS);
    assert_int_equal(stalled_ns(&build->digest, 1, ms(1000), ms(900)), 0);
}

// --- expectations --------------------------------------------------------------------------------

// Two clients take turns; client-1 is paused for a while, and nothing breaks. Expected: UNSAFE.
static void build_miss(struct build *build)
{
    build_traffic(build);
    build->expectation = (struct expectation){.verdict = EXPECT_UNSAFE};
    build->trial.expectation = &build->expectation;
    build_fault(build, "pause", 1, 12, 30);
}

static void end_miss(struct build *build)
{
    build_stop(build, 4000, STOP_DONE);
    build_final(build, 4001, 4);
    build_judge(build);
}

TEST(a_miss_that_nothing_upset_is_one)
{
    struct build build;
    build_miss(&build);
    end_miss(&build);
    assert_verdict(&build, VERDICT_SAFE);
    assert_int_equal(build.judgement.expectation, EXPECTATION_MISSED);
    build_free(&build);
}

TEST(a_miss_that_a_stall_may_have_made_is_inconclusive)
{
    static const struct {
        enum stalled of;
        double ended_ms, length_ms;
        bool upsets;
        const char *says;
    } cases[] = {
        {STALLED_CLIENT, 200, 180, true, "but client-2 stood still for 180 ms, which may have"},
        {STALLED_CONDUCTOR, 200, 180, true, "but the conductor stood still for 180 ms"},
        {STALLED_SERVER, 200, 180, true, "but redis-1 stood still for 180 ms"},
        {STALLED_MACHINE, 200, 180, true, "but the machine stood still for 180 ms"},
        {STALLED_CLIENT, 35, 20, false, NULL},     // half of the lease is 150 ms
        {STALLED_CLIENT, 3000, 1000, false, NULL}, // the pause and a lease after it were long over
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct build build;
        build_miss(&build);
        build_stall_of(&build, cases[i].of, 2, cases[i].ended_ms, cases[i].length_ms);
        end_miss(&build);
        assert_verdict(&build, cases[i].upsets ? VERDICT_UNKNOWN : VERDICT_SAFE);
        assert_int_equal(build.judgement.expectation,
                         cases[i].upsets ? EXPECTATION_NONE : EXPECTATION_MISSED);
        assert_text_has(cases[i].upsets ? build.judgement.reason : build.judgement.expectation_text,
                        "got SAFE: the fault did not bite");
        if (cases[i].says != NULL)
            assert_text_has(build.judgement.reason, cases[i].says);
        build_free(&build);
    }
}

// From its asking on, the fault takes so much longer.
static void delay_effect(struct build *build, double by_ms)
{
    for (size_t i = 0; i < build->count; i++) {
        enum event_kind kind = build->events[i].kind;
        if (kind == EVENT_FAULT_IN_EFFECT || kind == EVENT_FAULT_HEALED)
            build->events[i].at_ns += ms(by_ms) - ms(0);
    }
}

TEST(a_fault_that_took_long_to_stand_may_have_missed_what_it_was_for)
{
    struct build build;
    build_miss(&build);
    delay_effect(&build, 170);
    build_hold(&build, 2, 9, 185, 186, NEVER_MS);
    end_miss(&build);
    assert_verdict(&build, VERDICT_UNKNOWN);
    assert_text_has(build.judgement.reason, "the conductor stood still for 170 ms");
    build_free(&build);
}

// A worker reads, and stands at the point of a fault that the conductor comes to only when the
// lease is over and another holds the lock.
TEST(a_holder_that_the_harness_kept_at_its_point_is_not_stale)
{
    for (int is_kept = 0; is_kept < 2; is_kept++) {
        struct build build;
        build_start(&build, "increment");
        build_begin(&build, 0);
        build_acquire(&build, 1, 1, 9, 10, 310, 0);
        build_read(&build, 1, 1, 12, 0, 0);
        build_fault(&build, "pause", 1, 600, 602);
        if (is_kept)
            build_event(&build, 13, 1, 1, (struct event){.kind = EVENT_POINT_REACHED, .step = 1});
        build_hold(&build, 2, 2, 320, 640, 620);
        build_release(&build, 1, 1, 605, 606, RELEASE_NOT_OWNER);
        build_stop(&build, 4000, STOP_DONE);
        build_final(&build, 4001, 0);
        build_judge(&build);
        assert_state(&build, "stale-holder", is_kept ? FINDING_UNDECIDED : FINDING_VIOLATED);
        if (is_kept)
            assert_text_has(finding_named(&build, "stale-holder")->text,
                            "client-1 stood still for 587 ms");
        build_free(&build);
    }
}

TEST(a_machine_that_is_late_all_the_time_makes_a_miss_inconclusive)
{
    struct build build;
    build_miss(&build);
    for (int i = 0; i < 30; i++)
        build_stall(&build, 10 * i + 7, 6);
    end_miss(&build);
    assert_verdict(&build, VERDICT_UNKNOWN);
    assert_text_has(build.judgement.reason, "processes stood still for 180 ms in all");
    build_free(&build);
}

TEST(without_faults_short_stalls_leave_a_miss_a_miss)
{
    struct build build;
    build_traffic(&build);
    build.expectation = (struct expectation){.verdict = EXPECT_UNSAFE};
    build.trial.expectation = &build.expectation;
    for (int i = 0; i < 300; i++)
        build_stall(&build, 10 * i + 7, 6);
    end_miss(&build);
    assert_verdict(&build, VERDICT_SAFE);
    assert_int_equal(build.judgement.expectation, EXPECTATION_MISSED);
    build_free(&build);
}

TEST(a_broken_promise_that_stands_without_the_stall_stays_a_miss)
{
    struct build build;
    build_traffic(&build);
    build.expectation = (struct expectation){.verdict = EXPECT_SAFE};
    build.trial.expectation = &build.expectation;
    build_hold(&build, 1, 9, 50, 60, 350);
    build_hold(&build, 2, 10, 55, 65, 355);
    build_stall_of(&build, STALLED_CLIENT, 1, 2000, 1900);
    build_stop(&build, 4000, STOP_DONE);
    build_final(&build, 4001, 4);
    build_judge(&build);
    assert_verdict(&build, VERDICT_UNSAFE);
    assert_int_equal(build.judgement.expectation, EXPECTATION_MISSED);
    build_free(&build);
}

// --- servers that are replaced -------------------------------------------------------------------

TEST(a_master_that_a_stall_deposed_is_not_the_locks_fault)
{
    static const char *const traits[] = {"lease", "redis", NULL};
    static const struct {
        const char *topology;
        enum stalled of;
        double length_ms;
        bool failover;
        enum verdict verdict;
    } cases[] = {
        {"sentinel", STALLED_SERVER, 600, false, VERDICT_UNKNOWN},
        {"sentinel", STALLED_MACHINE, 600, false, VERDICT_UNKNOWN},
        {"sentinel", STALLED_CLIENT, 600, false, VERDICT_UNSAFE},
        {"sentinel", STALLED_SERVER, 200, false, VERDICT_UNSAFE}, // of 500 that it may be silent
        {"sentinel", STALLED_SERVER, 600, true, VERDICT_UNSAFE},  // the fault does that, too
        {"single", STALLED_SERVER, 600, false, VERDICT_UNSAFE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct build build;
        build_start(&build, "increment");
        build.trial.traits = traits;
        build.trial.topology = cases[i].topology;
        if (cases[i].failover) {
            build_fault(&build, "failover", 0, 1500, NEVER_MS);
            build.steps[0].bound_ns = -1;
            build.steps[0].target = (struct target){.server = "leader"};
        }
        build_hold(&build, 1, 1, 0, 2500, 15000);
        build_stall_of(&build, cases[i].of, 1, 1000, cases[i].length_ms);
        build_hold(&build, 2, 2, 2000, 2010, 17000);
        build_judge(&build);
        if (build.judgement.verdict != cases[i].verdict)
            print_message("case %zu\n", i);
        assert_verdict(&build, cases[i].verdict);
        build_free(&build);
    }
}

// A failover struck server-1; then two others lead at once, of which the machine's delays deposed
// one. Who is granted the lock by the server that the failover put in its place is the lock's loss.
TEST(two_that_lead_at_once_without_a_fault_are_not_the_locks_fault)
{
    static const char *const traits[] = {"redis", "exclusive", "lease", NULL};
    static const struct {
        int granted_by[2];
        bool stalls;
        enum verdict verdict;
    } cases[] = {
        {{2, 3}, true, VERDICT_UNKNOWN},
        {{2, 3}, false, VERDICT_UNSAFE},
        {{1, 2}, true, VERDICT_UNSAFE}, // as the failover has it
        {{2, 2}, true, VERDICT_UNSAFE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct build build;
        build_start(&build, "increment");
        build.trial.traits = traits;
        build.trial.topology = "sentinel";
        build_fault(&build, "failover", 0, 100, NEVER_MS);
        build.steps[0].bound_ns = -1;
        build.steps[0].target = (struct target){.server = "leader"};
        struct event note = {.kind = EVENT_NOTE, .step = 1};
        memcpy(note.args, "redis-1 redis-2", 15);
        build_event(&build, 101, 0, 0, note);
        for (int client = 1; client <= 2; client++)
            BUILD_EVENT(&build, 200, client, CONNECTED, OUTCOME_OK,
                        cases[i].granted_by[client - 1]);
        // Where a watchdog's own connection goes is nothing to its worker.
        BUILD_EVENT(&build, 201, 2, CONNECTED, OUTCOME_OK, 2);
        build.events[build.count - 1].detail = PHASE_RENEW;
        build_hold(&build, 1, 1, 250, 2500, 15000);
        if (cases[i].stalls)
            build_stall_of(&build, STALLED_SERVER, 1, 1000, 60);
        build_hold(&build, 2, 2, 2000, 2010, 17000);
        build_judge(&build);
        assert_verdict(&build, cases[i].verdict);
        if (cases[i].verdict == VERDICT_UNKNOWN)
            assert_non_null(
                strstr(build.judgement.reason,
                       "server-3 led beside or after server-2, which no fault explains"));
        build_free(&build);
    }
}

// --- waits ---------------------------------------------------------------------------------------

// client-1 dies with a lock that has no lease; clients 2 to 4 wait for 1.3 s, which is enough.
TEST(one_waiter_that_did_not_stand_still_shows_that_the_lock_is_stuck)
{
    for (int stalled = 0; stalled <= 3; stalled++) {
        struct build build;
        build_start(&build, "increment");
        build_crash(&build, NEVER_MS, 1310, STOP_STUCK);
        for (int client = 2; client < 2 + stalled; client++)
            build_stall_of(&build, STALLED_CLIENT, client, 1200, 900);
        build_judge(&build);
        assert_state(&build, "stuck", stalled == 3 ? FINDING_UNDECIDED : FINDING_VIOLATED);
        build_free(&build);
    }
}

// A process that was killed is seen to be dead only seconds later; all others have ended long
// since.
TEST(who_was_killed_waits_no_more_although_its_end_is_noticed_late)
{
    for (int known = 0; known < 2; known++) {
        struct build build;
        build_start(&build, "increment");
        build_attempt(&build, 2, 1, 5, NEVER_MS, OUTCOME_OK);
        build_hold(&build, 1, 2, 10, 20, 310);
        build_hold(&build, 3, 3, 30, 40, 330);
        build_death(&build, 2, 8000);
        if (known)
            build.events[build.count - 1].args[3] = ms(25);
        build_stop(&build, 8001, STOP_DONE);
        BUILD_EVENT(&build, 8002, 0, LOCK_FINAL, OUTCOME_OK, 0, 0);
        build_judge(&build);
        assert_state(&build, "stuck", known ? FINDING_KEPT : FINDING_VIOLATED);
        build_free(&build);
    }
}
