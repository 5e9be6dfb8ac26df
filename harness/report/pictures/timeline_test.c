// What the timeline of a trial shows: which part of it, whose rows, and what in them.
#include "faults/fault.h"
#include "harness/report/pictures/test_svg.h"
#include "harness/report/test_run.h"

static struct test_run test;
static struct trial_result *result;
static struct picture picture;

static int start(void **state)
{
    (void)state;
    test_run_start(&test);
    result = test_add(&test, "redis-setnx", VERDICT_UNSAFE, EXPECTATION_MET);
    test_model(&test);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    picture_free(&picture);
    return 0;
}

static void find(const struct check *check, size_t write, int64_t from_ms, int64_t to_ms)
{
    result->judgement.finding_count = 0;
    test_find(result, check, false)->evidence =
        (struct evidence){{0, 1}, {write, SIZE_MAX}, AT(from_ms), AT(to_ms)};
}

static void add_fault(const char *verb, int client, const char *server, int64_t from_ms,
                      int64_t to_ms)
{
    size_t index = test.model.fault_count++;
    test.instances[index] = (struct fault_instance){.number = (int)index + 1,
                                                    .verb = verb,
                                                    .form = fault_find(verb)->form,
                                                    .target = {.client = client},
                                                    .rate = 100,
                                                    .bound_ns = NS_PER_S};
    strcpy(test.instances[index].target.server, server);
    test.faults[index] = (struct fault_record){.instance = &test.instances[index],
                                               .asked_ns = AT(from_ms),
                                               .in_effect_ns = AT(from_ms),
                                               .healed_ns = AT(to_ms)};
}

static void add_access(size_t hold, bool is_write, int64_t at_ms, int64_t value)
{
    size_t index = test.model.access_count++;
    test.accesses[index] = (struct access){.is_write = is_write,
                                           .invoked_ns = AT(at_ms),
                                           .returned_ns = AT(at_ms),
                                           .value = value,
                                           .hold = hold};
    if (test.holds[hold].access_count++ == 0)
        test.holds[hold].first_access = index;
}

static void add_attempt(int client, int64_t from_ms, int64_t died_ms)
{
    test.attempts[test.model.attempt_count++] = (struct hold){.client = client,
                                                              .worker = 1,
                                                              .invoked_ns = AT(from_ms),
                                                              .returned_ns = TIME_NEVER,
                                                              .outcome = OUTCOME_UNKNOWN,
                                                              .died = true,
                                                              .died_ns = AT(died_ms)};
}

#define DRAWN(...)                                                                                 \
    do {                                                                                           \
        picture_free(&picture);                                                                    \
        assert_true(picture_write(                                                                 \
            &timeline_picture,                                                                     \
            &(struct picture_subject){.model = &test.model, .judgement = &result->judgement},      \
            &picture));                                                                            \
        PICTURE_SAYS(&picture, __VA_ARGS__);                                                       \
    } while (0)

// A number that the template is told.
static double told(const char *name)
{
    const char *at = strstr(text_string(&picture.values), name);
    assert_non_null(at);
    return strtod(at + strlen(name) + strlen(" = "), NULL);
}

// --- which part ----------------------------------------------------------------------------------

TEST_WITH(the_window_shows_the_whole_of_both_holds, start, stop)
{
    test_hold(&test, 3, 0, 1, 2);
    test_hold(&test, 2, 90, 120, 600);
    test_hold(&test, 1, 290, 400, 450);
    test_find(result, &test_stale_holder, false)->evidence =
        (struct evidence){{1, 2}, {SIZE_MAX, SIZE_MAX}, AT(400), AT(450)};
    DRAWN("# rows: row name\n1 \"client-2\"\n2 \"client-1\"\n", "!client-3", "enlarged = 0",
          "!workers shown");
    assert_true(told("from_1") > 2 && told("from_1") < 120);
    assert_true(told("to_1") > 600 && told("to_1") < 1000);
}

