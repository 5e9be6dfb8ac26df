#include "harness/check/build_history_test_support.h"
#include "harness/testing/test.h"

// client-1 reads 7 and is paused from 1 to 330 ms; client-2 updates in between.
static void build_pause(struct build *build, double resumed_ms)
{
    build_begin(build, 7);
    build_acquire(build, 1, 1, 0, 0.5, 300, 0);
    build_read(build, 1, 1, 0.8, 7, 0);
    build_fault(build, "pause", 1, 1, resumed_ms);
    build_acquire(build, 2, 2, 2, 312, 612, 0);
    build_read(build, 2, 2, 313, 7, 0);
}

HISTORY_TEST(a_holder_paused_beyond_its_lease_is_refused, "increment")
{
    build_pause(build, 330);
    build_release(build, 1, 1, 340, 341, RELEASE_NOT_OWNER);
    build_release(build, 2, 2, 350, 351, RELEASE_RELEASED);
    build_judge(build);
    const struct finding *finding = finding_named(build, "stale-holder");
    assert_state(build, "stale-holder", FINDING_VIOLATED);
    assert_state(build, "double-grant", FINDING_KEPT);
    assert_false(finding->harmless);
    assert_int_equal(finding->count, 1);
    assert_int_equal(finding->evidence.holds[0], 0);
    assert_int_equal(finding->evidence.holds[1], 1);
    assert_int_equal(finding->evidence.from_ns, ms(312));
    assert_int_equal(finding->evidence.to_ns, ms(340));
    assert_int_equal(finding->windows.max_ns, 28 * NS_PER_MS);
    assert_text_has(finding->text, "had not been told");
    assert_verdict(build, VERDICT_UNSAFE);
}

HISTORY_TEST(a_holder_that_outlives_its_lease_alone_is_no_harm, "increment")
{
    build_hold(build, 1, 1, 0, 400, 300);
    build_hold(build, 2, 2, 400, 410, 700);
    build_judge(build);
    assert_state(build, "stale-holder", FINDING_KEPT);
}

HISTORY_TEST(every_grant_beside_a_stale_holder_is_a_window, "increment")
{
    build_hold(build, 1, 1, 0, 500, 300);
    build_hold(build, 2, 2, 310, 320, 610);
    build_hold(build, 3, 3, 330, 350, 630);
    build_hold(build, 2, 4, 490, 530, 790);
    build_judge(build);
    const struct finding *finding = finding_named(build, "stale-holder");
    assert_int_equal(finding->count, 3);
    assert_int_equal(finding->windows.count, 3);
    assert_int_equal(finding->windows.min_ns, 10 * NS_PER_MS);
    assert_int_equal(finding->windows.max_ns, 20 * NS_PER_MS);
}

HISTORY_TEST(a_grant_learned_of_after_its_lease_is_stale_from_the_start, "increment")
{
    build_acquire(build, 1, 1, 0, 400, 300, 0);
    build_release(build, 1, 1, 450, 451, RELEASE_NOT_OWNER);
    build_hold(build, 2, 2, 310, 420, 610);
    build_judge(build);
    const struct finding *finding = finding_named(build, "stale-holder");
    assert_state(build, "stale-holder", FINDING_VIOLATED);
    assert_int_equal(build->digest.holds[finding->evidence.holds[0]].client, 1);
    assert_int_equal(finding->evidence.from_ns, ms(400));
    assert_int_equal(finding->evidence.to_ns, ms(420));
}

HISTORY_TEST(a_grant_learned_of_late_when_nobody_else_holds_is_kept, "increment")
{
    build_acquire(build, 1, 1, 0, 400, 300, 0);
    build_release(build, 1, 1, 450, 451, RELEASE_GONE);
    build_hold(build, 2, 2, 310, 400, 610);
    build_hold(build, 2, 3, 450, 460, 750);
    build_judge(build);
    assert_state(build, "stale-holder", FINDING_KEPT);
}

