// What the picture of a violation says: its cause, who was struck, what was read and written.
#include "faults/fault.h"
#include "harness/report/pictures/picture.h"
#include "harness/report/test_run.h"
#include "harness/testing/test.h"

#include <stdlib.h>

static struct test_run test;
static struct trial_result *result;
static struct picture picture;

static int start(void **state)
{
    (void)state;
    test_run_start(&test);
    result = test_add(&test, "redis-setnx", VERDICT_UNSAFE, EXPECTATION_MET);
    test_digest(&test);
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
    test_find(result, check, false)->evidence =
        (struct evidence){{0, 1}, {write, SIZE_MAX}, AT(from_ms), AT(to_ms)};
}

static void add_fault(const char *verb, int client, const char *server, int64_t from_ms,
                      int64_t to_ms)
{
    size_t index = test.digest.fault_count++;
    test.steps[index] = (struct fault_step){.number = (int)index + 1,
                                            .verb = verb,
                                            .form = fault_find(verb)->form,
                                            .target = {.client = client},
                                            .rate = 100,
                                            .bound_ns = NS_PER_S};
    strcpy(test.steps[index].target.server, server);
    test.faults[index] = (struct fault_record){.step = &test.steps[index],
                                               .asked_ns = AT(from_ms),
                                               .in_effect_ns = AT(from_ms),
                                               .healed_ns = AT(to_ms)};
}

static void add_access(size_t hold, bool is_write, int64_t at_ms, int64_t value)
{
    size_t index = test.digest.access_count++;
    test.accesses[index] = (struct access){.is_write = is_write,
                                           .invoked_ns = AT(at_ms),
                                           .returned_ns = AT(at_ms),
                                           .value = value,
                                           .hold = hold};
    if (test.holds[hold].access_count++ == 0)
        test.holds[hold].first_access = index;
}

static void draw(void)
{
    picture_free(&picture);
    assert_true(picture_write(
        &timeline_picture,
        &(struct picture_subject){.digest = &test.digest, .judgement = &result->judgement},
        &picture));
}

// In the picture, or in what its template is told.
static bool says(const char *words)
{
    return strstr(text_string(&picture.data), words) != NULL ||
           strstr(text_string(&picture.values), words) != NULL ||
           strstr(text_string(&picture.notes), words) != NULL;
}

TEST_WITH(the_cause_stands_below_the_title, start, stop)
{
    test_hold(&test, 1, 0, 5, 600);
    test_hold(&test, 2, 10, 320, 400);
    add_fault("pause", 1, "", 6, 500);
    find(&test_stale_holder, SIZE_MAX, 320, 400);
    draw();
    assert_true(says("cause = 'Cause: client-1 stood still for 494 ms (fault 1)"));
    assert_true(says("\"fault 1: pause client-1\""));
}

TEST_WITH(a_long_text_is_broken_between_words, start, stop)
{
    struct text words = {0};
    for (int i = 0; i < 40; i++)
        text_format(&words, "%sµword%d", i > 0 ? " " : "", i);
    picture_words(&picture, "cause", 100, "%s", words.bytes);
    assert_true(says("cause_lines = 4\n"));
    assert_true(says("'µword0 "));
    assert_true(says("µword39'\n"));
    assert_false(says(" '."));
    text_free(&words);
}

// A word that is longer than any line has a line of its own, and is not looked at for ever.
TEST_WITH(a_word_without_end_has_a_line, start, stop)
{
    char words[1000];
    memset(words, 'x', sizeof words - 1);
    words[sizeof words - 1] = '\0';
    picture_words(&picture, "cause", 100, "%s and more", words);
    assert_true(says("cause_lines = 2\n"));
    assert_true(says("'and more'"));
}

TEST_WITH(what_struck_a_server_has_a_row_of_its_own, start, stop)
{
    test_hold(&test, 1, 0, 5, 600);
    test_hold(&test, 2, 10, 320, 400);
    add_fault("restart", 0, "server-2", 100, 150);
    find(&test_stale_holder, SIZE_MAX, 320, 400);
    draw();
    assert_true(says("3 \"servers, network\""));
    assert_true(says("\"fault 1: server-2 crashes\""));
}

TEST_WITH(without_such_a_fault_there_is_no_such_row, start, stop)
{
    test_hold(&test, 1, 0, 5, 600);
    test_hold(&test, 2, 10, 320, 400);
    add_fault("pause", 1, "", 6, 500);
    find(&test_stale_holder, SIZE_MAX, 320, 400);
    draw();
    assert_false(says("servers, network"));
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
    draw();
    assert_true(says("\"reads 41\""));
    assert_true(says("\"writes 42\""));
    assert_non_null(strstr(strstr(text_string(&picture.data), "# leftward:"), " 1.64 "));
    assert_non_null(strstr(strstr(text_string(&picture.data), "# rightward:"), " 0.64 "));
}

TEST_WITH(a_long_write_is_drawn_until_it_is_answered, start, stop)
{
    test_hold(&test, 1, 0, 5, 600);
    test_hold(&test, 2, 10, 320, 400);
    add_access(0, true, 50, 42);
    add_access(1, true, 331, 42);
    find(&test_stale_holder, SIZE_MAX, 320, 400);
    draw();
    assert_false(says("until it is answered"));
    picture_free(&picture);
    test.accesses[0].returned_ns = AT(590);
    draw();
    assert_true(says("until it is answered"));
    assert_non_null(
        strstr(text_string(&picture.data), "# long_writes: row sent answered\n1 50 590\n"));
}

// The lock kept them apart; so both holds are red, and nothing is to be enlarged.
TEST_WITH(holds_that_were_apart_are_both_marked, start, stop)
{
    static const struct check lost = {.name = "lost-update", .summary = "", .label = "this write"};
    test_hold(&test, 1, 0, 5, 10);
    test_hold(&test, 2, 0, 500, 510);
    add_access(0, true, 8, 1);
    add_access(1, true, 509, 1);
    find(&lost, 1, 509, 510);
    draw();
    assert_true(says("lost-update: this write"));
    assert_true(says("enlarged = 0\n"));
    const char *bars = strstr(text_string(&picture.data), "# violation: row from to\n");
    assert_non_null(bars);
    double row, from, to;
    assert_int_equal(sscanf(bars, "# violation: row from to\n%lf %lf %lf", &row, &from, &to), 3);
    assert_true(row == 1 && from == 5 && to == 10);
}

TEST_WITH(a_lock_that_nobody_removed_is_found_gone, start, stop)
{
    static const struct check wrongful = {
        .name = "wrongful-release", .summary = "", .shows = SHOWS_REMOVAL};
    test_hold(&test, 1, 0, 5, 600);
    add_fault("flush", 0, "server-1", 100, 101);
    test_find(result, &wrongful, false)->evidence =
        (struct evidence){{0, SIZE_MAX}, {SIZE_MAX, SIZE_MAX}, AT(600), AT(601)};
    draw();
    assert_true(says("wrongful-release: the lock is found gone"));
    assert_true(says("server-1 lost all its data"));
}
