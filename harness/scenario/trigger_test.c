#include "harness/scenario/trigger.h"

#include "harness/base/clock.h"
#include "harness/base/text.h"
#include "harness/scenario/test_vocabulary.h"
#include "harness/testing/test.h"

static int read_when(const char *text, struct point_name *point, struct error *error)
{
    struct fault_instance instance = {0};
    int result = when_read(text, &test_vocabulary, &instance, error);
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

// Commands are known in any case and kept in one.
TEST(a_point_names_client_moment_what_and_phase)
{
    static const struct {
        const char *text;
        int client, worker;
        enum moment moment;
        const char *what, *phase;
    } cases[] = {
        {"client-12 worker-3 after GET in release", 12, 3, MOMENT_AFTER, "GET", "release"},
        {"  client-1\tbefore   write ", 1, 0, MOMENT_BEFORE, "write", ""},
        {"client-2 worker-1 holds", 2, 1, MOMENT_AT, "holds", ""},
        {"client-1 after pExpire", 1, 0, MOMENT_AFTER, "PEXPIRE", ""},
        {"client-1 before set in write", 1, 0, MOMENT_BEFORE, "SET", "write"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct point_name point = point_of(cases[i].text);
        assert_int_equal(point.client, cases[i].client);
        assert_int_equal(point.worker, cases[i].worker);
        assert_int_equal(point.moment, cases[i].moment);
        assert_string_equal(point.what, cases[i].what);
        assert_string_equal(point.phase, cases[i].phase);
    }
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
        "client-1 a b c d e f g h i j k l m n",
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
    AUTO_TEXT struct text text = {0};
    text_format(&text, "client-1 holds%10000s", "");
    assert_int_equal(read_when(text.bytes, &point, &error), -1);
}

TEST(a_cause_has_a_bound_given_or_not)
{
    static const struct {
        const char *text;
        enum cause_kind kind;
        int client, worker;
        int64_t bound_ns;
    } cases[] = {
        {"client-2 writes or 3s", CAUSE_WRITES, 2, 0, 3 * NS_PER_S},
        {"client-1 worker-4 dies", CAUSE_DIES, 1, 4, 10 * NS_PER_S},
        {"client-1 holds", CAUSE_HOLDS, 1, 0, 10 * NS_PER_S},
        {"client-1 reads", CAUSE_READS, 1, 0, 10 * NS_PER_S},
        {"client-1 releases", CAUSE_RELEASES, 1, 0, 10 * NS_PER_S},
        {"250ms", CAUSE_NONE, 0, 0, 250 * NS_PER_MS},
    };
    struct error error = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fault_instance instance = {0};
        if (until_read(cases[i].text, &test_vocabulary, &instance, &error) != 0)
            fail_msg("%s: %s", cases[i].text, error.text);
        assert_int_equal(instance.until.kind, cases[i].kind);
        assert_int_equal(instance.until.target.client, cases[i].client);
        assert_int_equal(instance.until.target.worker, cases[i].worker);
        assert_int_equal(instance.bound_ns, cases[i].bound_ns);
    }
    struct fault_instance instance = {0};
    assert_int_equal(
        until_read("client-2 or or or or or or or 3s", &test_vocabulary, &instance, &error), -1);
}

TEST(a_target_is_a_client_or_one_worker_of_it)
{
    struct error error = {0};
    struct target target;
    assert_int_equal(target_read("client-1 worker-2", &test_vocabulary, &target, &error), 0);
    assert_int_equal(target.client, 1);
    assert_int_equal(target.worker, 2);
    assert_int_equal(target_read("client-3", &test_vocabulary, &target, &error), 0);
    assert_int_equal(target.client, 3);
    assert_int_equal(target.worker, 0);
    assert_int_equal(target_read("client-3 holds", &test_vocabulary, &target, &error), -1);
    assert_string_equal(error.text, "expected no more words, not 'holds'");
}

TEST(a_server_is_named_by_its_place_its_role_or_its_kind)
{
    static const char *const right[] = {"server-2", "follower-1",  "leader",     "store", "store-1",
                                        "redis-12", "memcached-1", "sentinel-3", NULL};
    static const char *const wrong[] = {"server",  "server-0", "redis-100",  "redis-1a",
                                        "servers", "none-1",   "dynamodb-1", NULL};
    struct error error = {0};
    struct target target;
    for (size_t i = 0; right[i] != NULL; i++) {
        assert_int_equal(target_read(right[i], &test_vocabulary, &target, &error), 0);
        assert_string_equal(target.server, right[i]);
    }
    for (size_t i = 0; wrong[i] != NULL; i++)
        assert_int_equal(target_read(wrong[i], &test_vocabulary, &target, &error), -1);
    MUST_FAIL(-1, target_read("postgre-1", &test_vocabulary, &target, &error),
              "(did you mean 'postgres-1'?)");
}

TEST(the_server_of_the_value_is_no_other_whose_name_begins_alike)
{
    assert_true(target_is_store(&(struct target){.server = "store"}));
    assert_true(target_is_store(&(struct target){.server = "store-2"}));
    assert_false(target_is_store(&(struct target){.server = "storage-1"}));
    assert_false(target_is_store(&(struct target){.client = 1}));
}

TEST(a_fault_reads_as_a_sentence)
{
    static const struct {
        const char *verb;
        struct target target;
        const char *points[2];
        int64_t nth, at_ns;
        struct cause until;
        int64_t bound_ns;
        const char *sentence;
    } cases[] = {
        {"pause",
         {.client = 1},
         {"client-1 after read"},
         1,
         0,
         {.kind = CAUSE_WRITES, .target = {.client = 2}},
         3 * NS_PER_S,
         "pause client-1 after read until client-2 writes or 3s"},
        {"pause",
         {.client = 1, .worker = 2},
         {"client-2 before EVAL in release", "client-2 holds"},
         3,
         0,
         {0},
         500 * NS_PER_MS,
         "pause client-1 worker-2 when client-2 is before EVAL in release or when client-2 "
         "holds (3rd time) for 500ms"},
        {"kill",
         {.client = 1},
         {"client-1 holds"},
         11,
         0,
         {0},
         -1,
         "kill client-1 when it holds (11th time)"},
        {"kill", {.client = 1}, {NULL}, 0, 2 * NS_PER_S, {0}, -1, "kill client-1 at 2s"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fault_instance instance = {.verb = cases[i].verb,
                                          .target = cases[i].target,
                                          .nth = cases[i].nth,
                                          .at_ns = cases[i].at_ns,
                                          .until = cases[i].until,
                                          .bound_ns = cases[i].bound_ns};
        for (; instance.point_count < 2 && cases[i].points[instance.point_count] != NULL;
             instance.point_count++)
            instance.points[instance.point_count] = point_of(cases[i].points[instance.point_count]);
        AUTO_FREE char *text = fault_describe(&instance);
        assert_string_equal(text, cases[i].sentence);
    }
}