TEST_WITH(a_tiny_violation_has_a_second_panel_with_an_axis_of_its_own, start, stop)
{
    test_hold(&test, 1, 0, 1, 900);
    test_hold(&test, 2, 0, 500, 501);
    find(&test_stale_holder, SIZE_MAX, 500, 501);
    DRAWN("enlarged = 1\n", "from_2 = 499*", "to_2 = 502*");
    if (svg_has_gnuplot()) {
        AUTO_FREE char *svg = svg_draw(&timeline_picture, &picture);
        assert_non_null(strstr(svg, "ms, counted from 0.499 s after the trial began"));
        assert_non_null(strstr(svg, ">+1.5<"));
        assert_non_null(strstr(svg, "The violation, enlarged"));
    }
    test.holds[1].released_ns = AT(600);
    find(&test_stale_holder, SIZE_MAX, 500, 600);
    DRAWN("enlarged = 0\n", "!from_2");
}

TEST_WITH(a_peaceful_trial_shows_its_first_holds, start, stop)
{
    test_hold(&test, 2, 0, 10, 20);
    test_hold(&test, 1, 0, 30, 40);
    DRAWN("The first holds: pause, redis-setnx", "1 \"client-1\"\n2 \"client-2\"\n", "!tint");
    assert_true(told("from_1") >= 0 && told("from_1") < 10);
    assert_true(told("to_1") > 40 && told("to_1") < 60);
}

// What was read and written leads to the holds; the lock kept them apart, so both are red, and
// nothing is to be enlarged.
TEST_WITH(holds_that_were_apart_are_both_marked, start, stop)
{
    static const struct check lost = {.name = "lost-update", .summary = "", .label = "this write"};
    test_hold(&test, 1, 0, 5, 10);
    test_hold(&test, 2, 0, 500, 510);
    add_access(0, true, 8, 1);
    add_access(1, true, 509, 1);
    test_find(result, &lost, false)->evidence =
        (struct evidence){{SIZE_MAX, SIZE_MAX}, {0, 1}, AT(509), AT(510)};
    DRAWN("lost-update: this write", "enlarged = 0\n", "\n1 5 10 \"violation\" 0\n",
          "\n2 500 510 \"violation\" 0\n");
}

TEST_WITH(what_a_schedule_did_stands_at_its_steps, start, stop)
{
    static const struct move moves[] = {{.client = 1}, {.client = 1}};
    static const int64_t began_ns[] = {AT(0), AT(10), AT(110)};
    const struct picture_steps steps = {moves, 2, "client-1 SET\nclient-1 DEL\n", began_ns};
    const struct picture_subject subject = {
        .model = &test.model, .judgement = &result->judgement, .steps = &steps};
    test_hold(&test, 1, 5, 60, 110);
    test_hold(&test, 2, 200, 900, 901); // after the last step
    assert_true(picture_write(&timeline_picture, &subject, &picture));
    PICTURE_SAYS(&picture, "Step by step", "from_1 = 0*", "to_1 = 3*", "\n1 0.5 1.5 \"waits\" 0\n",
                 "\n1 1.5 2 \"holds\" 0\n", "# places: at line\n1 \"1\"\n2 \"2\"\n",
                 "1 client-1 SET · 2 client-1 DEL", "!client-2");
}

// --- whose rows ----------------------------------------------------------------------------------

TEST_WITH(who_waits_through_the_window_has_a_row, start, stop)
{
    test.scenario.clients.processes = 5;
    test_hold(&test, 1, 0, 10, 600);
    test_hold(&test, 2, 0, 400, 450);
    test_hold(&test, 3, 0, 900, 910);
    test_hold(&test, 4, 890, 920, 930);
    find(&test_stale_holder, SIZE_MAX, 400, 450);
    DRAWN("\"client-3\"", "!client-4",
          "3 of 5 workers shown: the others did nothing in this time.");
}

TEST_WITH(workers_without_a_row_are_counted, start, stop)
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
    test.model.holds = holds;
    test.model.hold_count = 2 * WORKERS;
    DRAWN("12 \"client-12\"\n", "!client-13",
          "12 of 15 workers shown: 3 others did something in this time.");
}

