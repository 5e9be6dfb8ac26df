#include "harness/report/pictures/timeline.h"
#include "harness/report/test_run.h"
#include "harness/testing/test.h"

static struct test_run test;
static struct trial_result *result;
static struct timeline_window window;
static struct timeline_spans spans;

static int start(void **state)
{
    (void)state;
    test_run_start(&test);
    result = test_add(&test, "redis-setnx", VERDICT_UNSAFE, EXPECTATION_MET);
    test_digest(&test);
    return 0;
}

TEST_WITH(the_window_shows_the_whole_of_both_holds, start, NULL)
{
    test_hold(&test, 3, 0, 1, 2);
    test_hold(&test, 2, 90, 120, 600);
    test_hold(&test, 1, 290, 400, 450);
    test_find(result, &test_stale_holder, false)->evidence =
        (struct evidence){{1, 2}, {SIZE_MAX, SIZE_MAX}, AT(400), AT(450)};
    timeline_choose(&test.digest, &result->judgement, &window);
    assert_true(window.from_ns > AT(2) && window.from_ns < AT(120));
    assert_true(window.to_ns > AT(600) && window.to_ns < AT(1000));
    assert_int_equal(window.row_count, 2);
    assert_int_equal(window.evidence_rows, 2);
    assert_int_equal(timeline_row_of(&window, 2, 1), 0);
    assert_int_equal(timeline_row_of(&window, 1, 1), 1);
    assert_int_equal(timeline_row_of(&window, 3, 1), -1);
}

static void overlap(int64_t from_ms, int64_t to_ms)
{
    test_find(result, &test_stale_holder, false)->evidence =
        (struct evidence){{0, 1}, {SIZE_MAX, SIZE_MAX}, AT(from_ms), AT(to_ms)};
    timeline_choose(&test.digest, &result->judgement, &window);
}

TEST_WITH(a_tiny_overlap_in_a_long_hold_is_shown_again_enlarged, start, NULL)
{
    test_hold(&test, 1, 0, 1, 900);
    test_hold(&test, 2, 0, 500, 501);
    overlap(500, 501);
    struct timeline_window zoom;
    assert_true(timeline_zoom(&test.digest, &window, &zoom));
    assert_true(zoom.from_ns < AT(500) && zoom.to_ns > AT(501));
    assert_true(zoom.to_ns - zoom.from_ns < 5 * NS_PER_MS);
    assert_int_equal(zoom.row_count, window.row_count);
    // The axis counts from there.
    assert_int_equal((zoom.from_ns - TEST_START) % 10000, 0);
}

TEST_WITH(a_wide_overlap_is_shown_once, start, NULL)
{
    test_hold(&test, 1, 0, 1, 900);
    test_hold(&test, 2, 0, 500, 600);
    overlap(500, 600);
    struct timeline_window zoom;
    assert_false(timeline_zoom(&test.digest, &window, &zoom));
}

TEST_WITH(every_overlap_but_the_evidence_is_found, start, NULL)
{
    test_hold(&test, 1, 0, 10, 100);
    test_hold(&test, 2, 0, 50, 80);
    test_hold(&test, 3, 0, 90, 120);
    test_hold(&test, 2, 0, 120, 130); // touching is no overlap
    overlap(50, 80);
    timeline_collect(&test.digest, &window, TIMELINE_OVERLAPS, &spans);
    assert_int_equal(spans.count, 2);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(spans.items[i].from_ns, AT(90));
        assert_int_equal(spans.items[i].to_ns, AT(100));
    }
    assert_int_equal(spans.items[0].row, timeline_row_of(&window, 1, 1));
    assert_int_equal(spans.items[1].row, timeline_row_of(&window, 3, 1));
}

static void die(struct hold *hold, int64_t at_ms)
{
    hold->release_invoked = false;
    hold->returned_ns = TIME_NEVER;
    hold->died = true;
    hold->died_ns = hold->released_ns = AT(at_ms);
}

