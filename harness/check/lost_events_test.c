// What a history that is not whole proves, and what it does not.
#include "harness/check/build_history_test_support.h"
#include "harness/testing/test.h"

static void judge_as(struct build *build, enum history_state state, bool harness_lost)
{
    build_sort(build);
    build->history = (struct history){.events = build->events,
                                      .count = build->count,
                                      .condition = {.state = state, .harness_lost = harness_lost}};
    if (state != HISTORY_WHOLE)
        strcpy(build->history.condition.text, "the history is damaged");
    if (build->judged)
        digest_free(&build->digest);
    digest_make(&build->history, &build->trial, &build->digest);
    build->judged = true;
    judge(&build->digest, &build->judgement);
}

// Two clients that take turns and write what the workload says.
static void build_turns(struct build *build, const char *workload, int64_t initial, int64_t step)
{
    build_start(build, workload);
    build_begin(build, initial);
    for (int turn = 0; turn < 4; turn++) {
        double at_ms = turn * 10;
        int64_t value = initial + turn * step;
        build_acquire(build, turn % 2 + 1, turn, at_ms, at_ms + 1, NEVER_MS, 0);
        build_write(build, turn % 2 + 1, turn, at_ms + 2, value + step, value, 0, OUTCOME_OK);
        build_release(build, turn % 2 + 1, turn, at_ms + 3, at_ms + 4, RELEASE_RELEASED);
    }
    build_stop(build, 50, STOP_DONE);
}

// The property is violated if that was all, and not decided if it was not.
static void assert_doubtful(struct build *build, const char *property, enum verdict verdict)
{
    judge_as(build, HISTORY_WHOLE, false);
    assert_verdict(build, verdict);
    assert_state(build, property, FINDING_VIOLATED);
    judge_as(build, HISTORY_DAMAGED, false);
    assert_state(build, property, FINDING_UNDECIDED);
    assert_text_has(finding_named(build, property)->text, "as far as it goes");
    assert_verdict(build, VERDICT_UNKNOWN);
    assert_text_has(build->judgement.reason, "the history is damaged");
    build_free(build);
}

TEST(a_value_that_rose_too_far_may_have_had_its_reasons)
{
    struct build build;
    build_turns(&build, "increment", 0, 1);
    build_final(&build, 51, 5);
    assert_doubtful(&build, "lost-update", VERDICT_UNSAFE);
}

TEST(a_stock_that_fell_too_far_may_have_been_sold)
{
    struct build build;
    build_turns(&build, "oversell", 10, -1);
    build_final(&build, 51, 5);
    assert_doubtful(&build, "oversell", VERDICT_UNSAFE);
}

TEST(whoever_waited_in_vain_may_have_been_granted_it)
{
    struct build build;
    build_start(&build, "increment");
    build_crash(&build, NEVER_MS, 5000, STOP_STUCK);
    assert_doubtful(&build, "stuck", VERDICT_STUCK);
}

TEST(a_value_that_rose_too_little_is_a_violation_all_the_same)
{
    struct build build;
    build_turns(&build, "increment", 0, 1);
    build_final(&build, 51, 3);
    judge_as(&build, HISTORY_DAMAGED, false);
    assert_verdict(&build, VERDICT_UNSAFE);
    build_free(&build);
}

TEST(a_history_that_is_not_whole_is_never_safe)
{
    struct build build;
    build_turns(&build, "increment", 0, 1);
    build_final(&build, 51, 4);
    judge_as(&build, HISTORY_WHOLE, false);
    assert_verdict(&build, VERDICT_SAFE);
    judge_as(&build, HISTORY_UNFINISHED, false);
    assert_verdict(&build, VERDICT_UNKNOWN);
    assert_text_has(build.judgement.reason, "4 holds) shows no violation");
    build_free(&build);
}

TEST(a_broken_lease_needs_the_harness_s_own_events)
{
    static const char *const leased[] = {"lease", NULL};
    struct build build;
    build_turns(&build, "increment", 0, 1);
    build_hold(&build, 3, 77, 1.5, 2.5, 300);
    build_final(&build, 51, 4);
    judge_as(&build, HISTORY_DAMAGED, true);
    assert_verdict(&build, VERDICT_UNSAFE);
    build.trial.traits = leased;
    judge_as(&build, HISTORY_DAMAGED, false);
    assert_verdict(&build, VERDICT_UNSAFE);
    judge_as(&build, HISTORY_DAMAGED, true);
    assert_verdict(&build, VERDICT_UNKNOWN);
    assert_text_has(build.judgement.reason, "may have said that the machine stood still");
    build_free(&build);
}

// Client 1 is granted the lock and reads; client 2 is granted it later. Whether client 1 had
// released it is lost if it ever did.
static void build_half_hold(struct build *build, bool dies)
{
    build_turns(build, "increment", 0, 1);
    build_final(build, 51, 4);
    build_acquire(build, 3, 7, 41, 42, NEVER_MS, 0);
    build_read(build, 3, 7, 43, 4, 0);
    if (dies)
        build_death(build, 3, 49);
    build_hold(build, 4, 8, 45, 46, NEVER_MS);
}