TEST_WITH(what_struck_a_server_has_a_row_of_its_own, start, stop)
{
    test_hold(&test, 1, 0, 5, 600);
    test_hold(&test, 2, 10, 320, 400);
    find(&test_stale_holder, SIZE_MAX, 320, 400);
    add_fault("pause", 1, "", 6, 500);
    DRAWN("Cause: client-1 stood still for 494 ms (fault 1)", "\"fault 1: pause client-1\"",
          "\n1 6 500 \"fault\" 0\n", "!# servers:");
    add_fault("restart", 0, "server-2", 100, 150);
    DRAWN("# servers: from to fault text brief\n100 150 \"fault 2: \" \"server-2 crashes\" "
          "\"restart\"\n");
}

// --- what is in them -----------------------------------------------------------------------------

TEST_WITH(every_overlap_but_the_evidence_is_found, start, stop)
{
    test_hold(&test, 1, 0, 10, 100);
    test_hold(&test, 2, 0, 50, 80);
    test_hold(&test, 3, 0, 90, 120);
    test_hold(&test, 2, 0, 120, 130); // touching is no overlap
    find(&test_stale_holder, SIZE_MAX, 50, 80);
    DRAWN("\n1 90 100 \"overlaps\" 0\n3 90 100 \"overlaps\" 0\n", "!50 80 \"overlaps\"", "!\n2 90",
          "!120 120");
}

static void die(struct hold *hold, int64_t at_ms)
{
    hold->release_invoked = false;
    hold->returned_ns = TIME_NEVER;
    hold->died = true;
    hold->died_ns = hold->released_ns = AT(at_ms);
}

TEST_WITH(a_dead_holder_has_the_lock_until_the_next_grant, start, stop)
{
    struct event death = {.kind = EVENT_PROCESS_DEATH,
                          .client = 1,
                          .at_ns = AT(22),
                          .process_death = {.pid = 77, .signal = 9, .killed_ns = AT(20)}};
    struct history history = {.events = &death, .count = 1};
    test.model.history = &history;
    die(test_hold(&test, 1, 0, 10, 20), 20);
    test_hold(&test, 2, 0, 320, 400);
    DRAWN("\n1 20 320 \"dead\" 0\n", "\n1 20 \"death\" ", "\"killed\"",
          "\"held by the dead client\"");
    death.process_death.signal = 0; // it ended by itself
    DRAWN("!killed", "!death");
    die(&test.holds[1], 400);
    DRAWN("\n1 20 320 \"dead\" 0\n", "\n2 400 419.5 \"dead\" 0\n"); // to the end of the window
}

TEST_WITH(who_died_acquiring_may_have_the_lock_only_if_nobody_is_granted_after, start, stop)
{
    test_hold(&test, 2, 0, 10, 20);
    add_attempt(1, 15, 20);
    DRAWN("\n1 20 20.5 \"maybe-dead\" 0\n");
    test_hold(&test, 2, 0, 40, 50);
    DRAWN("!maybe-dead");
}

TEST_WITH(a_release_lasts_until_it_is_answered_or_its_client_dies, start, stop)
{
    test_hold(&test, 1, 0, 10, 20)->returned_ns = AT(25);
    struct hold *dying = test_hold(&test, 2, 0, 30, 40);
    dying->returned_ns = TIME_NEVER;
    dying->died_ns = AT(43);
    test_hold(&test, 1, 41, 45, 60);
    DRAWN("\n1 20 25 \"releases\" 0\n", "\n2 40 43 \"releases\" 0\n");
}

TEST_WITH(a_lease_bar_ends_with_the_lease_or_the_release, start, stop)
{
    test_hold(&test, 1, 0, 100, 600); // outlives its lease, which ends at 400
    test_hold(&test, 2, 0, 650, 700); // gives the lock back long before
    test_hold(&test, 3, 0, 720, 730)->valid_until_ns = TIME_NEVER;
    DRAWN("\n1 100 400 \"leases\" 0\n", "\n2 650 700 \"leases\" 0\n", "!\n3 720 730 \"leases\"");
}

TEST_WITH(a_waiter_waits_until_it_is_killed, start, stop)
{
    test_hold(&test, 1, 80, 100, 600);
    add_attempt(2, 150, 200);
    DRAWN("\n1 80 100 \"waits\" 0\n", "\n2 150 200 \"waits\" 0\n");
}

