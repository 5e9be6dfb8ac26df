// How soon a free lock is granted again, and when that says nothing.
#include "harness/check/build_history_test_support.h"
#include "harness/check/liveness.h"
#include "harness/testing/test.h"

static struct liveness measured(struct build *build)
{
    struct liveness liveness;
    build_judge(build);
    liveness_measure(&build->digest, &liveness);
    return liveness;
}

static void assert_waits(const struct wait_figures *figures, size_t count, double longest_ms)
{
    assert_int_equal(figures->count, count);
    assert_int_equal(figures->max_ns, (int64_t)(longest_ms * (double)NS_PER_MS));
}

// client-1 holds the lock from 1 to 10 ms.
static void start_with_a_hold(struct build *build, enum release_answer answer)
{
    build_start(build, "increment");
    build_begin(build, 0);
    build_acquire(build, 1, 1, 0, 1, 301, 0);
    build_release(build, 1, 1, 10, 11, answer);
}

static struct wait_figures after_release(struct build *build)
{
    build_stop(build, 1000, STOP_DONE);
    struct wait_figures figures = measured(build).after_release;
    build_free(build);
    return figures;
}

// --- releases ------------------------------------------------------------------------------------

TEST(a_release_is_timed_to_the_next_grant_of_one_who_waited)
{
    struct build build;
    start_with_a_hold(&build, RELEASE_RELEASED);
    build_acquire(&build, 2, 2, 5, 14, 314, 0);
    build_release(&build, 2, 2, 20, 21, RELEASE_UNCHECKED);
    // Nobody waited for this one.
    build_acquire(&build, 1, 3, 30, 31, 331, 0);
    struct wait_figures figures = after_release(&build);
    assert_waits(&figures, 1, 4);
    assert_int_equal(figures.p50_ns, 4 * NS_PER_MS);
}

TEST(a_gap_in_the_waiting_leaves_the_release_out_unless_its_worker_asks_again)
{
    for (int client = 2; client <= 3; client++) {
        struct build build;
        start_with_a_hold(&build, RELEASE_RELEASED);
        build_attempt(&build, 2, 2, 5, 12, OUTCOME_NO);
        build_acquire(&build, client, 3, 13, 14, 314, 0);
        struct wait_figures figures = after_release(&build);
        assert_waits(&figures, client == 2, client == 2 ? 4 : 0);
    }
}

TEST(who_died_waits_no_more)
{
    struct build build;
    start_with_a_hold(&build, RELEASE_RELEASED);
    build_attempt(&build, 2, 2, 5, NEVER_MS, OUTCOME_OK);
    build_death(&build, 2, 12);
    build_acquire(&build, 3, 3, 13, 14, 314, 0);
    struct wait_figures figures = after_release(&build);
    assert_waits(&figures, 0, 0);
}

TEST(a_release_that_freed_nothing_is_left_out)
{
    static const enum release_answer answers[] = {RELEASE_RELEASED, RELEASE_UNCHECKED,
                                                  RELEASE_NOT_OWNER, RELEASE_GONE, RELEASE_UNKNOWN};
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        struct build build;
        start_with_a_hold(&build, answers[i]);
        build_acquire(&build, 2, 2, 5, 14, 314, 0);
        struct wait_figures figures = after_release(&build);
        assert_int_equal(figures.count, i < 2);
    }
}

TEST(a_release_after_somebody_else_was_granted_the_lock_is_left_out)
{
    struct build build;
    build_start(&build, "increment");
    build_begin(&build, 0);
    build_acquire(&build, 1, 1, 0, 1, 5, 0);
    build_acquire(&build, 2, 2, 0, 6, 306, 0);
    build_release(&build, 1, 1, 10, 11, RELEASE_UNCHECKED);
    build_release(&build, 2, 2, 15, 16, RELEASE_RELEASED);
    build_acquire(&build, 3, 3, 5, 20, 320, 0);
    struct wait_figures figures = after_release(&build);
    assert_waits(&figures, 1, 5);
}

TEST(a_grant_after_the_stop_is_left_out)
{
    struct build build;
    start_with_a_hold(&build, RELEASE_RELEASED);
    build_stop(&build, 13, STOP_TIME);
    build_acquire(&build, 2, 2, 5, 14, 314, 0);
    struct wait_figures figures = after_release(&build);
    assert_waits(&figures, 0, 0);
}

