#include "harness/check/build_history_test_support.h"

static const char *const session_traits[] = {"lease", "session", NULL};

static void start(struct build *build)
{
    build_start(build, "increment");
    build->trial.traits = session_traits;
    build->trial.topology = "ensemble";
}

// client-1 is granted the lock at 500 ms, and finds it gone at 510; its lease is one of 300 ms.
static void end(struct build *build)
{
    build_acquire(build, 1, 1, 5, 500, 795, 0);
    build_release(build, 1, 1, 509, 510, RELEASE_GONE);
    build_judge(build);
}

static void who_was_answered_after_a_long_pause_may_lose_its_session_all_the_same(void **state)
{
    (void)state;
    static const struct {
        int client;
        double from_ms, to_ms;
        enum finding_state state;
    } pauses[] = {
        {1, 190, 495, FINDING_KEPT},     {1, 395, 495, FINDING_KEPT},
        {1, 400, 495, FINDING_VIOLATED}, // too short
        {1, 10, 150, FINDING_VIOLATED},  // long ago
        {2, 190, 495, FINDING_VIOLATED}, // another's
        {0, 190, 495, FINDING_KEPT},     // a server's
    };
    for (size_t i = 0; i < sizeof pauses / sizeof pauses[0]; i++) {
        struct build build;
        start(&build);
        build_fault(&build, "pause", pauses[i].client, pauses[i].from_ms, pauses[i].to_ms);
        end(&build);
        assert_state(&build, "wrongful-release", pauses[i].state);
        build_free(&build);
    }
}

static void a_paused_worker_does_not_silence_its_client(void **state)
{
    (void)state;
    struct build build;
    start(&build);
    build_fault(&build, "pause", 1, 190, 495);
    build.steps[0].target.worker = 1;
    end(&build);
    assert_state(&build, "wrongful-release", FINDING_VIOLATED);
    build_free(&build);
}

static void a_machine_that_stood_still_leaves_every_session_in_doubt(void **state)
{
    (void)state;
    for (int is_long = 0; is_long < 2; is_long++) {
        struct build build;
        start(&build);
        build_stall(&build, 400, is_long ? 110 : 90);
        end(&build);
        assert_state(&build, "wrongful-release", is_long ? FINDING_KEPT : FINDING_VIOLATED);
        build_free(&build);
    }
}

static void servers_that_do_not_reach_each_other_leave_every_session_in_doubt(void **state)
{
    (void)state;
    for (int between = 0; between < 2; between++) {
        struct build build;
        start(&build);
        build_fault(&build, "cut", 0, 190, 495);
        struct fault_step *step = &build.steps[0];
        step->sides[0][0] = (struct target){.server = "leader"};
        if (between)
            step->sides[1][0] = (struct target){.server = "followers"};
        else
            step->sides[1][0] = (struct target){.client = 2};
        step->side_counts[0] = step->side_counts[1] = 1;
        end(&build);
        assert_state(&build, "wrongful-release", between ? FINDING_KEPT : FINDING_VIOLATED);
        build_free(&build);
    }
}

// One server hears of clients itself, and an explicit lease is what its renewals say.
static void only_sessions_in_an_ensemble_are_in_doubt(void **state)
{
    (void)state;
    static const char *const lease_traits[] = {"lease", NULL};
    for (int alone = 0; alone < 2; alone++) {
        struct build build;
        start(&build);
        if (alone)
            build.trial.topology = "single";
        else
            build.trial.traits = lease_traits;
        build_fault(&build, "pause", 1, 190, 495);
        end(&build);
        assert_state(&build, "wrongful-release", FINDING_VIOLATED);
        build_free(&build);
    }
}

// client-1 is paused in its hold, and renews it in time afterwards; but client-2 is granted it.
static void a_renewal_after_a_long_pause_proves_no_more_than_the_grant(void **state)
{
    (void)state;
    for (int is_long = 0; is_long < 2; is_long++) {
        struct build build;
        start(&build);
        build_acquire(&build, 1, 1, 0, 1, 300, 0);
        build_fault(&build, "pause", 1, 10, is_long ? 280 : 100);
        BUILD_EVENT(&build, 281, 1, RENEW_RETURN, OUTCOME_OK, 1, ms(580));
        build_hold(&build, 2, 2, 350, 360, 650);
        build_release(&build, 1, 1, 400, 401, RELEASE_UNKNOWN);
        build_judge(&build);
        assert_state(&build, "double-grant", is_long ? FINDING_KEPT : FINDING_VIOLATED);
        assert_state(&build, "stale-holder", is_long ? FINDING_VIOLATED : FINDING_KEPT);
        build_free(&build);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_was_answered_after_a_long_pause_may_lose_its_session_all_the_same),
        cmocka_unit_test(a_paused_worker_does_not_silence_its_client),
        cmocka_unit_test(a_machine_that_stood_still_leaves_every_session_in_doubt),
        cmocka_unit_test(servers_that_do_not_reach_each_other_leave_every_session_in_doubt),
        cmocka_unit_test(only_sessions_in_an_ensemble_are_in_doubt),
        cmocka_unit_test(a_renewal_after_a_long_pause_proves_no_more_than_the_grant),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