TEST(a_hold_ends_with_the_last_that_is_known_of_it_if_its_end_may_be_lost)
{
    for (int dies = 0; dies < 2; dies++) {
        struct build build;
        build_half_hold(&build, dies);
        judge_as(&build, HISTORY_WHOLE, false);
        assert_state(&build, "double-grant", FINDING_VIOLATED);
        judge_as(&build, HISTORY_UNFINISHED, false);
        assert_state(&build, "double-grant", FINDING_KEPT);
        assert_int_equal(build.digest.holds[4].released_ns, ms(43.1));
        build_free(&build);
    }
}

TEST(a_gap_ends_what_its_worker_was_in_the_middle_of)
{
    struct build build;
    build_half_hold(&build, false);
    BUILD_EVENT(&build, 43.1, 3, GAP, OUTCOME_OK, 0);
    // What follows is of a hold of which nobody knows that it was granted, or of the lost one.
    build_write(&build, 3, 9, 48, 5, 4, 0, OUTCOME_OK);
    build_release(&build, 3, 7, 48.5, 49, RELEASE_RELEASED);
    judge_as(&build, HISTORY_DAMAGED, false);
    assert_state(&build, "double-grant", FINDING_KEPT);
    assert_int_equal(build.digest.hold_count, 6);
    assert_int_equal(build.digest.holds[4].released_ns, ms(43.1));
    assert_false(build.digest.holds[4].release_invoked);
    assert_int_equal(build.digest.access_count, 5);
    build_free(&build);
}

HISTORY_TEST(a_gap_leaves_open_what_became_of_a_transaction, "increment")
{
    build->scenario.workload.boundary = BOUNDARY_INNER;
    build_begin(build, 0);
    build_acquire(build, 1, 1, 0, 1, NEVER_MS, 0);
    build_write(build, 1, 1, 2, 1, 0, 0, OUTCOME_OK);
    BUILD_EVENT(build, 2.1, 1, GAP, OUTCOME_OK, 0);
    BUILD_EVENT(build, 9, 1, COMMIT_RETURN, OUTCOME_OK, 2); // of another
    judge_as(build, HISTORY_DAMAGED, false);
    assert_int_equal(build->digest.accesses[0].outcome, OUTCOME_UNKNOWN);
}

// Two clients that hold at once before the scenario's fault has struck.
static void judge_two_holders(struct build *build, const struct expectation *expectation,
                              enum history_state state)
{
    build_start(build, "increment");
    build->trial.expectation = expectation;
    build_hold(build, 1, 1, 0, 20, 300);
    build_hold(build, 2, 2, 10, 30, 310);
    build_fault(build, "kill", 3, NEVER_MS, NEVER_MS);
    judge_as(build, state, false);
}

TEST(what_is_expected_may_have_come_after_the_end_of_a_history_that_is_not_whole)
{
    char *because[] = {(char *)"double-grant", (char *)"stale-holder"};
    const struct expectation expectations[] = {
        {.verdict = EXPECT_UNSAFE},
        {.verdict = EXPECT_UNSAFE, .because = {because, 2}},
    };
    for (size_t i = 0; i < sizeof expectations / sizeof *expectations; i++) {
        struct build build;
        judge_two_holders(&build, &expectations[i], HISTORY_WHOLE);
        assert_verdict(&build, VERDICT_UNSAFE);
        assert_int_equal(build.judgement.expectation, EXPECTATION_MISSED);
        build_free(&build);
        judge_two_holders(&build, &expectations[i], HISTORY_UNFINISHED);
        assert_verdict(&build, VERDICT_UNKNOWN);
        assert_int_equal(build.judgement.expectation, EXPECTATION_NONE);
        assert_text_has(build.judgement.expectation_text, "not decided: UNKNOWN");
        assert_text_has(build.judgement.reason, "never took effect");
        assert_text_has(build.judgement.reason, "; but the history is damaged");
        build_free(&build);
    }
}

TEST(what_contradicts_the_expectation_misses_it_in_every_history)
{
    char *because[] = {(char *)"stale-holder"};
    const struct expectation expectations[] = {
        {.verdict = EXPECT_SAFE},
        {.verdict = EXPECT_STUCK},
        {.verdict = EXPECT_UNSAFE, .because = {because, 1}}, // it was a double grant
    };
    for (size_t i = 0; i < sizeof expectations / sizeof *expectations; i++) {
        struct build build;
        judge_two_holders(&build, &expectations[i], HISTORY_UNFINISHED);
        assert_verdict(&build, VERDICT_UNSAFE);
        assert_int_equal(build.judgement.expectation, EXPECTATION_MISSED);
        build_free(&build);
    }
}
