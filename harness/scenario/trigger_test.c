#include "harness/scenario/trigger.h"

#include "harness/base/clock.h"
#include "harness/base/text.h"
#include "harness/scenario/test_vocabulary.h"
#include "harness/testing/test.h"

static int read_when(const char *text, struct point_name *point, struct error *error)
{
    struct fault_instance instance = {0};
    int result = when_read(text, test_vocabulary.commands, &instance, error);
    *point = instance.points[0];
    return result;
}

static struct point_name point_of(const char *text)
{
    struct error error = {0};
    struct point_name point;
    if (read_when(text, &point, &error) != 0)
        fail_msg("%s: %s", text, error.text);
    return point;
}

static struct fault_instance until_of(const char *text)
{
    struct error error = {0};
    struct fault_instance instance = {0};
    if (until_read(text, &instance, &error) != 0)
        fail_msg("%s: %s", text, error.text);
    return instance;
}

TEST(a_point_names_client_moment_what_and_phase)
{
    struct point_name point = point_of("client-12 worker-3 after GET in release");
    assert_int_equal(point.client, 12);
    assert_int_equal(point.worker, 3);
    assert_int_equal(point.moment, MOMENT_AFTER);
    assert_string_equal(point.what, "GET");
    assert_string_equal(point.phase, "release");
    point = point_of("  client-1\tbefore   write ");
    assert_int_equal(point.client, 1);
    assert_int_equal(point.worker, 0);
    assert_int_equal(point.moment, MOMENT_BEFORE);
    assert_string_equal(point.what, "write");
    assert_string_equal(point.phase, "");
}

TEST(holds_is_a_point_of_its_own)
{
    struct point_name point = point_of("client-2 worker-1 holds");
    assert_int_equal(point.moment, MOMENT_AT);
    assert_string_equal(point.what, "holds");
    assert_int_equal(point.worker, 1);
}

TEST(commands_are_known_in_any_case_and_kept_in_one)
{
    assert_string_equal(point_of("client-1 after pExpire").what, "PEXPIRE");
    assert_string_equal(point_of("client-1 before set in write").what, "SET");
}

// Every beginning of a right text, and every text with one word too many, is refused.
TEST(half_a_point_is_no_point)
{
    static const char *const wrong[] = {
        "",
        "client-1",
        "client-1 worker-1",
        "client-1 after",
        "client-1 after GET in",
        "client-1 after GET in release now",
        "client-1 holds in release",
        "client-1 worker-1 read",
        "after read",
        "client-1 client-2 holds",
        "worker-1 holds",
        "client- holds",
        "client--1 holds",
        "client-1 worker-0 holds",
        "client-1 before holds",
        "client-1 before read",
        "client-1 after write in write",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct error error = {0};
        struct point_name point;
        assert_int_equal(read_when(wrong[i], &point, &error), -1);
        assert_true(error.text[0] != '\0');
    }
}

TEST(a_text_of_any_length_is_refused_and_not_cut)
{
    struct error error = {0};
    struct point_name point;
    struct text text = {0};
    text_add(&text, "client-1 holds");
    for (int i = 0; i < 10000; i++)
        text_add(&text, " ");
    assert_int_equal(read_when(text.bytes, &point, &error), -1);
    text_free(&text);
    struct fault_instance instance = {0};
    assert_int_equal(until_read("client-2 or or or or or or or 3s", &instance, &error), -1);
    assert_int_equal(read_when("client-1 a b c d e f g h i j k l m n", &point, &error), -1);
}

TEST(a_cause_has_a_bound_given_or_not)
{
    struct fault_instance instance = until_of("client-2 writes or 3s");
    assert_int_equal(instance.until.kind, CAUSE_WRITES);
    assert_int_equal(instance.until.target.client, 2);
    assert_int_equal(instance.until.target.worker, 0);
    assert_int_equal(instance.bound_ns, 3 * NS_PER_S);
    instance = until_of("client-1 worker-4 dies");
    assert_int_equal(instance.until.kind, CAUSE_DIES);
    assert_int_equal(instance.until.target.worker, 4);
    assert_int_equal(instance.bound_ns, 10 * NS_PER_S);
    instance = until_of("250ms");
    assert_int_equal(instance.until.kind, CAUSE_NONE);
    assert_int_equal(instance.bound_ns, 250 * NS_PER_MS);
}

TEST(every_cause_word_has_its_kind)
{
    static const struct {
        const char *text;
        enum cause_kind kind;
    } cases[] = {
        {"client-1 holds", CAUSE_HOLDS},   {"client-1 reads", CAUSE_READS},
        {"client-1 writes", CAUSE_WRITES}, {"client-1 releases", CAUSE_RELEASES},
        {"client-1 dies", CAUSE_DIES},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(until_of(cases[i].text).until.kind, cases[i].kind);
}

TEST(a_target_is_a_client_or_one_worker_of_it)
{
    struct error error = {0};
    struct target target;
    assert_int_equal(target_read("client-1 worker-2", &target, &error), 0);
    assert_int_equal(target.client, 1);
    assert_int_equal(target.worker, 2);
    assert_int_equal(target_read("client-3", &target, &error), 0);
    assert_int_equal(target.client, 3);
    assert_int_equal(target.worker, 0);
    assert_int_equal(target_read("client-3 holds", &target, &error), -1);
    assert_string_equal(error.text, "expected no more words, not 'holds'");
}

static void describes(struct fault_instance instance, const char *expected)
{
    instance.verb = instance.verb ? instance.verb : "pause";
    char *text = fault_describe(&instance);
    assert_string_equal(text, expected);
    free(text);
}

TEST(a_fault_reads_as_a_sentence)
{
    describes((struct fault_instance){.target = {.client = 1, .worker = 0},
                                      .points = {point_of("client-1 after read")},
                                      .point_count = 1,
                                      .nth = 1,
                                      .until = {.kind = CAUSE_WRITES,
                                                .target = {.client = 2, .worker = 0}},
                                      .bound_ns = 3 * NS_PER_S},
              "pause client-1 after read until client-2 writes or 3s");
    describes((struct fault_instance){.target = {.client = 1, .worker = 2},
                                      .points = {point_of("client-2 before EVAL in release"),
                                                 point_of("client-2 holds")},
                                      .point_count = 2,
                                      .nth = 3,
                                      .bound_ns = 500 * NS_PER_MS},
              "pause client-1 worker-2 when client-2 is before EVAL in release or when client-2 "
              "holds (3rd time) for 500ms");
    describes((struct fault_instance){.verb = "kill",
                                      .target = {.client = 1, .worker = 0},
                                      .points = {point_of("client-1 holds")},
                                      .point_count = 1,
                                      .nth = 11,
                                      .bound_ns = -1},
              "kill client-1 when it holds (11th time)");
    describes((struct fault_instance){.verb = "kill",
                                      .target = {.client = 1, .worker = 0},
                                      .at_ns = 2 * NS_PER_S,
                                      .bound_ns = -1},
              "kill client-1 at 2s");
}