TEST_WITH(a_dead_holder_has_the_lock_until_the_next_grant, start, NULL)
{
    die(test_hold(&test, 1, 0, 10, 20), 20);
    die(test_hold(&test, 2, 0, 320, 330), 330);
    timeline_choose(&test.digest, &result->judgement, &window);
    window.to_ns = test.digest.ended_ns;
    timeline_collect(&test.digest, &window, TIMELINE_DEAD, &spans);
    assert_int_equal(spans.count, 2);
    assert_int_equal(spans.items[0].from_ns, AT(20));
    assert_int_equal(spans.items[0].to_ns, AT(320));
    assert_int_equal(spans.items[1].to_ns, test.digest.ended_ns);
}

TEST_WITH(who_died_acquiring_may_have_the_lock_only_if_nobody_is_granted_after, start, NULL)
{
    test_hold(&test, 2, 0, 10, 20);
    test.attempts[0] = (struct attempt){.client = 1,
                                        .worker = 1,
                                        .invoked_ns = AT(15),
                                        .returned_ns = TIME_NEVER,
                                        .outcome = OUTCOME_UNKNOWN,
                                        .died = true,
                                        .died_ns = AT(30)};
    test.digest.attempt_count = 1;
    timeline_choose(&test.digest, &result->judgement, &window);
    window.to_ns = test.digest.ended_ns;
    timeline_collect(&test.digest, &window, TIMELINE_MAYBE_DEAD, &spans);
    assert_int_equal(spans.count, 1);
    assert_int_equal(spans.items[0].from_ns, AT(30));
    test_hold(&test, 2, 0, 40, 50);
    timeline_collect(&test.digest, &window, TIMELINE_MAYBE_DEAD, &spans);
    assert_int_equal(spans.count, 0);
}

TEST_WITH(a_release_lasts_until_it_is_answered_or_its_client_dies, start, NULL)
{
    test_hold(&test, 1, 0, 10, 20)->returned_ns = AT(25);
    struct hold *dying = test_hold(&test, 2, 0, 30, 40);
    dying->returned_ns = TIME_NEVER;
    dying->died_ns = AT(43);
    timeline_choose(&test.digest, &result->judgement, &window);
    window.to_ns = test.digest.ended_ns;
    timeline_collect(&test.digest, &window, TIMELINE_RELEASES, &spans);
    assert_int_equal(spans.count, 2);
    assert_int_equal(spans.items[0].from_ns, AT(20));
    assert_int_equal(spans.items[0].to_ns, AT(25));
    assert_int_equal(spans.items[1].to_ns, AT(43));
}

TEST_WITH(who_waits_through_the_window_has_a_row, start, NULL)
{
    test.scenario.clients.processes = 5;
    test_hold(&test, 1, 0, 10, 600);
    test_hold(&test, 2, 0, 400, 450);
    test_hold(&test, 3, 0, 900, 910);
    test_hold(&test, 4, 890, 920, 930);
    overlap(400, 450);
    assert_true(timeline_row_of(&window, 3, 1) >= 0);
    assert_int_equal(timeline_row_of(&window, 4, 1), -1);
    assert_int_equal(window.hidden_rows, 0);
    assert_int_equal(window.worker_count, 5);
}

TEST_WITH(accesses_lead_to_the_holds_that_made_them, start, NULL)
{
    test_hold(&test, 1, 0, 10, 20);
    test_hold(&test, 2, 0, 30, 40);
    test.accesses[0].hold = 0;
    test.accesses[1].hold = 1;
    test.digest.access_count = 2;
    test_find(result, &test_lost_update, false)->evidence =
        (struct evidence){{SIZE_MAX, SIZE_MAX}, {0, 1}, AT(12), AT(38)};
    timeline_choose(&test.digest, &result->judgement, &window);
    assert_int_equal(window.evidence[0], 0);
    assert_int_equal(window.evidence[1], 1);
}