HISTORY_TEST(two_late_grants_at_one_instant_make_one_window, "increment")
{
    build_acquire(build, 1, 1, 0, 400, 300, 0);
    build_acquire(build, 2, 2, 10, 400, 310, 0);
    build_release(build, 1, 1, 450, 451, RELEASE_GONE);
    build_release(build, 2, 2, 440, 441, RELEASE_GONE);
    build_judge(build);
    const struct finding *finding = finding_named(build, "stale-holder");
    assert_int_equal(finding->count, 1);
    assert_int_not_equal(finding->evidence.holds[0], finding->evidence.holds[1]);
    assert_int_equal(finding->windows.max_ns, 40 * NS_PER_MS);
}

HISTORY_TEST(a_holder_that_dies_before_the_grant_is_not_stale, "increment")
{
    build_acquire(build, 1, 1, 0, 1, 300, 0);
    build_death(build, 1, 310);
    build_hold(build, 2, 2, 310, 320, 610);
    build_judge(build);
    assert_state(build, "stale-holder", FINDING_KEPT);
}

HISTORY_TEST(a_holder_paused_for_ever_is_stale_until_the_end, "increment")
{
    build_pause(build, NEVER_MS);
    build_stop(build, 350, STOP_TIME);
    build_judge(build);
    assert_int_equal(finding_named(build, "stale-holder")->evidence.to_ns, ms(350));
}

// It was stopped between its grant and its work.
HISTORY_TEST(a_holder_may_be_told_before_it_knows_of_its_grant, "increment")
{
    build_begin(build, 7);
    BUILD_EVENT(build, 0, 1, ACQUIRE_INVOKE, OUTCOME_OK, 1);
    build_fault(build, "pause", 1, 1, 318);
    build_acquire(build, 2, 2, 2, 312, 612, 0);
    build_read(build, 2, 2, 313, 7, 0);
    BUILD_EVENT(build, 320, 1, LOST, OUTCOME_OK, 1);
    BUILD_EVENT(build, 325, 1, ACQUIRE_RETURN, OUTCOME_OK, 1, 0, ms(300), 1);
    build_read(build, 1, 1, 326, 7, 0);
    build_release(build, 1, 1, 340, 341, RELEASE_NOT_OWNER);
    build_judge(build);
    assert_text_has(finding_named(build, "stale-holder")->text, "had been told 5 ms before");
}

HISTORY_TEST(the_text_says_when_the_holder_was_told, "increment")
{
    build_pause(build, 330);
    BUILD_EVENT(build, 332, 1, LOST, OUTCOME_OK, 1);
    build_release(build, 1, 1, 340, 341, RELEASE_NOT_OWNER);
    build_judge(build);
    assert_text_has(finding_named(build, "stale-holder")->text, "was told only 20 ms later");
}

HISTORY_TEST(fencing_that_refuses_the_stale_write_takes_the_harm_away, "increment")
{
    build->scenario.workload.fenced = true;
    build_begin(build, 7);
    build_acquire(build, 1, 1, 0, 0.5, 300, 1);
    build_read(build, 1, 1, 0.8, 7, 1);
    build_fault(build, "pause", 1, 1, 330);
    build_acquire(build, 2, 2, 2, 312, 612, 2);
    build_read(build, 2, 2, 313, 7, 2);
    build_write(build, 2, 2, 314, 8, 7, 2, OUTCOME_OK);
    build_write(build, 1, 1, 331, 8, 7, 1, OUTCOME_NO);
    build_release(build, 1, 1, 340, 341, RELEASE_NOT_OWNER);
    build_release(build, 2, 2, 350, 351, RELEASE_RELEASED);
    build_stop(build, 360, STOP_DONE);
    build_final(build, 361, 8);
    build_judge(build);
    assert_state(build, "stale-holder", FINDING_VIOLATED);
    assert_true(finding_named(build, "stale-holder")->harmless);
    assert_verdict(build, VERDICT_SAFE);
    assert_text_has(build->judgement.reason, "the store refused every stale write");
}