TEST_WITH(crowds_of_holds_are_joined, start, stop)
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
    test.model.holds = holds;
    test.model.hold_count = HOLDS;
    test_find(result, &test_stuck, false)->evidence = (struct evidence){
        {SIZE_MAX, SIZE_MAX}, {SIZE_MAX, SIZE_MAX}, TEST_START, TEST_START + HOLDS * INT64_C(1000)};
    DRAWN("Holds of one worker that are less than", "stuck: nobody is granted the lock for 20 ms");
    assert_true(picture.data.length < 4000);
    free(holds);
}

TEST_WITH(a_short_hold_is_drawn_wide_enough_to_be_seen, start, stop)
{
    test_hold(&test, 1, 0, 10, 10)->released_ns += 1000;
    test_hold(&test, 2, 0, 900, 990);
    DRAWN("Holds shorter than 2.");
    test.holds[0].released_ns = AT(100);
    DRAWN("!Holds shorter than");
}

TEST_WITH(the_values_of_the_evidence_stand_at_their_marks, start, stop)
{
    test_hold(&test, 1, 0, 5, 600);
    test_hold(&test, 2, 10, 320, 400);
    add_access(0, false, 50, 41);
    add_access(0, true, 500, 42);
    // Nothing is written over another mark.
    add_access(1, false, 330, 41);
    add_access(1, true, 331, 42);
    find(&test_stale_holder, SIZE_MAX, 320, 400);
    DRAWN("# marks: row at look width words value\n1 50 \"read\" 728.916666 \"reads \" \"41\"\n"
          "1 500 \"write\" 728.916666 \"writes \" \"42\"\n2 330 \"read\" 728.916666 \"reads \" "
          "\"41\"\n",
          "!long-write");
    test.accesses[1].returned_ns = AT(590);
    DRAWN("\n1 500 590 \"long-write\" 0\n");
    if (svg_has_gnuplot()) {
        AUTO_FREE char *svg = svg_draw(&timeline_picture, &picture);
        static const char *const words[] = {">reads 41<", ">writes 42<"};
        for (size_t i = 0; i < 2; i++) {
            const char *first = strstr(svg, words[i]);
            assert_non_null(first);
            assert_non_null(strstr(first + 1, words[i]));
        }
    }
}

TEST_WITH(what_the_store_took_has_a_row_and_what_it_lost_is_marked, start, stop)
{
    static const struct check lost = {.name = "lost-update", .summary = "", .shows = SHOWS_LOSS};
    test_hold(&test, 1, 0, 5, 600)->token = 33;
    test_hold(&test, 2, 10, 320, 322);
    add_access(0, true, 500, 1); // sent before the other, and stored after it
    test.accesses[0].returned_ns = AT(326);
    test.accesses[0].invoked_ns = AT(319);
    add_access(1, true, 321, 1);
    find(&test_stale_holder, SIZE_MAX, 320, 322);
    DRAWN("\n3 \"store\"\n", "\n3 321 \"write\" 728.916666 \"\" \"1\"\n3 326 \"write\" ",
          "!\"lost\"", "\"token 33\"", "enlarged = 1\n");
    test_find(result, &lost, false)->evidence = (struct evidence){{1, 0}, {1, 0}, AT(326), AT(327)};
    DRAWN("\"lost: \" \"1\"\n3 326 \"write\" ");
    // What came of a violation is seen where that is seen at all.
    assert_true(told("to_2") > 327);
    test.model.access_count = 0;
    DRAWN("!\"store\"");
}

TEST_WITH(a_lock_that_nobody_removed_is_found_gone, start, stop)
{
    static const struct check wrongful = {
        .name = "wrongful-release", .summary = "", .shows = SHOWS_REMOVAL};
    test_hold(&test, 1, 0, 5, 600);
    add_fault("flush", 0, "server-1", 100, 101);
    test_find(result, &wrongful, false)->evidence =
        (struct evidence){{0, SIZE_MAX}, {SIZE_MAX, SIZE_MAX}, AT(600), AT(601)};
    DRAWN("wrongful-release: the lock is found gone", "server-1 lost all its data");
}
