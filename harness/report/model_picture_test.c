// Pictures of what models find, of small histories.
#include "harness/report/model_picture.h"

#include "harness/base/clock.h"
#include "harness/base/file.h"
#include "harness/report/test_junit.h"
#include "harness/testing/test.h"

#include <unistd.h>

static struct operations operations;
static struct model_decision decision;
static struct text svg;

static int start(void **state)
{
    (void)state;
    operations = (struct operations){0};
    decision = (struct model_decision){0};
    svg = (struct text){0};
    return 0;
}

static int stop(void **state)
{
    (void)state;
    model_decision_free(&decision);
    operations_free(&operations);
    text_free(&svg);
    return 0;
}

// An operation between two lines; `returned` 0: it never returned.
static void add(uint32_t process, enum operation_kind kind, int64_t invoked, int64_t returned,
                enum outcome outcome, int64_t token)
{
    operations_add(
        &operations,
        (struct operation){.process = process,
                           .kind = (uint8_t)kind,
                           .invoked = instant_of_invocation(invoked),
                           .returned = returned > 0 ? instant_of_return(returned) : INSTANT_NEVER,
                           .outcome = (uint8_t)outcome,
                           .token = token});
    if (process >= operations.process_count)
        operations.process_count = process + 1;
    operations.name_count = 1;
}

static void number_lines(size_t count)
{
    operations.event_count = count;
    operations.events = memory_new(count * sizeof *operations.events);
    for (size_t i = 0; i < count; i++)
        operations.events[i] =
            (struct operation_event){.at_ns = TIME_NEVER, .line = (uint32_t)i + 1};
}

// Decides by the model, which must find a violation, and draws it.
static void draw(const char *model, struct model_options options)
{
    char path[] = "/tmp/lockpick-model-picture-XXXXXX";
    struct error error = {""};
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    assert_int_equal(model_decide(model_find(model), &operations, &options, &decision, &error), 0);
    assert_false(decision.linearizable);
    if (model_picture(&operations, &decision.first, path, &error) != 0 ||
        file_read(path, &svg, &error) != 0)
        fail_msg("%s", error.text);
    unlink(path);
    assert_true(test_xml_is_well_formed(svg.bytes));
}

static size_t count_of(const char *part)
{
    size_t count = 0;
    for (const char *at = strstr(svg.bytes, part); at != NULL; at = strstr(at + 1, part))
        count++;
    return count;
}

TEST_WITH(two_holds_that_overlap_are_marked, start, stop)
{
    add(0, OPERATION_ACQUIRE, 1, 2, OUTCOME_OK, 0);
    add(1, OPERATION_ACQUIRE, 3, 4, OUTCOME_OK, 0);
    add(0, OPERATION_RELEASE, 5, 6, OUTCOME_OK, 0);
    add(1, OPERATION_RELEASE, 7, 8, OUTCOME_OK, 0);
    number_lines(8);
    draw("mutex", (struct model_options){0});
    // One of each is the legend's.
    assert_int_equal(count_of("class=\"core\""), 3);
    assert_int_equal(count_of("class=\"possible\""), 3);
    assert_int_equal(count_of("class=\"violation\""), 3);
    assert_int_equal(count_of("class=\"band\""), 1);
    assert_non_null(strstr(svg.bytes, ">process 0</text>"));
    assert_non_null(strstr(svg.bytes, ">line 2</text>"));
    assert_non_null(strstr(svg.bytes, "process 1, acquire: line 3 to line 4, done"));
    assert_non_null(strstr(svg.bytes, "more hold at once than may"));
}

TEST_WITH(what_was_refused_or_not_answered_looks_different, start, stop)
{
    add(0, OPERATION_ACQUIRE, 1, 2, OUTCOME_OK, 0);
    add(2, OPERATION_ACQUIRE, 2, 3, OUTCOME_NO, 0);
    add(3, OPERATION_ACQUIRE, 3, 0, OUTCOME_UNKNOWN, 0);
    add(1, OPERATION_ACQUIRE, 4, 5, OUTCOME_OK, 0);
    number_lines(6);
    draw("mutex", (struct model_options){0});
    assert_int_equal(count_of("class=\"refused\""), 2);
    assert_int_equal(count_of("class=\"unknown\""), 2);
    assert_non_null(strstr(svg.bytes, "acquire refused"));
    assert_non_null(strstr(svg.bytes, "no answer"));
}

TEST_WITH(a_release_of_what_was_not_held_is_drawn, start, stop)
{
    add(0, OPERATION_ACQUIRE, 1, 2, OUTCOME_OK, 0);
    add(1, OPERATION_RELEASE, 3, 4, OUTCOME_OK, 0);
    number_lines(4);
    draw("mutex", (struct model_options){0});
    assert_int_equal(count_of("class=\"stray\""), 1);
    assert_int_equal(count_of("class=\"violation\""), 2);
    assert_non_null(strstr(svg.bytes, "released by one who does not hold it"));
}

