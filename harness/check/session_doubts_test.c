#include "harness/check/build_history_test_support.h"
#include "harness/check/stale_holder.h"
#include "harness/testing/test.h"

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

TEST(who_was_answered_after_a_long_pause_may_lose_its_session_all_the_same)
{
    static const struct {
        int client;
        double from_ms, to_ms;
        enum finding_state state;
    } pauses[] = {
        {1, 190, 495, FINDING_UNDECIDED}, {1, 395, 495, FINDING_UNDECIDED},
        {1, 400, 495, FINDING_VIOLATED},  // too short
        {1, 10, 150, FINDING_VIOLATED},   // long ago
        {2, 190, 495, FINDING_VIOLATED},  // another's
        {0, 190, 495, FINDING_UNDECIDED}, // a server's
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

TEST(a_paused_worker_does_not_silence_its_client)
{
    struct build build;
    start(&build);
    build_fault(&build, "pause", 1, 190, 495);
    build.steps[0].target.worker = 1;
    end(&build);
    assert_state(&build, "wrongful-release", FINDING_VIOLATED);
    build_free(&build);
}

TEST(a_machine_that_stood_still_leaves_every_session_in_doubt)
{
    for (int is_long = 0; is_long < 2; is_long++) {
        struct build build;
        start(&build);
        build_stall(&build, 400, is_long ? 110 : 90);
        end(&build);
        assert_state(&build, "wrongful-release", is_long ? FINDING_UNDECIDED : FINDING_VIOLATED);
        build_free(&build);
    }
}

TEST(servers_that_do_not_reach_each_other_leave_every_session_in_doubt)
{
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
        assert_state(&build, "wrongful-release", between ? FINDING_UNDECIDED : FINDING_VIOLATED);
        build_free(&build);
    }
}

// One server hears of clients itself, and an explicit lease is what its renewals say.
TEST(only_sessions_in_an_ensemble_are_in_doubt)
{
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

// What memcached serves before it has set its clock again is over as much too early.
TEST(a_memcached_that_stood_still_may_end_the_next_lease_early)
{
    static const char *const traits[] = {"memcached", "lease", NULL};
    static const struct {
        double length_ms, invoked_ms;
        enum finding_state state;
    } stalls[] = {
        {3000, 3999, FINDING_UNDECIDED}, // the observer wakes up later than a client
        {3000, 4900, FINDING_UNDECIDED}, {3000, 5100, FINDING_VIOLATED},
        {1100, 4001, FINDING_UNDECIDED}, {900, 4001, FINDING_VIOLATED},
    };
    for (size_t i = 0; i < sizeof stalls / sizeof stalls[0]; i++) {
        struct build build;
        double at_ms = stalls[i].invoked_ms;
        start(&build);
        build.trial.traits = traits;
        build.trial.topology = "single";
        build_stall(&build, 4000, stalls[i].length_ms);
        build_acquire(&build, 1, 1, at_ms, at_ms + 1, at_ms + 300, 0);
        build_release(&build, 1, 1, at_ms + 250, at_ms + 251, RELEASE_GONE);
        build_judge(&build);
        assert_state(&build, "wrongful-release", stalls[i].state);
        build_free(&build);
    }
}

// client-1 is paused in its hold, and renews it in time afterwards; but client-2 is granted it.
TEST(a_renewal_after_a_long_pause_proves_no_more_than_the_grant)
{
    for (int is_long = 0; is_long < 2; is_long++) {
        struct build build;
        start(&build);
        build_acquire(&build, 1, 1, 0, 1, 300, 0);
        build_fault(&build, "pause", 1, 10, is_long ? 280 : 100);
        BUILD_EVENT(&build, 281, 1, RENEW_RETURN, OUTCOME_OK, 1, ms(580));
        build_hold(&build, 2, 2, 350, 360, 650);
        build_release(&build, 1, 1, 400, 401, RELEASE_UNKNOWN);
        build_judge(&build);
        assert_state(&build, "double-grant", is_long ? FINDING_UNDECIDED : FINDING_VIOLATED);
        assert_state(&build, "stale-holder", is_long ? FINDING_VIOLATED : FINDING_KEPT);
        build_free(&build);
    }
}

// Twice renewed, so that it cannot have ended meanwhile: whoever else is let in is one too many.
TEST(who_renews_for_long_enough_afterwards_had_its_session_all_the_time)
{
    struct build build;
    start(&build);
    build_acquire(&build, 1, 1, 0, 1, 300, 0);
    build_fault(&build, "pause", 1, 10, 200);
    for (int i = 0; i < 4; i++)
        BUILD_EVENT(&build, 210 + 200 * i, 1, RENEW_RETURN, OUTCOME_OK, 1, ms(509 + 200 * i));
    build_hold(&build, 2, 2, 850, 860, 1150);
    build_release(&build, 1, 1, 900, 901, RELEASE_RELEASED);
    build_judge(&build);
    assert_state(&build, "double-grant", FINDING_VIOLATED);
    build_free(&build);
}

// A lease that is in doubt is not one that is certainly over: the ordinary release of the one
// before did not remove what the session's end took.
TEST(whose_session_is_in_doubt_is_not_to_blame_for_its_ordinary_release)
{
    struct build build;
    start(&build);
    build_fault(&build, "pause", 1, 200, 495);
    build_acquire(&build, 1, 1, 499, 500, 799, 0);
    BUILD_EVENT(&build, 520, 2, ACQUIRE_INVOKE, OUTCOME_OK, 2);
    build_release(&build, 1, 1, 540, 545, RELEASE_RELEASED);
    BUILD_EVENT(&build, 546, 2, ACQUIRE_RETURN, OUTCOME_OK, 2, 0, ms(820), 1);
    BUILD_EVENT(&build, 600, 2, RELEASE_INVOKE, OUTCOME_OK, 2);
    build_fault(&build, "disconnect", 2, 605, NEVER_MS);
    BUILD_EVENT(&build, 610, 2, RELEASE_RETURN, OUTCOME_NO, 2);
    build.events[build.count - 1].detail = RELEASE_GONE;
    build_judge(&build);
    assert_state(&build, "wrongful-release", FINDING_KEPT);
    build_free(&build);
}

static void put_on_wire(struct build *build, struct target beside, const char *verb)
{
    struct fault_step *step = &build->steps[0];
    step->verb = verb;
    step->sides[0][0] = (struct target){.server = "server-2"};
    step->sides[0][1] = (struct target){.client = 1};
    step->sides[1][0] = beside;
    step->side_counts[0] = 2;
    step->side_counts[1] = 1;
}

TEST(only_wires_between_servers_that_are_cut_for_long_silence_a_session)
{
    static const struct {
        const char *verb;
        struct target beside;
        int64_t by_ms;
        enum finding_state state;
    } wires[] = {
        {"cut", {.server = "others"}, 0, FINDING_UNDECIDED}, // the other servers among them
        {"cut", {.server = "clients"}, 0, FINDING_VIOLATED},
        {"cut", {.server = "store"}, 0, FINDING_VIOLATED},
        {"delay", {.server = "others"}, 1, FINDING_VIOLATED},
        {"delay", {.server = "others"}, 100, FINDING_UNDECIDED},
    };
    for (size_t i = 0; i < sizeof wires / sizeof wires[0]; i++) {
        struct build build;
        start(&build);
        build_fault(&build, wires[i].verb, 0, 190, 495);
        put_on_wire(&build, wires[i].beside, wires[i].verb);
        build.steps[0].by_ns = wires[i].by_ms * NS_PER_MS;
        end(&build);
        assert_state(&build, "wrongful-release", wires[i].state);
        build_free(&build);
    }
}

TEST(the_server_of_the_guarded_value_has_no_sessions)
{
    for (int same = 0; same < 2; same++) {
        struct build build;
        start(&build);
        build_fault(&build, "pause", 0, 190, 495);
        build.steps[0].target = (struct target){.server = "store"};
        build.scenario.workload.store = (char *)(same ? "same" : "redis");
        end(&build);
        assert_state(&build, "wrongful-release", same ? FINDING_UNDECIDED : FINDING_VIOLATED);
        build_free(&build);
    }
}

// The session of client-1 ends right after a stall, and the next is let in.
TEST(a_stall_before_the_grant_is_to_blame_for_a_session_that_ends)
{
    struct build build;
    start(&build);
    build_stall(&build, 400, 110);
    build_acquire(&build, 1, 1, 495, 500, 795, 0);
    build_hold(&build, 2, 2, 510, 520, 800);
    build_release(&build, 1, 1, 560, 561, RELEASE_UNKNOWN);
    build_judge(&build);
    assert_state(&build, "double-grant", FINDING_UNDECIDED);
    assert_state(&build, "stale-holder", FINDING_UNDECIDED);
    const struct hold *stale = &build.digest.holds[0];
    assert_true(stall_to_blame_ns(&build.digest, stale, ms(510), ms(520)) >
                0); // which makes it UNKNOWN
    build_free(&build);
}
