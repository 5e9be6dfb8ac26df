// The history file: what one process writes, another reads, whatever happens to the first.
#include "harness/base/scope.h"
#include "harness/history/follower.h"
#include "harness/history/test_file.h"
#include "harness/testing/text.h"

#include <pthread.h>
#include <sys/stat.h>
#include <sys/wait.h>

struct fixture {
    struct test_file test;
    struct history_writer writer;
};

static void begin(struct fixture *fixture, size_t capacity)
{
    test_file_begin(&fixture->test, capacity);
    history_writer_start(&fixture->writer, &fixture->test.file, 1, 2);
}

static void append(struct history_writer *writer, int64_t number)
{
    history_append(writer, (struct event){.kind = EVENT_READ_RETURN, .args = {number}});
}

TEST(events_come_back_in_order_with_their_writer)
{
    struct fixture fixture;
    begin(&fixture, 1000);
    for (int64_t i = 0; i < 500; i++)
        append(&fixture.writer, i);
    AUTO(history_free) struct history history = test_file_load(&fixture.test);
    assert_int_equal(history.count, 500);
    for (size_t i = 0; i < 500; i++) {
        assert_int_equal(history.events[i].args[0], i);
        assert_int_equal(history.events[i].client, 1);
        assert_int_equal(history.events[i].worker, 2);
    }
    test_file_end(&fixture.test);
}

#define WRITERS 8
#define EACH 20000

struct writer_thread {
    const struct history_file *file;
    int number;
};

static void *write_many(void *context)
{
    struct writer_thread *self = context;
    struct history_writer writer;
    history_writer_start(&writer, self->file, 1, self->number);
    for (int64_t i = 0; i < EACH; i++)
        append(&writer, i);
    return NULL;
}

TEST(many_writers_lose_nothing_and_merge_by_time)
{
    struct fixture fixture;
    begin(&fixture, WRITERS * EACH + WRITERS * HISTORY_EVENTS_PER_CHUNK);
    pthread_t threads[WRITERS];
    struct writer_thread selves[WRITERS];
    for (int i = 0; i < WRITERS; i++) {
        selves[i] = (struct writer_thread){&fixture.test.file, i + 1};
        assert_int_equal(pthread_create(&threads[i], NULL, write_many, &selves[i]), 0);
    }
    for (int i = 0; i < WRITERS; i++)
        pthread_join(threads[i], NULL);
    AUTO(history_free) struct history history = test_file_load(&fixture.test);
    assert_int_equal(history.count, WRITERS * EACH);
    int64_t next[WRITERS + 1] = {0};
    for (size_t i = 0; i < history.count; i++) {
        const struct event *event = &history.events[i];
        assert_true(i == 0 || history.events[i - 1].at_ns <= event->at_ns);
        assert_int_equal(event->args[0], next[event->worker]++);
    }
    test_file_end(&fixture.test);
}

TEST(room_that_is_not_used_costs_no_disk)
{
    struct fixture fixture;
    begin(&fixture, 5000000);
    for (int64_t i = 0; i < 850; i++)
        append(&fixture.writer, i);
    struct stat status;
    assert_int_equal(stat(fixture.test.path, &status), 0);
    assert_true(status.st_blocks * 512 <= 40 * HISTORY_CHUNK_BYTES);
    history_file_close(&fixture.test.file);
    assert_int_equal(stat(fixture.test.path, &status), 0);
    assert_int_equal(status.st_size, 11 * HISTORY_CHUNK_BYTES);
    AUTO(history_free) struct history history = test_file_load(&fixture.test);
    assert_int_equal(history.count, 850);
    unlink(fixture.test.path);
}

static void count_seen(void *context, const struct event *event)
{
    int64_t *next = context;
    assert_int_equal(event->args[0], *next);
    ++*next;
}

TEST(a_follower_sees_every_event_once_and_in_order)
{
    struct fixture fixture;
    begin(&fixture, 300000);
    struct history_follower *follower = history_follower_new(&fixture.test.file);
    pid_t child = fork();
    if (child == 0) {
        for (int64_t i = 0; i < 200000; i++)
            append(&fixture.writer, i);
        _exit(0);
    }
    int64_t next = 0;
    while (next < 200000) {
        history_follow(follower, count_seen, &next);
        history_follower_wait(follower, clock_monotonic_ns() + NS_PER_S);
    }
    waitpid(child, NULL, 0);
    assert_int_equal(history_follow(follower, count_seen, &next), 0);
    history_follower_free(follower);
    test_file_end(&fixture.test);
}

