// Pictures of what models find, of small histories.
#include "harness/base/clock.h"
#include "harness/base/file.h"
#include "harness/model/model.h"
#include "harness/report/pictures/picture.h"
#include "harness/report/pictures/test_svg.h"

#include <unistd.h>

static struct operations operations;
static struct model_analysis analysis;
static struct picture picture;
static const struct picture_subject subject = {.operations = &operations,
                                               .violation = &analysis.first,
                                               .explanation = "who held, and who was let in"};

static int start(void **state)
{
    (void)state;
    operations = (struct operations){0};
    analysis = (struct model_analysis){0};
    return 0;
}

static int stop(void **state)
{
    (void)state;
    model_analysis_free(&analysis);
    operations_free(&operations);
    picture_free(&picture);
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

// Decides by the model, which must find a violation, and writes its picture.
static void draw(const char *model, struct model_options options)
{
    struct error error;
    assert_int_equal(model_decide(model_find(model), &operations, &options, &analysis, &error), 0);
    assert_false(analysis.linearizable);
    assert_true(picture_write(&model_picture, &subject, &picture));
}

#define DRAWN(model, options, ...)                                                                 \
    do {                                                                                           \
        draw(model, (struct model_options){options});                                              \
        PICTURE_SAYS(&picture, __VA_ARGS__);                                                       \
    } while (0)

TEST_WITH(two_holds_that_overlap_are_marked, start, stop)
{
    add(0, OPERATION_ACQUIRE, 1, 2, OUTCOME_OK, 0);
    add(1, OPERATION_ACQUIRE, 3, 4, OUTCOME_OK, 0);
    add(0, OPERATION_RELEASE, 5, 6, OUTCOME_OK, 0);
    add(1, OPERATION_RELEASE, 7, 8, OUTCOME_OK, 0);
    number_lines(8);
    DRAWN("mutex", 0,
          "# bars: row from to look depth\n1 1 6.5 \"possible\" 0\n1 2.5 5 \"certain\" 0\n"
          "1 4.5 5 \"violation\" 0\n2 3 8.5 \"possible\" 0\n2 4.5 7 \"certain\" 0\n"
          "2 4.5 5 \"violation\" 0\n",
          "# tint: from to rows\n4.5 5 2\n", "1 \"process 0\"\n", "\n2 \"line 2\"\n",
          "who held, and who was let in", "more hold at once than may");
}

TEST_WITH(what_was_refused_or_not_answered_looks_different, start, stop)
{
    add(0, OPERATION_ACQUIRE, 1, 2, OUTCOME_OK, 0);
    add(2, OPERATION_ACQUIRE, 2, 3, OUTCOME_NO, 0);
    add(3, OPERATION_ACQUIRE, 3, 0, OUTCOME_UNKNOWN, 0);
    add(1, OPERATION_ACQUIRE, 4, 5, OUTCOME_OK, 0);
    number_lines(6);
    DRAWN("mutex", 0, " 2 3.5 \"refusal\" 0\n", "\"unanswered\" 0\n", "\"acquire refused\"");
}

TEST_WITH(a_release_of_what_was_not_held_is_drawn, start, stop)
{
    add(0, OPERATION_ACQUIRE, 1, 2, OUTCOME_OK, 0);
    add(1, OPERATION_RELEASE, 3, 4, OUTCOME_OK, 0);
    number_lines(4);
    DRAWN("mutex", 0, "\n1 3 4.5 \"stray\" 0\n", "\n1 3 4.5 \"violation\" 0\n",
          "released by one who does not hold it");
}

// A renewal is no release.
TEST_WITH(a_hold_that_was_renewed_goes_on, start, stop)
{
    add(0, OPERATION_ACQUIRE, 1000, 2000, OUTCOME_OK, 0);
    add(0, OPERATION_RENEW, 3000, 4000, OUTCOME_OK, 0);
    add(1, OPERATION_ACQUIRE, 5000, 6000, OUTCOME_OK, 0);
    add(0, OPERATION_RELEASE, 7000, 8000, OUTCOME_OK, 0);
    DRAWN("mutex", .lease_ns = NS_PER_S, "\n1 0.0020005 0.007 \"certain\" 0\n");
}

TEST_WITH(tokens_stand_at_their_holds, start, stop)
{
    add(0, OPERATION_ACQUIRE, 1, 2, OUTCOME_OK, 9);
    add(0, OPERATION_RELEASE, 3, 4, OUTCOME_OK, 0);
    add(1, OPERATION_ACQUIRE, 5, 6, OUTCOME_OK, 7);
    add(1, OPERATION_RELEASE, 7, 8, OUTCOME_OK, 0);
    number_lines(8);
    DRAWN("fenced", 0, "\"token 9\"", "\"token 7\"", "a token that does not grow");
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
    DRAWN("mutex", 0, "\"violation\" 0\n");
    assert_true(picture.data.length < 10000);
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
    DRAWN("semaphore", .permits = 5, "\"process 0\"", "\"process 1\"", "\"process 2\"",
          "\"process 3\"", "\"process 4\"", "\"process 5\"", "!process 6");
}

TEST_WITH(seconds_are_counted_from_the_beginning, start, stop)
{
    add(0, OPERATION_ACQUIRE, 1000000000, 1001000000, OUTCOME_OK, 0);
    add(1, OPERATION_ACQUIRE, 1500000000, 1501000000, OUTCOME_OK, 0);
    add(0, OPERATION_RELEASE, 2000000000, 2001000000, OUTCOME_OK, 0);
    operations.zero_ns = 1000000000;
    DRAWN("mutex", 0, "whole = 'the history'", "\n1 501.0000005 1000 \"violation\" 0\n");
}

TEST_WITH(names_of_others_may_have_any_character, start, stop)
{
    static const char *const names[] = {"<script>&\"", "\x01\xff of a length that does not fit in"};
    char path[] = "/tmp/lockpick-model-picture-XXXXXX";
    struct error error = {""};
    struct text svg = {0};
    operations.processes = memory_new(2 * sizeof *operations.processes);
    for (size_t i = 0; i < 2; i++)
        operations.processes[i] = memory_string(names[i]);
    operations.names = memory_new(sizeof *operations.names);
    operations.names[0] = memory_string("a<b>");
    add(0, OPERATION_ACQUIRE, 1, 2, OUTCOME_OK, 0);
    add(1, OPERATION_ACQUIRE, 3, 4, OUTCOME_OK, 0);
    number_lines(4);
    DRAWN("mutex", 0, "lock a<b>");
    if (!plots_available(error.text, sizeof error.text))
        skip();
    close(mkstemp(path));
    assert_int_equal(picture_save(&model_picture, &subject, path, &error), 0);
    assert_int_equal(file_read(path, &svg, &error), 0);
    unlink(path);
    assert_memory_equal(svg.bytes, SVG_BEGINS, strlen(SVG_BEGINS));
    assert_non_null(strstr(svg.bytes, "</svg>"));
    assert_null(strstr(svg.bytes, "\xff"));
    assert_non_null(strstr(svg.bytes, "&lt;script>&amp;"));
    assert_non_null(strstr(svg.bytes, "lock a&lt;b>"));
    text_free(&svg);
    MUST_FAIL(-1, picture_save(&model_picture, &subject, "/tmp/no/such/x.svg", &error),
              "/tmp/no/such/x.svg");
}
