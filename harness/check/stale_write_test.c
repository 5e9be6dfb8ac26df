#include "harness/check/build_history_test_support.h"
#include "harness/testing/test.h"

HISTORY_TEST(a_write_after_another_was_granted_is_refused, "increment")
{
    build_acquire(build, 1, 1, 0, 1, 300, 0);
    build_acquire(build, 2, 2, 2, 312, 612, 0);
    build_write(build, 1, 1, 331, 8, 7, 0, OUTCOME_OK);
    build_judge(build);
    const struct finding *finding = finding_named(build, "stale-write");
    assert_state(build, "stale-write", FINDING_VIOLATED);
    assert_int_equal(finding->count, 1);
    assert_int_equal(finding->evidence.holds[0], 0);
    assert_int_equal(finding->evidence.holds[1], 1);
    assert_int_equal(finding->evidence.accesses[0], 0);
    assert_text_has(finding->text, "31 ms after its lease had run out");
}

HISTORY_TEST(a_write_before_the_other_grant_is_kept, "increment")
{
    build_acquire(build, 1, 1, 0, 1, 300, 0);
    build_acquire(build, 2, 2, 2, 312, 612, 0);
    build_write(build, 1, 1, 311, 8, 7, 0, OUTCOME_OK);
    build_stop(build, 400, STOP_DONE);
    build_judge(build);
    assert_state(build, "stale-holder", FINDING_VIOLATED);
    assert_state(build, "stale-write", FINDING_KEPT);
}

HISTORY_TEST(a_write_that_was_refused_or_never_answered_is_not_accepted, "increment")
{
    build_acquire(build, 1, 1, 0, 1, 300, 0);
    build_acquire(build, 2, 2, 2, 312, 612, 0);
    build_write(build, 1, 1, 331, 8, 7, 0, OUTCOME_NO);
    build_write(build, 1, 1, 332, 8, 7, 0, OUTCOME_UNKNOWN);
    build_judge(build);
    assert_state(build, "stale-write", FINDING_KEPT);
}

HISTORY_TEST(a_late_write_when_nobody_was_granted_since_is_kept, "increment")
{
    build_acquire(build, 1, 1, 0, 1, 300, 0);
    build_write(build, 1, 1, 331, 8, 7, 0, OUTCOME_OK);
    build_release(build, 1, 1, 340, 341, RELEASE_GONE);
    build_hold(build, 2, 2, 350, 360, 650);
    build_judge(build);
    assert_state(build, "stale-write", FINDING_KEPT);
}

HISTORY_TEST(what_a_double_grant_does_is_left_to_it, "increment")
{
    build_acquire(build, 1, 1, 0, 1, 300, 0);
    build_acquire(build, 2, 2, 2, 100, 400, 0);
    build_write(build, 1, 1, 150, 8, 7, 0, OUTCOME_OK);
    build_write(build, 1, 1, 320, 8, 7, 0, OUTCOME_OK);
    build_judge(build);
    assert_state(build, "double-grant", FINDING_VIOLATED);
    assert_state(build, "stale-write", FINDING_KEPT);
}

HISTORY_TEST(a_late_reply_after_the_others_hold_was_over_proves_nothing, "increment")
{
    build_acquire(build, 1, 1, 0, 400, 300, 0);
    build_write(build, 1, 1, 402, 8, 7, 0, OUTCOME_OK);
    build_hold(build, 2, 2, 310, 350, 610);
    build_judge(build);
    assert_state(build, "stale-write", FINDING_KEPT);
}

HISTORY_TEST(a_late_reply_while_another_holds_proves_a_stale_write, "increment")
{
    build_acquire(build, 1, 1, 0, 400, 300, 0);
    build_write(build, 1, 1, 402, 8, 7, 0, OUTCOME_OK);
    build_hold(build, 2, 2, 310, 401, 610);
    build_judge(build);
    assert_state(build, "stale-write", FINDING_VIOLATED);
}

HISTORY_TEST(a_grant_that_was_itself_learned_of_late_proves_nothing, "increment")
{
    // client-2's grant may well precede client-1's at the server: it was invoked first.
    build_acquire(build, 2, 2, 0, 700, 300, 0);
    build_acquire(build, 1, 1, 310, 320, 610, 0);
    build_write(build, 1, 1, 710, 8, 7, 0, OUTCOME_OK);
    build_judge(build);
    assert_state(build, "stale-holder", FINDING_VIOLATED);
    assert_state(build, "stale-write", FINDING_KEPT);
}

HISTORY_TEST(holds_without_a_lease_write_no_stale_writes, "increment")
{
    build_acquire(build, 1, 1, 0, 1, NEVER_MS, 0);
    build_acquire(build, 2, 2, 2, 312, NEVER_MS, 0);
    build_write(build, 1, 1, 9000, 8, 7, 0, OUTCOME_OK);
    build_judge(build);
    assert_state(build, "stale-write", FINDING_KEPT);
}

static void build_fenced(struct build *build, double newer_ms)
{
    build_start(build, "increment");
    build->scenario.workload.fenced = true;
    build_acquire(build, 1, 1, 0, 1, 300, 4);
    build_acquire(build, 2, 2, 2, 312, 612, 5);
    build_read(build, 2, 2, newer_ms, 7, 5);
    build_write(build, 1, 1, 331, 8, 7, 4, OUTCOME_OK);
    build_judge(build);
}

TEST(a_fenced_store_must_refuse_an_old_token_after_a_newer_one)
{
    struct build build;
    build_fenced(&build, 320);
    const struct finding *finding = finding_named(&build, "stale-write");
    assert_state(&build, "stale-write", FINDING_VIOLATED);
    assert_int_equal(build.digest.accesses[finding->evidence.accesses[1]].token, 5);
    assert_text_has(finding->text, "token 4");
    build_free(&build);
}

TEST(a_fenced_store_may_accept_an_old_token_until_it_sees_a_newer_one)
{
    struct build build;
    build_fenced(&build, 335);
    assert_state(&build, "stale-write", FINDING_KEPT);
    build_free(&build);
}

TEST(a_fenced_store_may_answer_both_while_they_are_under_way)
{
    struct build build;
    build_fenced(&build, 330.9);
    assert_state(&build, "stale-write", FINDING_KEPT);
    build_free(&build);
}
