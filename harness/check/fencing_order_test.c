#include "harness/check/build_history_test_support.h"
#include "harness/testing/test.h"

static void build_fenced(struct build *build, int client, int64_t operation, double invoked_ms,
                         double granted_ms, double released_ms, double valid_until_ms,
                         int64_t token)
{
    build_acquire(build, client, operation, invoked_ms, granted_ms, valid_until_ms, token);
    build_release(build, client, operation, released_ms, released_ms + 1, RELEASE_RELEASED);
}

HISTORY_TEST(tokens_that_grow_are_kept, "increment")
{
    build_fenced(build, 1, 1, 0, 1, 5, 300, 1);
    build_fenced(build, 2, 2, 2, 7, 9, 302, 2);
    build_fenced(build, 1, 3, 10, 11, 12, 310, 7);
    build_judge(build);
    assert_state(build, "fencing-order", FINDING_KEPT);
}

HISTORY_TEST(a_token_older_than_the_one_before_is_refused, "increment")
{
    build_fenced(build, 1, 1, 0, 1, 5, 300, 3);
    build_fenced(build, 2, 2, 8, 9, 10, 308, 2);
    build_judge(build);
    const struct finding *finding = finding_named(build, "fencing-order");
    assert_state(build, "fencing-order", FINDING_VIOLATED);
    assert_int_equal(finding->count, 1);
    assert_text_has(finding->text, "client-2 was given token 2 after client-1 had been given 3");
    assert_verdict(build, VERDICT_UNSAFE);
}

HISTORY_TEST(a_waiter_that_is_granted_after_the_release_must_get_a_newer_token, "increment")
{
    build_fenced(build, 1, 1, 1, 2, 6, 301, 3);
    build_fenced(build, 2, 2, 0, 6, 8, 301, 2);
    build_judge(build);
    assert_state(build, "fencing-order", FINDING_VIOLATED);
}

HISTORY_TEST(equal_tokens_are_refused_in_any_order, "increment")
{
    build_fenced(build, 1, 1, 0, 1, 9, 300, 3);
    build_fenced(build, 2, 2, 0, 2, 9, 300, 3);
    build_judge(build);
    assert_state(build, "fencing-order", FINDING_VIOLATED);
    assert_text_has(finding_named(build, "fencing-order")->text, "were both given token 3");
}

HISTORY_TEST(the_order_of_overlapping_holds_is_not_guessed, "increment")
{
    build_fenced(build, 1, 1, 0, 1, 9, 300, 3);
    build_fenced(build, 2, 2, 0, 2, 9, 300, 2);
    build_judge(build);
    assert_state(build, "fencing-order", FINDING_KEPT);
}

HISTORY_TEST(a_grant_learned_of_late_may_be_older_than_it_looks, "increment")
{
    build_fenced(build, 1, 1, 0, 400, 410, 300, 1);
    build_fenced(build, 2, 2, 1, 310, 320, 610, 2);
    build_judge(build);
    assert_state(build, "fencing-order", FINDING_KEPT);
}

HISTORY_TEST(a_token_fetched_after_the_lease_must_not_pass_the_live_grants, "increment")
{
    build_fenced(build, 1, 1, 0, 312, 313, 300, 2); // paused between the lock and its token
    build_fenced(build, 2, 2, 1, 310, 320, 610, 1);
    build_judge(build);
    assert_state(build, "fencing-order", FINDING_VIOLATED);
    assert_text_has(finding_named(build, "fencing-order")->text,
                    "client-1, whose lease was over, was given token 2 beside the live grant of "
                    "client-2 with token 1");
    assert_verdict(build, VERDICT_UNSAFE);
}

HISTORY_TEST(a_token_fetched_late_may_be_the_smaller_one, "increment")
{
    build_fenced(build, 1, 1, 0, 312, 313, 300, 1);
    build_fenced(build, 2, 2, 1, 310, 320, 610, 2);
    build_judge(build);
    assert_state(build, "fencing-order", FINDING_KEPT);
}

// Which of two readers came first is certain only if the one asked after the other was answered.
HISTORY_TEST(readers_that_share_the_lock_have_no_order, "increment")
{
    build_fenced(build, 1, 1, 0, 1, 5, 300, 2);
    build_fenced(build, 2, 2, 0, 6, 9, 300, 1);
    for (size_t i = 0; i < build->count; i++)
        build->events[i].detail = build->events[i].kind == EVENT_ACQUIRE_INVOKE;
    build_judge(build);
    assert_state(build, "fencing-order", FINDING_KEPT);
}

HISTORY_TEST(an_overlap_by_a_stale_holder_does_not_hide_the_order, "increment")
{
    build_fenced(build, 1, 1, 0, 1, 400, 300, 5);
    build_fenced(build, 2, 2, 0, 310, 320, 610, 4);
    build_judge(build);
    assert_state(build, "fencing-order", FINDING_VIOLATED);
}

HISTORY_TEST(a_hold_out_of_order_is_counted_once, "increment")
{
    build_fenced(build, 1, 1, 0, 1, 5, 300, 8);
    build_fenced(build, 1, 2, 6, 7, 8, 306, 9);
    build_fenced(build, 2, 3, 9, 10, 11, 309, 1);
    build_judge(build);
    assert_int_equal(finding_named(build, "fencing-order")->count, 1);
}

HISTORY_TEST(without_tokens_there_is_nothing_to_order, "increment")
{
    build_hold(build, 1, 1, 0, 1, 300);
    build_judge(build);
    assert_state(build, "fencing-order", FINDING_IRRELEVANT);
}
