// How evenly grants are shared out, and who was granted the lock out of turn.
#include "harness/check/build_history_test_support.h"
#include "harness/testing/test.h"

#include "harness/base/random.h"
#include "harness/check/fairness.h"
#include "harness/check/fairness_places.h"

static struct fairness measured(struct build *build)
{
    struct fairness fairness;
    build_stop(build, 10000, STOP_DONE);
    build_judge(build);
    fairness_measure(&build->digest, &fairness);
    build_free(build);
    return fairness;
}

static void start(struct build *build)
{
    build_start(build, "increment");
    build_begin(build, 0);
}

static void queue_up(struct build *build, int client, int64_t operation, double at_ms)
{
    BUILD_EVENT(build, at_ms, client, QUEUED, OUTCOME_OK, operation);
}

// A hold of `client` that takes a place 1 ms after it asked, and releases in 1 ms.
static void hold_from(struct build *build, int client, int64_t operation, double asked_ms,
                      double granted_ms, double released_ms, bool is_queued)
{
    if (is_queued)
        queue_up(build, client, operation, asked_ms + 1);
    build_acquire(build, client, operation, asked_ms, granted_ms, NEVER_MS, 0);
    build_release(build, client, operation, released_ms, released_ms + 1, RELEASE_RELEASED);
}

static void share_the_last(struct build *build)
{
    for (size_t i = build->count - 4; i < build->count; i++) {
        if (build->events[i].kind == EVENT_ACQUIRE_INVOKE)
            build->events[i].detail = 1;
    }
}

// --- shares --------------------------------------------------------------------------------------

TEST(grants_are_shared_by_all_who_asked)
{
    struct build build;
    start(&build);
    for (int i = 0; i < 3; i++)
        hold_from(&build, 1, i + 1, 10 * i, 10 * i + 1, 10 * i + 2, false);
    hold_from(&build, 2, 4, 40, 41, 42, false);
    build_attempt(&build, 3, 5, 0, 100, OUTCOME_NO);
    struct fairness fairness = measured(&build);
    assert_int_equal(fairness.workers, 3);
    assert_int_equal(fairness.grants, 4);
    assert_int_equal(fairness.least_grants, 0);
    assert_int_equal(fairness.most_grants, 3);
    assert_float_equal(fairness.jain, 16.0 / (3 * 10), 1e-9);
}

TEST(equal_shares_are_fair_and_no_grants_are_nothing)
{
    struct build build;
    start(&build);
    hold_from(&build, 1, 1, 0, 1, 2, false);
    hold_from(&build, 2, 2, 10, 11, 12, false);
    struct fairness fairness = measured(&build);
    assert_float_equal(fairness.jain, 1, 1e-9);
    assert_int_equal(fairness.least_grants, 1);
    start(&build);
    build_attempt(&build, 1, 1, 0, 100, OUTCOME_NO);
    fairness = measured(&build);
    assert_float_equal(fairness.jain, 0, 1e-9);
    assert_int_equal(fairness.order, ORDER_UNKNOWN);
}

// --- turns ---------------------------------------------------------------------------------------

// client-1 holds the lock until 50 ms; client-2 asks for it at 5, client-3 at `asked_ms`, and one
// of them is granted it at 53, the other at 63.
static struct fairness two_waiters(bool are_queued, double asked_ms, int first)
{
    struct build build;
    start(&build);
    hold_from(&build, 1, 1, 0, 2, 50, are_queued);
    hold_from(&build, 2, 2, 5, first == 2 ? 53 : 63, first == 2 ? 60 : 70, are_queued);
    hold_from(&build, 3, 3, asked_ms, first == 3 ? 53 : 63, first == 3 ? 60 : 70, are_queued);
    return measured(&build);
}

TEST(who_came_later_and_was_served_first_is_out_of_turn)
{
    struct fairness fairness = two_waiters(true, 10, 3);
    assert_int_equal(fairness.order, ORDER_QUEUED);
    assert_int_equal(fairness.contested, 1);
    assert_int_equal(fairness.out_of_turn, 1);
    assert_int_equal(fairness.overtaken, 1);
    assert_int_equal(fairness.deepest, 1);
    assert_int_equal(fairness.deepest_hold, 2);
    assert_int_equal(fairness.deepest_wait_ns, 58 * NS_PER_MS);
}

TEST(who_is_served_in_turn_is_not)
{
    struct fairness fairness = two_waiters(true, 10, 2);
    assert_int_equal(fairness.contested, 1);
    assert_int_equal(fairness.out_of_turn, 0);
    assert_int_equal(fairness.deepest, 0);
    assert_int_equal(fairness.deepest_hold, SIZE_MAX);
}

TEST(before_a_place_is_confirmed_the_order_is_open)
{
    struct fairness fairness = two_waiters(true, 5.9, 3);
    assert_int_equal(fairness.contested, 1);
    assert_int_equal(fairness.out_of_turn, 0);
}

TEST(a_place_taken_anew_counts_from_then_on)
{
    for (int again = 0; again <= 1; again++) {
        struct build build;
        start(&build);
        hold_from(&build, 1, 1, 0, 2, 50, true);
        hold_from(&build, 2, 2, 5, 63, 70, true);
        hold_from(&build, 3, 3, 10, 53, 60, true);
        if (again)
            queue_up(&build, 2, 2, 20);
        assert_int_equal(measured(&build).out_of_turn, !again);
    }
}

