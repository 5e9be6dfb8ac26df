#include "harness/check/build_history_test_support.h"
#include "harness/testing/test.h"

HISTORY_TEST(two_valid_holds_at_once_are_refused, "increment")
{
    build_hold(build, 1, 1, 10, 20, 310);
    build_hold(build, 2, 2, 15, 30, 315);
    build_judge(build);
    assert_state(build, "double-grant", FINDING_VIOLATED);
    const struct finding *finding = finding_named(build, "double-grant");
    assert_int_equal(finding->count, 1);
    assert_int_equal(finding->evidence.holds[0], 0);
    assert_int_equal(finding->evidence.holds[1], 1);
    assert_int_equal(finding->evidence.from_ns, ms(15));
    assert_int_equal(finding->evidence.to_ns, ms(20));
    assert_int_equal(finding->windows.max_ns, 5 * NS_PER_MS);
    assert_text_has(finding->text, "client-2 was granted the lock while client-1 held it");
    assert_verdict(build, VERDICT_UNSAFE);
}

HISTORY_TEST(a_hold_that_ends_where_the_next_begins_is_no_overlap, "increment")
{
    build_hold(build, 1, 1, 10, 20, 310);
    build_hold(build, 2, 2, 20, 30, 320);
    build_hold(build, 1, 3, 30, 30, 330);
    build_hold(build, 2, 4, 30, 40, 330);
    build_judge(build);
    assert_state(build, "double-grant", FINDING_KEPT);
}

HISTORY_TEST(a_hold_of_no_length_inside_another_is_an_overlap, "increment")
{
    build_hold(build, 1, 1, 10, 20, 310);
    build_hold(build, 2, 2, 15, 15, 315);
    build_judge(build);
    assert_state(build, "double-grant", FINDING_VIOLATED);
}

HISTORY_TEST(an_overlap_is_found_across_the_holds_between, "increment")
{
    build_hold(build, 1, 1, 10, 100, NEVER_MS);
    build_hold(build, 2, 2, 20, 30, NEVER_MS);
    build_hold(build, 3, 3, 90, 120, NEVER_MS);
    build_judge(build);
    const struct finding *finding = finding_named(build, "double-grant");
    assert_int_equal(finding->count, 2);
    assert_int_equal(finding->windows.min_ns, 10 * NS_PER_MS);
    assert_int_equal(finding->windows.max_ns, 10 * NS_PER_MS);
}

HISTORY_TEST(holds_without_a_lease_never_expire, "increment")
{
    build_hold(build, 1, 1, 0, 5000, NEVER_MS);
    build_hold(build, 2, 2, 4000, 4100, NEVER_MS);
    build_judge(build);
    assert_state(build, "double-grant", FINDING_VIOLATED);
    assert_state(build, "stale-holder", FINDING_KEPT);
}

HISTORY_TEST(a_grant_within_the_allowed_drift_of_the_lease_is_lawful, "increment")
{
    build_hold(build, 1, 1, 0, 400, 300);
    build_hold(build, 2, 2, 295, 310, 595);
    build_judge(build);
    assert_state(build, "double-grant", FINDING_KEPT);
    assert_state(build, "stale-holder", FINDING_VIOLATED);
}

HISTORY_TEST(a_grant_just_before_the_allowed_drift_is_not, "increment")
{
    build_hold(build, 1, 1, 0, 400, 300);
    build_hold(build, 2, 2, 294.9, 310, 594.9);
    build_judge(build);
    assert_state(build, "double-grant", FINDING_VIOLATED);
}

HISTORY_TEST(a_reply_that_comes_after_the_lease_proves_no_hold, "increment")
{
    build_hold(build, 2, 2, 310, 500, 610);
    build_acquire(build, 1, 1, 0, 400, 300, 0);
    build_release(build, 1, 1, 450, 451, RELEASE_NOT_OWNER);
    build_judge(build);
    assert_state(build, "double-grant", FINDING_KEPT);
    assert_state(build, "stale-holder", FINDING_VIOLATED);
}

HISTORY_TEST(the_dead_hold_nothing, "increment")
{
    build_acquire(build, 1, 1, 0, 1, NEVER_MS, 0);
    build_death(build, 1, 10);
    build_hold(build, 2, 2, 10, 20, NEVER_MS);
    build_judge(build);
    assert_state(build, "double-grant", FINDING_KEPT);
}

HISTORY_TEST(a_hold_whose_release_is_under_way_excludes_nobody, "increment")
{
    build_acquire(build, 1, 1, 0, 1, 300, 0);
    build_release(build, 1, 1, 10, 100, RELEASE_RELEASED);
    build_hold(build, 2, 2, 50, 60, 350);
    build_judge(build);
    assert_state(build, "double-grant", FINDING_KEPT);
}

HISTORY_TEST(a_renewed_lease_is_still_valid, "increment")
{
    build_acquire(build, 1, 1, 0, 1, 300, 0);
    BUILD_EVENT(build, 200, 1, RENEW_RETURN, OUTCOME_OK, 1, ms(490));
    build_release(build, 1, 1, 450, 451, RELEASE_RELEASED);
    build_hold(build, 2, 2, 400, 420, 700);
    build_judge(build);
    assert_state(build, "double-grant", FINDING_VIOLATED);
}

HISTORY_TEST(a_renewal_that_came_too_late_does_not_make_the_time_before_it_valid, "increment")
{
    build_acquire(build, 1, 1, 0, 1, 300, 0);
    build_hold(build, 2, 2, 310, 320, 610);
    BUILD_EVENT(build, 350, 1, RENEW_RETURN, OUTCOME_OK, 1, ms(640));
    build_release(build, 1, 1, 360, 361, RELEASE_RELEASED);
    build_judge(build);
    assert_state(build, "double-grant", FINDING_KEPT);
    assert_state(build, "stale-holder", FINDING_VIOLATED);
}

HISTORY_TEST(workers_are_named_where_clients_have_several, "increment")
{
    build->scenario.clients.threads = 2;
    build_hold(build, 1, 1, 10, 20, NEVER_MS);
    build_hold(build, 2, 2, 15, 30, NEVER_MS);
    build_judge(build);
    assert_text_has(finding_named(build, "double-grant")->text, "client-2 worker-1");
}