TEST(an_append_wakes_a_waiting_follower)
{
    struct fixture fixture;
    begin(&fixture, 1000);
    struct history_follower *follower = history_follower_new(&fixture.test.file);
    pid_t child = fork();
    if (child == 0) {
        append(&fixture.writer, 0);
        _exit(0);
    }
    int64_t next = 0;
    while (next == 0) {
        history_follower_wait(follower, TIME_NEVER);
        history_follow(follower, count_seen, &next);
    }
    waitpid(child, NULL, 0);
    history_follower_free(follower);
    test_file_end(&fixture.test);
}

TEST(what_is_no_history_is_refused_with_the_reason)
{
    static const struct {
        size_t length, offset; // what is left of it, and where it is changed
        char value;
        const char *complaint;
    } cases[] = {
        {0, 0, 'L', "shorter than its header"},
        {4095, 0, 'L', "shorter than its header"},
        {8192, 0, 'X', "does not begin with LOCKPICK"},
        {8192, 8, 9, "version 9"},
        {8192, 12, 0, "another byte order"},
        {8192, 16, 7, "damaged header"},
        {8192, 24, 7, "damaged header"}, // when it was begun
    };
    struct fixture fixture;
    begin(&fixture, 1000);
    append(&fixture.writer, 1);
    struct text good = test_file_bytes(&fixture.test);
    assert_int_equal(good.length, 8192);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct history history;
        struct error error = {0};
        char before = good.bytes[cases[i].offset];
        good.bytes[cases[i].offset] = cases[i].value;
        test_file_put(&fixture.test, good.bytes, cases[i].length);
        good.bytes[cases[i].offset] = before;
        MUST_FAIL(-1, history_load(fixture.test.path, &history, &error), cases[i].complaint);
    }
    text_free(&good);
    unlink(fixture.test.path);
}

TEST(an_event_is_one_line_of_json)
{
    struct event event = {.at_ns = 1500000000,
                          .client = 1,
                          .worker = 2,
                          .kind = EVENT_ACQUIRE_RETURN,
                          .outcome = OUTCOME_OK,
                          .args = {7, 3, INT64_MAX, 2}};
    AUTO_TEXT struct text line = {0};
    event_add_json(&event, 1000000000, &line);
    assert_string_equal(line.bytes,
                        "{\"t\":0.500000,\"client\":1,\"worker\":2,\"event\":\"acquire-return\","
                        "\"outcome\":\"ok\",\"operation\":7,\"token\":3,"
                        "\"valid_until\":null,\"attempts\":2}");
}

TEST(an_event_is_one_row_for_people)
{
    struct event grant = {.at_ns = 1500000000,
                          .client = 1,
                          .worker = 2,
                          .kind = EVENT_ACQUIRE_RETURN,
                          .args = {7, 3, 1800000000, 2}};
    struct event left = {.at_ns = 2000000000,
                         .client = 2,
                         .kind = EVENT_POINT_LEFT,
                         .fault_number = 1,
                         .args = {314000000}};
    AUTO_TEXT struct text rows = {0};
    event_add_row(&grant, 1000000000, &rows);
    text_add(&rows, "\n");
    event_add_row(&left, 1000000000, &rows);
    assert_string_equal(
        rows.bytes, "    0.500000  client-1 worker-2   acquire-return    ok, operation 7, token 3, "
                    "valid until 0.800000 s, attempts 2\n"
                    "    1.000000  client-2            point-left        fault 1, held 314 ms");
}

TEST(a_usage_says_what_its_figures_are)
{
    struct event event = {
        .at_ns = 1500000000, .kind = EVENT_USAGE, .detail = USAGE_BYTES, .args = {-1, 12, 300, 0}};
    AUTO_TEXT struct text line = {0};
    event_add_json(&event, 1000000000, &line);
    assert_string_equal(line.bytes, "{\"t\":0.500000,\"client\":0,\"worker\":0,\"event\":\"usage\","
                                    "\"figure\":\"bytes\",\"node\":-1,\"process\":12,"
                                    "\"first\":300,\"second\":0}");
}