HISTORY_TEST(percentiles_are_of_all_the_waits, "increment")
{
    build_begin(build, 0);
    double at_ms = 1;
    build_acquire(build, 1, 1, 0, at_ms, NEVER_MS, 0);
    for (int i = 1; i <= 100; i++) {
        build_release(build, 1 + (i - 1) % 2, i, at_ms + 1, at_ms + 1.5, RELEASE_RELEASED);
        build_acquire(build, 1 + i % 2, i + 1, at_ms, at_ms + 1 + i, NEVER_MS, 0);
        at_ms += 1 + i;
    }
    build_stop(build, at_ms + 1, STOP_DONE);
    struct wait_figures figures = measured(build).after_release;
    assert_waits(&figures, 100, 100);
    assert_int_equal(figures.p50_ns, 50 * NS_PER_MS);
    assert_int_equal(figures.p99_ns, 99 * NS_PER_MS);
}

TEST(each_permit_of_a_semaphore_comes_free_by_itself)
{
    struct build build;
    build_start(&build, "permits");
    build.scenario.workload.permits = 2;
    build_begin(&build, 0);
    build_acquire(&build, 1, 1, 0, 1, NEVER_MS, 0);
    build_acquire(&build, 2, 2, 0, 2, NEVER_MS, 0);
    build_acquire(&build, 3, 3, 3, 13, NEVER_MS, 0);
    build_release(&build, 1, 1, 10, 11, RELEASE_RELEASED);
    build_acquire(&build, 4, 4, 3, 25, NEVER_MS, 0);
    build_release(&build, 2, 2, 20, 21, RELEASE_RELEASED);
    struct wait_figures figures = after_release(&build);
    assert_waits(&figures, 2, 5);
}

TEST(a_reader_that_leaves_is_left_out)
{
    for (int shared = 0; shared <= 1; shared++) {
        struct build build;
        start_with_a_hold(&build, RELEASE_RELEASED);
        for (size_t i = 0; i < build.count; i++) {
            if (build.events[i].kind == EVENT_ACQUIRE_INVOKE)
                build.events[i].detail = (uint8_t)shared;
        }
        build_acquire(&build, 2, 2, 5, 14, 314, 0);
        struct wait_figures figures = after_release(&build);
        assert_int_equal(figures.count, !shared);
    }
}

// --- crashes, expiries ---------------------------------------------------------------------------

HISTORY_TEST(the_crash_of_a_holder_and_its_lease_are_timed_each, "increment")
{
    build_begin(build, 0);
    build_acquire(build, 1, 1, 0, 1, 300, 0);
    build_death(build, 1, 10);
    build_acquire(build, 2, 2, 5, 305, 605, 0);
    build_stop(build, 400, STOP_DONE);
    struct liveness liveness = measured(build);
    assert_waits(&liveness.after_crash, 1, 295);
    assert_waits(&liveness.after_expiry, 1, 5);
    assert_waits(&liveness.after_release, 0, 0);
}

TEST(a_lease_that_a_living_holder_outlived_is_timed_and_one_given_back_is_not)
{
    for (int outlived = 0; outlived <= 1; outlived++) {
        struct build build;
        build_start(&build, "increment");
        build_begin(&build, 0);
        build_acquire(&build, 1, 1, 0, 1, 100, 0);
        build_release(&build, 1, 1, outlived ? 200 : 90, outlived ? 201 : 91, RELEASE_NOT_OWNER);
        build_acquire(&build, 2, 2, 5, 130, 430, 0);
        build_stop(&build, 400, STOP_DONE);
        struct liveness liveness = measured(&build);
        assert_waits(&liveness.after_expiry, (size_t)outlived, outlived ? 30 : 0);
        assert_waits(&liveness.after_crash, 0, 0);
        build_free(&build);
    }
}

// --- faults --------------------------------------------------------------------------------------

// client-1 holds the lock until 20 ms, client-2 waits for it from 5 to 57; a pause of `client`
// lasts from 10 to 50.
static struct liveness with_a_pause(int client, enum heal_reason reason)
{
    struct build build;
    build_start(&build, "increment");
    build_begin(&build, 0);
    build_acquire(&build, 1, 1, 0, 1, 301, 0);
    build_release(&build, 1, 1, 20, 21, RELEASE_RELEASED);
    build_fault(&build, "pause", client, 10, 50);
    build.events[build.count - 1].detail = (uint8_t)reason;
    build_acquire(&build, 2, 2, 5, 57, 357, 0);
    build_stop(&build, 400, STOP_DONE);
    struct liveness liveness = measured(&build);
    build_free(&build);
    return liveness;
}