TEST(without_places_a_margin_is_left_to_the_order_of_asking)
{
    struct fairness fairness = two_waiters(false, 5.9, 3);
    assert_int_equal(fairness.order, ORDER_ASKED);
    assert_int_equal(fairness.margin_ns, 1 * NS_PER_MS);
    assert_int_equal(fairness.contested, 1);
    assert_int_equal(fairness.out_of_turn, 0);
    fairness = two_waiters(false, 6.1, 3);
    assert_int_equal(fairness.out_of_turn, 1);
    fairness = two_waiters(false, 6.1, 2);
    assert_int_equal(fairness.out_of_turn, 0);
}

TEST(each_that_passes_by_makes_it_deeper)
{
    struct build build;
    start(&build);
    hold_from(&build, 1, 1, 0, 2, 50, true);
    hold_from(&build, 2, 2, 5, 200, 210, true);
    for (int i = 0; i < 3; i++)
        hold_from(&build, 3, 3 + i, 10 + 60 * i, 53 + 50 * i, 60 + 50 * i, true);
    hold_from(&build, 4, 9, 180, 190, 195, true);
    struct fairness fairness = measured(&build);
    assert_int_equal(fairness.out_of_turn, 4);
    assert_int_equal(fairness.overtaken, 1);
    assert_int_equal(fairness.deepest, 4);
}

TEST(who_gives_up_was_not_overtaken)
{
    struct build build;
    start(&build);
    hold_from(&build, 1, 1, 0, 2, 50, true);
    queue_up(&build, 2, 2, 6);
    build_attempt(&build, 2, 2, 5, 100, OUTCOME_NO);
    hold_from(&build, 3, 3, 10, 53, 60, true);
    struct fairness fairness = measured(&build);
    assert_int_equal(fairness.out_of_turn, 0);
    assert_int_equal(fairness.contested, 0);
}

TEST(who_was_held_up_by_a_fault_was_not_overtaken)
{
    for (int client = 2; client <= 4; client++) {
        struct build build;
        start(&build);
        build_fault(&build, "pause", client, 20, 61);
        hold_from(&build, 1, 1, 0, 2, 50, true);
        hold_from(&build, 2, 2, 5, 63, 70, true);
        hold_from(&build, 3, 3, 10, 53, 60, true);
        assert_int_equal(measured(&build).out_of_turn, client != 2);
    }
}

TEST(readers_do_not_overtake_each_other_but_they_do_a_writer)
{
    for (int readers = 0; readers <= 3; readers++) {
        struct build build;
        start(&build);
        hold_from(&build, 1, 1, 0, 2, 50, false);
        hold_from(&build, 2, 2, 5, 63, 70, false);
        if (readers & 1)
            share_the_last(&build);
        hold_from(&build, 3, 3, 10, 53, 60, false);
        if (readers & 2)
            share_the_last(&build);
        struct fairness fairness = measured(&build);
        assert_int_equal(fairness.out_of_turn, readers != 3);
        assert_int_equal(fairness.deepest, readers != 3);
    }
}

TEST(of_a_semaphore_nothing_is_said)
{
    struct build build;
    build_start(&build, "permits");
    build.scenario.workload.permits = 2;
    hold_from(&build, 1, 1, 0, 2, 50, true);
    hold_from(&build, 2, 2, 5, 63, 70, true);
    hold_from(&build, 3, 3, 10, 53, 60, true);
    struct fairness fairness = measured(&build);
    assert_int_equal(fairness.order, ORDER_UNKNOWN);
    assert_int_equal(fairness.out_of_turn, 0);
}

// --- the same, counted pair by pair --------------------------------------------------------------

static void assert_as_counted(const struct digest *digest, const int64_t *places_ns)
{
    size_t *overtakings = places_overtakings(digest, places_ns);
    for (size_t i = 0; i < digest->hold_count; i++) {
        size_t count = 0;
        for (size_t j = 0; j < i; j++)
            count += digest->holds[j].invoked_ns > places_ns[i] &&
                     !(digest->holds[i].shared && digest->holds[j].shared);
        assert_int_equal(overtakings[i], count);
    }
    free(overtakings);
}

TEST(overtakings_are_those_of_all_pairs)
{
    struct random random;
    random_start(&random, 7, 0);
    for (int round = 0; round < 300; round++) {
        struct build build;
        start(&build);
        for (int i = 1; i <= 40; i++) {
            double asked_ms = (double)random_below(&random, 400);
            double granted_ms = asked_ms + 2 + (double)random_below(&random, 200);
            hold_from(&build, i, i, asked_ms, granted_ms, granted_ms + 1,
                      random_below(&random, 2) == 0);
            if (round % 2 == 0 && random_below(&random, 3) == 0)
                share_the_last(&build);
        }
        build_judge(&build);
        int64_t places_ns[40];
        int64_t margin_ns;
        assert_int_equal(places_find(&build.digest, places_ns, &margin_ns), ORDER_QUEUED);
        assert_as_counted(&build.digest, places_ns);
        build_free(&build);
    }
}
