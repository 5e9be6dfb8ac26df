#include "harness/check/build_history_test_support.h"
#include "harness/testing/test.h"

static const char *const fair[] = {"exclusive", "fair", NULL};
static const char *const unfair[] = {"exclusive", NULL};

static void start(struct build *build)
{
    build_start(build, "increment");
    build->trial.traits = fair;
    build_begin(build, 0);
}

// Asks, takes its place, and is granted the lock: for good, or for as long as the line keeps it.
static void build_queued(struct build *build, int client, double invoked_ms, double queued_ms,
                         double granted_ms, double released_ms, double kept_ms)
{
    double lease_end_ms = granted_ms + 300;
    int64_t kept_ns = kept_ms < 0 ? TIME_NEVER : (int64_t)(kept_ms * (double)NS_PER_MS);
    build_acquire(build, client, client, invoked_ms, granted_ms, lease_end_ms, 0);
    if (queued_ms >= 0)
        BUILD_EVENT(build, queued_ms, client, QUEUED, OUTCOME_OK, client, kept_ns);
    build_release(build, client, client, released_ms, released_ms + 1, RELEASE_RELEASED);
}

// client-1 holds, client-2 stands in line since 3 ms, client-3 asks at 5 ms and is granted first.
static void build_passing(struct build *build, double kept_ms)
{
    start(build);
    build_queued(build, 1, 0, NEVER_MS, 1, 10, NEVER_MS);
    build_queued(build, 2, 2, 3, 30, 40, kept_ms);
    build_queued(build, 3, 5, 6, 12, 20, kept_ms);
}

TEST(one_that_asks_later_and_is_granted_first_is_out_of_turn)
{
    struct build build;
    build_passing(&build, NEVER_MS);
    build_judge(&build);
    assert_state(&build, "out-of-turn", FINDING_VIOLATED);
    assert_int_equal(finding_named(&build, "out-of-turn")->count, 1);
    assert_text_has(finding_named(&build, "out-of-turn")->text,
                    "client-3 asked for the lock 2 ms after client-2 had its place in line, and "
                    "was granted it 18 ms before (1 grant out of turn)");
    assert_verdict(&build, VERDICT_UNSAFE);
    build_free(&build);
}

TEST(a_lock_that_promises_no_order_breaks_none)
{
    struct build build;
    build_passing(&build, NEVER_MS);
    build.trial.traits = unfair;
    build_judge(&build);
    assert_state(&build, "out-of-turn", FINDING_IRRELEVANT);
    build_free(&build);
}

TEST(without_places_the_order_of_asking_proves_nothing)
{
    struct build build;
    start(&build);
    build_queued(&build, 1, 0, NEVER_MS, 1, 10, NEVER_MS);
    build_queued(&build, 2, 2, NEVER_MS, 30, 40, NEVER_MS);
    build_queued(&build, 3, 5, NEVER_MS, 12, 20, NEVER_MS);
    build_judge(&build);
    assert_state(&build, "out-of-turn", FINDING_IRRELEVANT);
    build_free(&build);
}

TEST(one_that_asked_before_the_place_was_taken_may_be_first)
{
    struct build build;
    start(&build);
    build_queued(&build, 1, 0, NEVER_MS, 1, 10, NEVER_MS);
    build_queued(&build, 2, 2, 6, 30, 40, NEVER_MS);
    build_queued(&build, 3, 5, 6, 12, 20, NEVER_MS);
    build_judge(&build);
    assert_state(&build, "out-of-turn", FINDING_KEPT);
    build_free(&build);
}

// client-2 lost its place with its session, and stood in line anew.
TEST(of_several_places_the_last_one_counts)
{
    struct build build;
    build_passing(&build, NEVER_MS);
    BUILD_EVENT(&build, 11, 2, QUEUED, OUTCOME_OK, 2, TIME_NEVER);
    build_judge(&build);
    assert_state(&build, "out-of-turn", FINDING_KEPT);
    build_free(&build);
}

// It was paused when its turn came, and learned of the grant after its lease: another's turn came
// in the meantime.
TEST(a_grant_learned_of_late_was_not_passed)
{
    struct build build;
    start(&build);
    build_queued(&build, 1, 0, NEVER_MS, 1, 10, NEVER_MS);
    build_acquire(&build, 2, 2, 2, 330, 310, 0);
    BUILD_EVENT(&build, 3, 2, QUEUED, OUTCOME_OK, 2, TIME_NEVER);
    build_release(&build, 2, 2, 340, 341, RELEASE_GONE);
    build_queued(&build, 3, 5, 6, 312, 320, NEVER_MS);
    build_judge(&build);
    assert_state(&build, "out-of-turn", FINDING_KEPT);
    build_free(&build);
}

TEST(holds_that_overlap_were_granted_in_no_certain_order)
{
    struct build build;
    start(&build);
    build_queued(&build, 2, 2, 3, 30, 40, NEVER_MS);
    build_queued(&build, 3, 5, 6, 12, 35, NEVER_MS);
    build_judge(&build);
    assert_state(&build, "out-of-turn", FINDING_KEPT);
    build_free(&build);
}

TEST(readers_do_not_pass_each_other_but_a_writer_passes_a_reader)
{
    for (int writer = 0; writer < 2; writer++) {
        struct build build;
        build_passing(&build, NEVER_MS);
        for (size_t i = 0; i < build.count; i++)
            build.events[i].detail = build.events[i].kind == EVENT_ACQUIRE_INVOKE &&
                                     !(writer == 1 && build.events[i].client == 3);
        build_judge(&build);
        assert_state(&build, "out-of-turn", writer == 1 ? FINDING_VIOLATED : FINDING_KEPT);
        build_free(&build);
    }
}

TEST(a_place_that_runs_out_counts_while_it_is_kept_for_certain)
{
    struct build build;
    build_passing(&build, 20);
    build_judge(&build);
    assert_state(&build, "out-of-turn", FINDING_VIOLATED);
    build_free(&build);
    build_passing(&build, 12);
    build_judge(&build);
    assert_state(&build, "out-of-turn", FINDING_KEPT);
    build_free(&build);
    build_passing(&build, 0); // a history that does not say
    build_judge(&build);
    assert_state(&build, "out-of-turn", FINDING_KEPT);
    build_free(&build);
}

static void judge_with_fault(double kept_ms, int client, enum finding_state expected)
{
    struct build build;
    build_passing(&build, kept_ms);
    build_fault(&build, "pause", client, 8, 9);
    build_judge(&build);
    assert_state(&build, "out-of-turn", expected);
    build_free(&build);
}

TEST(a_fault_may_take_a_place)
{
    judge_with_fault(NEVER_MS, 2, FINDING_KEPT);
    judge_with_fault(NEVER_MS, 1, FINDING_VIOLATED); // not another client's
    judge_with_fault(5000, 1, FINDING_KEPT);         // unless it may be lost to others
}