TEST_WITH(tokens_stand_at_their_holds, start, stop)
{
    add(0, OPERATION_ACQUIRE, 1, 2, OUTCOME_OK, 9);
    add(0, OPERATION_RELEASE, 3, 4, OUTCOME_OK, 0);
    add(1, OPERATION_ACQUIRE, 5, 6, OUTCOME_OK, 7);
    add(1, OPERATION_RELEASE, 7, 8, OUTCOME_OK, 0);
    number_lines(8);
    draw("fenced", (struct model_options){0});
    assert_non_null(strstr(svg.bytes, ">token 9</text>"));
    assert_non_null(strstr(svg.bytes, ">token 7</text>"));
    assert_non_null(strstr(svg.bytes, "a token that does not grow"));
}

TEST_WITH(names_of_others_may_have_any_character, start, stop)
{
    static const char *const names[] = {"<script>&\"", "\x01\xff of a length that does not fit in"};
    operations.processes = memory_new(2 * sizeof *operations.processes);
    for (size_t i = 0; i < 2; i++)
        operations.processes[i] = memory_string(names[i]);
    operations.names = memory_new(sizeof *operations.names);
    operations.names[0] = memory_string("a<b>");
    add(0, OPERATION_ACQUIRE, 1, 2, OUTCOME_OK, 0);
    add(1, OPERATION_ACQUIRE, 3, 4, OUTCOME_OK, 0);
    number_lines(4);
    draw("mutex", (struct model_options){0});
    assert_non_null(strstr(svg.bytes, "&lt;script&gt;&amp;"));
    assert_non_null(strstr(svg.bytes, "lock a&lt;b&gt;"));
}

// Of a long history only what is near is drawn, and it stays small.
TEST_WITH(a_long_history_is_shown_in_part, start, stop)
{
    enum { HOLDS = 30000, PROCESSES = 40 };
    for (int64_t i = 0; i < HOLDS; i++) {
        add((uint32_t)(i % PROCESSES), OPERATION_ACQUIRE, 4 * i + 1, 4 * i + 2, OUTCOME_OK, 0);
        add((uint32_t)(i % PROCESSES), OPERATION_RELEASE, 4 * i + 3, 4 * i + 4, OUTCOME_OK, 0);
    }
    int64_t end = 4 * HOLDS;
    add(PROCESSES, OPERATION_ACQUIRE, end / 2 - 6, end / 2 - 5, OUTCOME_OK, 0);
    add(PROCESSES, OPERATION_RELEASE, end / 2 + 8, end / 2 + 9, OUTCOME_OK, 0);
    number_lines((size_t)end + 10);
    draw("mutex", (struct model_options){0});
    assert_true(svg.length < 60000);
    assert_true(count_of("class=\"violation\"") >= 2);
}

// All permits but one have been out for long when two more are granted.
TEST_WITH(who_has_held_since_before_the_picture_is_in_it, start, stop)
{
    for (uint32_t process = 0; process < 4; process++)
        add(process, OPERATION_ACQUIRE, 2 * process + 1, 2 * process + 2, OUTCOME_OK, 0);
    add(6, OPERATION_ACQUIRE, 10, 11, OUTCOME_OK, 0); // and gave it back
    add(6, OPERATION_RELEASE, 12, 13, OUTCOME_OK, 0);
    add(4, OPERATION_ACQUIRE, 2000, 2001, OUTCOME_OK, 0);
    add(5, OPERATION_ACQUIRE, 2002, 2003, OUTCOME_OK, 0);
    add(4, OPERATION_RELEASE, 2004, 2005, OUTCOME_OK, 0);
    add(5, OPERATION_RELEASE, 2006, 2007, OUTCOME_OK, 0);
    number_lines(2008);
    draw("semaphore", (struct model_options){.permits = 5});
    for (int process = 0; process < 6; process++) {
        char name[40];
        snprintf(name, sizeof name, ">process %d</text>", process);
        if (strstr(svg.bytes, name) == NULL)
            fail_msg("no %s in %s", name, svg.bytes);
    }
    assert_null(strstr(svg.bytes, ">process 6</text>"));
}

TEST_WITH(seconds_are_counted_from_the_beginning, start, stop)
{
    add(0, OPERATION_ACQUIRE, 1000000000, 1001000000, OUTCOME_OK, 0);
    add(1, OPERATION_ACQUIRE, 1500000000, 1501000000, OUTCOME_OK, 0);
    add(0, OPERATION_RELEASE, 2000000000, 2001000000, OUTCOME_OK, 0);
    operations.zero_ns = 1000000000;
    draw("mutex", (struct model_options){0});
    assert_non_null(strstr(svg.bytes, ">0.400000 s</text>"));
}

TEST_WITH(a_folder_that_is_not_there_is_said, start, stop)
{
    struct error error = {""};
    struct model_violation violation = {.operations = {SIZE_MAX, SIZE_MAX, SIZE_MAX, SIZE_MAX}};
    assert_int_equal(model_picture(&operations, &violation, "/tmp/no/such/folder.svg", &error), -1);
    assert_non_null(strstr(error.text, "/tmp/no/such/folder.svg"));
}