TEST(the_end_of_each_fault_is_timed)
{
    struct liveness liveness = with_a_pause(3, HEAL_CAUSE);
    assert_waits(&liveness.after_heal, 1, 7);
    assert_int_equal(liveness.heal_count, 1);
    assert_int_equal(liveness.heals[0].fault, 1);
    assert_int_equal(liveness.heals[0].wait_ns, 7 * NS_PER_MS);
    assert_waits(&liveness.after_release, 1, 37);
}

TEST(a_fault_that_ended_with_the_trial_or_its_target_is_left_out)
{
    struct liveness liveness = with_a_pause(3, HEAL_END);
    assert_int_equal(liveness.heal_count, 0);
    liveness = with_a_pause(3, HEAL_DEATH);
    assert_int_equal(liveness.heal_count, 0);
    assert_waits(&liveness.after_heal, 0, 0);
}

TEST(who_is_paused_does_not_wait)
{
    struct liveness liveness = with_a_pause(2, HEAL_BOUND);
    assert_waits(&liveness.after_release, 0, 0);
    assert_waits(&liveness.after_heal, 1, 7);
}

TEST(who_is_cut_off_does_not_wait)
{
    for (int client = 2; client <= 3; client++) {
        struct build build;
        start_with_a_hold(&build, RELEASE_RELEASED);
        build_fault(&build, "cut", 0, 6, 12);
        build.steps[0].sides[0][0] = (struct target){.client = client};
        build.steps[0].sides[1][0] = (struct target){.server = "servers"};
        build.steps[0].side_counts[0] = build.steps[0].side_counts[1] = 1;
        build_acquire(&build, 2, 2, 5, 14, 314, 0);
        struct wait_figures figures = after_release(&build);
        assert_int_equal(figures.count, client == 3);
    }
}

// --- the end -------------------------------------------------------------------------------------

TEST(a_trial_that_ends_without_a_grant_is_told)
{
    struct build build;
    build_start(&build, "increment");
    build_crash(&build, NEVER_MS, 1310, STOP_STUCK);
    struct liveness liveness = measured(&build);
    assert_int_equal(liveness.unserved_ns, 1305 * NS_PER_MS);
    assert_int_equal(liveness.longest_wait_ns, 1310 * NS_PER_MS);
    assert_waits(&liveness.after_crash, 0, 0);
    build_free(&build);
    start_with_a_hold(&build, RELEASE_RELEASED);
    build_stop(&build, 400, STOP_DONE);
    assert_int_equal(measured(&build).unserved_ns, 0);
    build_free(&build);
}

static enum leaving left(int64_t held, enum outcome outcome, double at_ms)
{
    struct build build;
    start_with_a_hold(&build, RELEASE_RELEASED);
    build_stop(&build, 400, STOP_DONE);
    BUILD_EVENT(&build, at_ms, 0, LOCK_FINAL, outcome, held, 0);
    enum leaving leaving = measured(&build).left;
    build_free(&build);
    return leaving;
}

TEST(what_was_left_on_the_servers_is_told_if_they_told_it)
{
    assert_int_equal(left(1, OUTCOME_OK, 401), LEAVING_ORPHAN);
    assert_int_equal(left(0, OUTCOME_OK, 401), LEAVING_NOTHING);
    assert_int_equal(left(1, OUTCOME_UNKNOWN, 401), LEAVING_UNKNOWN);
    assert_int_equal(left(1, OUTCOME_OK, 399), LEAVING_UNKNOWN);
    assert_int_equal(liveness_leaving(NULL), LEAVING_UNKNOWN);
}

TEST(an_orphan_belongs_to_what_is_said_of_a_stuck_lock)
{
    for (int held = 0; held <= 1; held++) {
        struct build build;
        build_start(&build, "increment");
        build_crash(&build, NEVER_MS, 1310, STOP_STUCK);
        BUILD_EVENT(&build, 1330, 0, LOCK_FINAL, OUTCOME_OK, held, 0);
        build_judge(&build);
        assert_verdict(&build, VERDICT_STUCK);
        bool is_said = strstr(build.judgement.reason, "still on the servers") != NULL;
        assert_int_equal(is_said, held);
        build_free(&build);
    }
}

HISTORY_TEST(an_empty_history_has_no_figures, "increment")
{
    struct liveness liveness = measured(build);
    assert_waits(&liveness.after_release, 0, 0);
    assert_int_equal(liveness.longest_wait_ns, 0);
}