TEST_WITH(a_peaceful_trial_shows_its_first_holds, start, NULL)
{
    test_hold(&test, 2, 0, 10, 20);
    test_hold(&test, 1, 0, 30, 40);
    timeline_choose(&test.digest, &result->judgement, &window);
    assert_null(window.finding);
    assert_true(window.from_ns >= AT(0) && window.from_ns < AT(10));
    assert_true(window.to_ns > AT(40) && window.to_ns < AT(60));
    assert_int_equal(timeline_row_of(&window, 1, 1), 0);
}

TEST_WITH(workers_without_a_row_are_counted, start, NULL)
{
    enum { WORKERS = 15 };
    struct hold holds[2 * WORKERS];
    for (int i = 0; i < 2 * WORKERS; i++)
        holds[i] = (struct hold){.client = 1 + i % WORKERS,
                                 .worker = 1,
                                 .invoked_ns = AT(0),
                                 .granted_ns = AT(10 + i),
                                 .released_ns = AT(11 + i),
                                 .returned_ns = AT(11 + i),
                                 .valid_until_ns = TIME_NEVER,
                                 .release_invoked = true};
    test.digest.holds = holds;
    test.digest.hold_count = 2 * WORKERS;
    timeline_choose(&test.digest, &result->judgement, &window);
    assert_int_equal(window.row_count, TIMELINE_ROWS);
    assert_int_equal(window.hidden_rows, WORKERS - TIMELINE_ROWS);
    assert_int_equal(window.worker_count, WORKERS);
}

TEST_WITH(a_lease_bar_ends_with_the_lease_or_the_release, start, NULL)
{
    test_hold(&test, 1, 0, 100, 600); // outlives its lease, which ends at 400
    test_hold(&test, 2, 0, 650, 700); // gives the lock back long before
    test_hold(&test, 3, 0, 720, 730)->valid_until_ns = TIME_NEVER;
    timeline_choose(&test.digest, &result->judgement, &window);
    timeline_collect(&test.digest, &window, TIMELINE_LEASES, &spans);
    assert_int_equal(spans.count, 2);
    assert_int_equal(spans.items[0].to_ns, AT(400));
    assert_int_equal(spans.items[1].to_ns, AT(700));
}

TEST_WITH(a_waiter_waits_until_it_is_killed, start, NULL)
{
    test_hold(&test, 1, 0, 100, 600);
    test.attempts[0] = (struct attempt){.client = 2,
                                        .worker = 1,
                                        .invoked_ns = AT(150),
                                        .returned_ns = TIME_NEVER,
                                        .outcome = OUTCOME_UNKNOWN,
                                        .died = true,
                                        .died_ns = AT(200)};
    test.digest.attempt_count = 1;
    timeline_choose(&test.digest, &result->judgement, &window);
    timeline_collect(&test.digest, &window, TIMELINE_WAITS, &spans);
    assert_int_equal(spans.count, 2);
    assert_int_equal(spans.items[1].from_ns, AT(150));
    assert_int_equal(spans.items[1].to_ns, AT(200));
}

TEST_WITH(crowds_of_holds_are_joined, start, NULL)
{
    enum { HOLDS = 20000 };
    struct hold *holds = memory_zeroed(HOLDS, sizeof *holds);
    for (int i = 0; i < HOLDS; i++)
        holds[i] = (struct hold){.client = 1 + i % 2,
                                 .worker = 1,
                                 .invoked_ns = TEST_START + i * 1000,
                                 .granted_ns = TEST_START + i * 1000,
                                 .released_ns = TEST_START + i * 1000 + 900,
                                 .valid_until_ns = TIME_NEVER,
                                 .release_invoked = true};
    test.digest.holds = holds;
    test.digest.hold_count = HOLDS;
    timeline_choose(&test.digest, &result->judgement, &window);
    window.to_ns = TEST_START + HOLDS * INT64_C(1000);
    timeline_collect(&test.digest, &window, TIMELINE_HOLDS, &spans);
    assert_int_equal(spans.count, 2);
    assert_true(spans.merged_ns > 0);
    free(holds);
}