HISTORY_TEST(fencing_that_lets_the_stale_write_through_does_not, "increment")
{
    build->scenario.workload.fenced = true;
    build_acquire(build, 1, 1, 0, 0.5, 300, 1);
    build_acquire(build, 2, 2, 2, 312, 612, 2);
    build_read(build, 2, 2, 313, 7, 2);
    build_write(build, 1, 1, 331, 8, 7, 1, OUTCOME_OK);
    build_judge(build);
    assert_false(finding_named(build, "stale-holder")->harmless);
    assert_state(build, "stale-write", FINDING_VIOLATED);
    assert_verdict(build, VERDICT_UNSAFE);
}

HISTORY_TEST(a_machine_that_stood_still_is_blamed_instead_of_the_lock, "increment")
{
    build_hold(build, 1, 1, 0, 340, 300);
    build_hold(build, 2, 2, 320, 350, 620);
    build_stall(build, 310, 200);
    build_judge(build);
    assert_state(build, "stale-holder", FINDING_UNDECIDED);
    assert_verdict(build, VERDICT_UNKNOWN);
    assert_text_has(build->judgement.reason, "the machine stood still for 200 ms");
}

// Which stalls matter: those of whom the holder depends on.
TEST(the_process_that_stood_still_is_named_if_the_holder_depends_on_it)
{
    static const struct {
        enum stalled of;
        int number;
        const char *says; // NULL: nothing
    } cases[] = {{STALLED_CLIENT, 1, "but client-1 stood still for 200 ms"},
                 {STALLED_DRIVER, 1, "but the driver of client-1 stood still for 200 ms"},
                 {STALLED_SERVER, 1, "but redis-1 stood still for 200 ms"},
                 {STALLED_CLIENT, 2, NULL},
                 {STALLED_DRIVER, 2, NULL},
                 {STALLED_CONDUCTOR, 0, NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct build build;
        build_start(&build, "increment");
        build_hold(&build, 1, 1, 0, 340, 300);
        build_hold(&build, 2, 2, 320, 350, 620);
        build_stall_of(&build, cases[i].of, cases[i].number, 310, 200);
        build_judge(&build);
        assert_verdict(&build, cases[i].says == NULL ? VERDICT_UNSAFE : VERDICT_UNKNOWN);
        if (cases[i].says != NULL)
            assert_text_has(build.judgement.reason, cases[i].says);
        build_free(&build);
    }
}

// 60 ms three times, of which two coincide for 20: 160 ms in all, and 45 were enough.
TEST(stalls_of_several_add_up_and_count_once_where_they_coincide)
{
    for (int enough = 0; enough < 2; enough++) {
        struct build build;
        build_start(&build, "increment");
        build_hold(&build, 1, 1, 0, enough ? 340 : 460, 300);
        build_hold(&build, 2, 2, 320, 470, 620);
        build_stall_of(&build, STALLED_CLIENT, 1, 70, 60);
        build_stall_of(&build, STALLED_SERVER, 1, 110, 60);
        build_stall(&build, 300, 60);
        build_judge(&build);
        assert_verdict(&build, enough ? VERDICT_UNKNOWN : VERDICT_UNSAFE);
        if (enough)
            assert_text_has(build.judgement.reason, "processes stood still for 160 ms in all, ");
        build_free(&build);
    }
}

// The watchdog comes too late by a stall that is shorter than what the holder does afterwards.
TEST(a_renewal_that_a_stall_kept_back_is_not_the_locks_fault)
{
    static const char *const renewed[] = {"lease", "renewed", NULL};
    for (int length_ms = 90; length_ms <= 110; length_ms += 20) {
        for (int renews = 0; renews < 2; renews++) {
            struct build build;
            build_start(&build, "increment");
            build.trial.traits = renews ? renewed : NULL;
            build_hold(&build, 1, 1, 0, 900, 300);
            build_hold(&build, 2, 2, 320, 800, 620);
            build_stall_of(&build, STALLED_CLIENT, 1, 250, length_ms);
            build_judge(&build);
            bool is_blamed = renews && length_ms > 100; // a third of the lease
            assert_verdict(&build, is_blamed ? VERDICT_UNKNOWN : VERDICT_UNSAFE);
            build_free(&build);
        }
    }
}

// What a fault does not do to the holder, it does not excuse; and what it does, suffices.
TEST(only_a_fault_that_keeps_the_holder_itself_makes_a_stall_irrelevant)
{
    static const struct {
        const char *verb;
        int client, worker;
        bool renewed;
        double healed_ms;
        enum verdict verdict;
    } cases[] = {
        {"pause", 1, 0, true, 330, VERDICT_UNSAFE},
        {"pause", 1, 1, false, 330, VERDICT_UNSAFE},
        {"pause", 1, 1, true, 330, VERDICT_UNKNOWN},  // its watchdog lives
        {"pause", 1, 2, false, 330, VERDICT_UNKNOWN}, // another of its workers
        {"pause", 2, 0, false, 330, VERDICT_UNKNOWN},
        {"pause", 1, 0, false, 200, VERDICT_UNKNOWN}, // over before the lease was
        {"kill", 3, 0, false, NEVER_MS, VERDICT_UNKNOWN},
        {"kill", 3, 0, true, NEVER_MS, VERDICT_UNKNOWN},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        static const char *const renewed[] = {"lease", "renewed", NULL};
        struct build build;
        build_start(&build, "increment");
        build.trial.traits = cases[i].renewed ? renewed : NULL;
        build_fault(&build, cases[i].verb, cases[i].client, 20, cases[i].healed_ms);
        build.steps[0].target.worker = cases[i].worker;
        build_hold(&build, 1, 1, 0, 340, 300);
        build_hold(&build, 2, 2, 320, 350, 620);
        build_stall(&build, 310, 109);
        build_judge(&build);
        if (build.judgement.verdict != cases[i].verdict)
            print_message("case %zu\n", i);
        assert_verdict(&build, cases[i].verdict);
        build_free(&build);
    }
}

// The conductor ended the pause late: by its bound it was over before the lease.
TEST(a_pause_that_a_stall_made_longer_does_not_suffice)
{
    for (int i = 0; i < 4; i++) {
        bool late = i % 2 == 1;
        struct build build;
        build_start(&build, "increment");
        build_fault(&build, "pause", 1, 20, 330);
        build.steps[0].bound_ns = (late ? 100 : 500) * NS_PER_MS;
        build.events[build.count - 1].detail = late ? HEAL_BOUND : HEAL_CAUSE;
        build_hold(&build, 1, 1, 0, 340, 300);
        build_hold(&build, 2, 2, 320, 350, 620);
        if (i < 2)
            build_stall(&build, 320, 200);
        build_judge(&build);
        assert_verdict(&build, late ? VERDICT_UNKNOWN : VERDICT_UNSAFE);
        build_free(&build);
    }
}

TEST(what_follows_from_a_stalled_holder_is_not_the_locks_fault_either)
{
    for (int stalls = 0; stalls < 2; stalls++) {
        struct build build;
        build_start(&build, "increment");
        build_begin(&build, 7);
        build_acquire(&build, 1, 1, 0, 0.5, 300, 0);
        build_read(&build, 1, 1, 0.8, 7, 0);
        build_acquire(&build, 2, 2, 2, 312, 612, 0);
        build_read(&build, 2, 2, 313, 7, 0);
        build_write(&build, 2, 2, 314, 8, 7, 0, OUTCOME_OK);
        build_release(&build, 2, 2, 316, 317, RELEASE_RELEASED);
        build_write(&build, 1, 1, 318, 8, 7, 0, OUTCOME_OK);
        build_release(&build, 1, 1, 320, 321, RELEASE_NOT_OWNER);
        if (stalls)
            build_stall_of(&build, STALLED_CLIENT, 1, 310, 200);
        build_stop(&build, 400, STOP_DONE);
        build_final(&build, 401, 8);
        build_judge(&build);
        assert_state(&build, "lost-update", stalls ? FINDING_UNDECIDED : FINDING_VIOLATED);
        assert_verdict(&build, stalls ? VERDICT_UNKNOWN : VERDICT_UNSAFE);
        build_free(&build);
    }
}

TEST(a_flush_long_before_does_not_take_the_blame_from_the_machine)
{
    for (int late = 0; late < 2; late++) {
        struct build build;
        build_start(&build, "increment");
        build_fault(&build, "flush", 0, late ? 1100 : 10, NEVER_MS);
        build.steps[0].bound_ns = -1;
        build_hold(&build, 1, 1, 1000, 1340, 1300);
        build_hold(&build, 2, 2, 1320, 1350, 1620);
        build_stall(&build, 1310, 200);
        build_judge(&build);
        assert_verdict(&build, late ? VERDICT_UNSAFE : VERDICT_UNKNOWN);
        build_free(&build);
    }
}

HISTORY_TEST(a_short_stall_is_not_blamed, "increment")
{
    build_hold(build, 1, 1, 0, 340, 300);
    build_hold(build, 2, 2, 320, 350, 620);
    build_stall(build, 310, 20); // the holder was 45 ms too late
    build_judge(build);
    assert_verdict(build, VERDICT_UNSAFE);
}

HISTORY_TEST(a_stall_before_the_lease_began_is_not_blamed, "increment")
{
    build_stall(build, 290, 280);
    build_hold(build, 1, 1, 300, 640, 600);
    build_hold(build, 2, 2, 620, 650, 920);
    build_judge(build);
    assert_verdict(build, VERDICT_UNSAFE);
}

HISTORY_TEST(work_longer_than_the_lease_is_not_blamed_on_the_machine, "increment")
{
    build->scenario.workload.hold_ns = 330 * NS_PER_MS;
    build_hold(build, 1, 1, 0, 340, 300);
    build_hold(build, 2, 2, 320, 350, 620);
    build_stall(build, 310, 200);
    build_judge(build);
    assert_verdict(build, VERDICT_UNSAFE);
}

HISTORY_TEST(a_clock_that_was_set_proves_nothing_about_leases, "increment")
{
    build_hold(build, 1, 1, 0, 340, 300);
    build_hold(build, 2, 2, 320, 350, 620);
    static const char *const traits[] = {"lease", NULL};
    build->trial.traits = traits;
    BUILD_EVENT(build, 200, 0, CLOCK_STEP, OUTCOME_OK, 60 * NS_PER_S);
    build_judge(build);
    assert_verdict(build, VERDICT_UNKNOWN);
    assert_text_has(build->judgement.reason, "clock by 60.00 s");
}

HISTORY_TEST(a_machine_that_stood_still_does_not_excuse_a_double_grant, "increment")
{
    build_hold(build, 1, 1, 0, 340, 300);
    build_hold(build, 2, 2, 320, 350, 620);
    build_hold(build, 3, 3, 345, 350, 645);
    build_stall(build, 310, 200);
    build_judge(build);
    assert_state(build, "double-grant", FINDING_VIOLATED);
    assert_verdict(build, VERDICT_UNSAFE);
}

HISTORY_TEST(a_stall_is_not_blamed_for_a_holder_that_a_fault_paused, "increment")
{
    build_pause(build, 330);
    build_stall(build, 310, 200);
    build_judge(build);
    assert_verdict(build, VERDICT_UNSAFE);
}

HISTORY_TEST(evidence_is_a_window_that_the_machine_does_not_explain, "increment")
{
    build_hold(build, 1, 1, 0, 340, 300);
    build_hold(build, 2, 2, 320, 350, 620);
    build_stall(build, 310, 200);
    build_hold(build, 1, 3, 400, 800, 700);
    build_hold(build, 2, 4, 720, 750, 1020);
    build_judge(build);
    assert_int_equal(finding_named(build, "stale-holder")->evidence.from_ns, ms(720));
    assert_verdict(build, VERDICT_UNSAFE);
}
