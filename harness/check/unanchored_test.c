// Leases of which it is not known which request was granted, and so when they began; and times that
// a library has told itself.
#include "harness/check/build_history_test_support.h"
#include "harness/testing/test.h"

// Of 300 ms, granted at 200 to somebody who asked since 0: it ends at 300 at the earliest, and at
// 500 at the latest. Less what clocks may differ by, 5 ms.
static void begin(struct build *build, double released_ms)
{
    build_start(build, "increment");
    build_acquire(build, 1, 1, 0, 200, 300, 0);
    build->events[build->count - 1].detail = 1;
    if (released_ms > 0)
        build_release(build, 1, 1, released_ms, released_ms + 1, RELEASE_RELEASED);
}

static void expect(struct build *build, enum finding_state double_grant, enum finding_state stale)
{
    build_judge(build);
    assert_state(build, "double-grant", double_grant);
    assert_state(build, "stale-holder", stale);
    build_free(build);
}

TEST(another_grant_before_its_earliest_end_is_a_double_grant)
{
    struct build build;
    begin(&build, 260);
    build_hold(&build, 2, 2, 250, 255, 550);
    expect(&build, FINDING_VIOLATED, FINDING_KEPT);
}

TEST(another_grant_between_its_earliest_and_latest_end_is_undecided)
{
    struct build build;
    begin(&build, 450);
    build_hold(&build, 2, 2, 350, 360, 650);
    build_judge(&build);
    const char *said = finding_named(&build, "double-grant")->text;
    assert_non_null(strstr(said, "let its driver say request_ns"));
    assert_state(&build, "double-grant", FINDING_UNDECIDED);
    assert_state(&build, "stale-holder", FINDING_KEPT);
    build_free(&build);
}

TEST(a_holder_beyond_its_latest_end_is_stale)
{
    struct build build;
    begin(&build, 600);
    build_hold(&build, 2, 2, 497, 550, 797);
    expect(&build, FINDING_KEPT, FINDING_VIOLATED);
}

TEST(a_renewal_says_when_the_lease_ends)
{
    struct build build;
    begin(&build, -1);
    BUILD_EVENT(&build, 250, 1, RENEW_RETURN, OUTCOME_OK, 1, ms(545));
    build_release(&build, 1, 1, 700, 701, RELEASE_NOT_OWNER);
    build_hold(&build, 2, 2, 520, 560, 820);
    expect(&build, FINDING_VIOLATED, FINDING_KEPT);
}

TEST(a_lock_found_gone_is_taken_away_only_if_its_lease_was_certainly_valid)
{
    static const struct {
        double at_ms;
        enum finding_state state;
    } cases[] = {{280, FINDING_VIOLATED}, {400, FINDING_UNDECIDED}, {510, FINDING_KEPT}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct build build;
        begin(&build, -1);
        build_release(&build, 1, 1, cases[i].at_ms - 1, cases[i].at_ms, RELEASE_GONE);
        build_judge(&build);
        assert_state(&build, "wrongful-release", cases[i].state);
        build_free(&build);
    }
}

// The library was called 10 ms after it was asked for the lock, and 500 ms after its worker gave
// that up: the hold ends when its worker gave it up, and the release takes as long as the library's
// call.
HISTORY_TEST(a_call_is_the_library_s_and_the_hold_is_the_worker_s, "increment")
{
    BUILD_EVENT(build, 0, 1, ACQUIRE_INVOKE, OUTCOME_OK, 1);
    BUILD_EVENT(build, 10, 1, CALL, OUTCOME_OK, 1);
    BUILD_EVENT(build, 12, 1, ACQUIRE_RETURN, OUTCOME_OK, 1, 0, ms(310), 1);
    BUILD_EVENT(build, 100, 1, RELEASE_INVOKE, OUTCOME_OK, 1);
    BUILD_EVENT(build, 600, 1, CALL, OUTCOME_OK, 1);
    BUILD_EVENT(build, 603, 1, RELEASE_RETURN, OUTCOME_NO, 1);
    build->events[build->count - 1].detail = RELEASE_NOT_OWNER;
    build_hold(build, 2, 2, 400, 650, 700);
    build_judge(build);
    const struct hold *hold = &build->digest.holds[0];
    assert_true(hold->invoked_ns == ms(0) && hold_acquire_began_ns(hold) == ms(10) &&
                hold->granted_ns == ms(12));
    assert_true(hold->released_ns == ms(100) && hold_release_began_ns(hold) == ms(600) &&
                hold->returned_ns == ms(603));
    assert_state(build, "stale-holder", FINDING_KEPT);
    assert_state(build, "double-grant", FINDING_KEPT);
}
