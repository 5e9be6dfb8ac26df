// The history file: what one process writes, another reads, whatever happens to the first.
#include "harness/base/clock.h"
#include "harness/base/file.h"
#include "harness/history/follower.h"
#include "harness/history/reader.h"
#include "harness/history/writer.h"
#include "harness/testing/test.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct fixture {
    char path[64];
    struct history_file file;
    struct history_writer writer;
};

static void begin(struct fixture *fixture, size_t capacity)
{
    struct error error;
    strcpy(fixture->path, "/tmp/lockpick-history-test-XXXXXX");
    int descriptor = mkstemp(fixture->path);
    assert_true(descriptor >= 0);
    close(descriptor);
    assert_int_equal(history_file_create(fixture->path, capacity, 42, &fixture->file, &error), 0);
    history_writer_start(&fixture->writer, &fixture->file, 1, 2);
}

static struct history load(const struct fixture *fixture)
{
    struct history history;
    struct error error;
    if (history_load(fixture->path, &history, &error) != 0)
        fail_msg("%s", error.text);
    return history;
}

static void end(struct fixture *fixture)
{
    history_file_close(&fixture->file);
    unlink(fixture->path);
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
    struct history history = load(&fixture);
    assert_int_equal(history.count, 500);
    assert_int_equal(history.seed, 42);
    for (size_t i = 0; i < 500; i++) {
        assert_int_equal(history.events[i].args[0], i);
        assert_int_equal(history.events[i].client, 1);
        assert_int_equal(history.events[i].worker, 2);
    }
    history_free(&history);
    end(&fixture);
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
        selves[i] = (struct writer_thread){&fixture.file, i + 1};
        assert_int_equal(pthread_create(&threads[i], NULL, write_many, &selves[i]), 0);
    }
    for (int i = 0; i < WRITERS; i++)
        pthread_join(threads[i], NULL);
    struct history history = load(&fixture);
    assert_int_equal(history.count, WRITERS * EACH);
    int64_t next[WRITERS + 1] = {0};
    for (size_t i = 0; i < history.count; i++) {
        const struct event *event = &history.events[i];
        assert_true(i == 0 || history.events[i - 1].at_ns <= event->at_ns);
        assert_int_equal(event->args[0], next[event->worker]++);
    }
    history_free(&history);
    end(&fixture);
}

TEST(a_killed_writer_leaves_all_it_had_written)
{
    for (int round = 0; round < 20; round++) {
        struct fixture fixture;
        begin(&fixture, 10000000);
        pid_t child = fork();
        if (child == 0) {
            for (int64_t i = 0;; i++)
                append(&fixture.writer, i);
        }
        // Kill it wherever it is, once it has written something.
        while (history_events_about(&fixture.file) < 500)
            sched_yield();
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        struct history history = load(&fixture);
        assert_true(history.count >= 400);
        for (size_t i = 0; i < history.count; i++)
            assert_int_equal(history.events[i].args[0], i);
        history_free(&history);
        end(&fixture);
    }
}

TEST(a_full_file_says_so_and_keeps_what_it_has)
{
    struct fixture fixture;
    begin(&fixture, 10);
    assert_false(history_file_overflowed(&fixture.file));
    for (int64_t i = 0; i < 1000; i++)
        append(&fixture.writer, i);
    assert_true(history_file_overflowed(&fixture.file));
    struct history history = load(&fixture);
    assert_int_equal(history.count, HISTORY_EVENTS_PER_CHUNK);
    history_free(&history);
    end(&fixture);
}

TEST(room_that_is_not_used_costs_no_disk)
{
    struct fixture fixture;
    begin(&fixture, 5000000);
    for (int64_t i = 0; i < 850; i++)
        append(&fixture.writer, i);
    struct stat status;
    assert_int_equal(stat(fixture.path, &status), 0);
    assert_true(status.st_blocks * 512 <= 40 * HISTORY_CHUNK_BYTES);
    history_file_close(&fixture.file);
    assert_int_equal(stat(fixture.path, &status), 0);
    assert_int_equal(status.st_size, 11 * HISTORY_CHUNK_BYTES);
    struct history history = load(&fixture);
    assert_int_equal(history.count, 850);
    history_free(&history);
    unlink(fixture.path);
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
    struct history_follower *follower = history_follower_new(&fixture.file);
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
    end(&fixture);
}

TEST(an_append_wakes_a_waiting_follower)
{
    struct fixture fixture;
    begin(&fixture, 1000);
    struct history_follower *follower = history_follower_new(&fixture.file);
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
    end(&fixture);
}

// Writes `bytes` as a file and expects the reader to refuse it with a text that has `complaint`.
static void expect_refused(const char *bytes, size_t length, const char *complaint)
{
    char path[] = "/tmp/lockpick-history-test-XXXXXX";
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    assert_int_equal(write(descriptor, bytes, length), length);
    close(descriptor);
    struct history history;
    struct error error = {0};
    assert_int_equal(history_load(path, &history, &error), -1);
    if (strstr(error.text, complaint) == NULL)
        fail_msg("'%s' does not say '%s'", error.text, complaint);
    unlink(path);
}

static struct text good_file(void)
{
    struct fixture fixture;
    begin(&fixture, 1000);
    for (int64_t i = 0; i < 100; i++)
        append(&fixture.writer, i);
    history_file_close(&fixture.file);
    struct text bytes = {0};
    assert_int_equal(file_read(fixture.path, &bytes, NULL), 0);
    unlink(fixture.path);
    return bytes;
}

TEST(what_is_no_history_is_refused_with_the_reason)
{
    struct text good = good_file();
    expect_refused("", 0, "shorter than its header");
    expect_refused(good.bytes, 4095, "shorter than its header");
    char *copy = memory_new(good.length);
#define WITH(offset, value, complaint)                                                             \
    memcpy(copy, good.bytes, good.length);                                                         \
    copy[offset] = value;                                                                          \
    expect_refused(copy, good.length, complaint)
    WITH(0, 'X', "does not begin with LOCKPICK");
    WITH(8, 9, "version 9");
    WITH(12, 0, "another byte order");
    WITH(16, 7, "damaged header");
    WITH(24, 7, "damaged header"); // when it was begun
#undef WITH
    free(copy);
    text_free(&good);
}

TEST(a_file_cut_anywhere_is_read_as_far_as_it_goes)
{
    struct text good = good_file();
    for (size_t length = HISTORY_CHUNK_BYTES; length <= good.length; length += 97) {
        char path[] = "/tmp/lockpick-history-test-XXXXXX";
        int descriptor = mkstemp(path);
        assert_int_equal(write(descriptor, good.bytes, length), length);
        close(descriptor);
        struct history history;
        struct error error;
        assert_int_equal(history_load(path, &history, &error), 0);
        assert_true(history.count <= 100);
        history_free(&history);
        unlink(path);
    }
    text_free(&good);
}

TEST(an_event_is_one_line_of_json)
{
    struct event event = {.at_ns = 1500000000,
                          .client = 1,
                          .worker = 2,
                          .kind = EVENT_ACQUIRE_RETURN,
                          .outcome = OUTCOME_OK,
                          .args = {7, 3, INT64_MAX, 2}};
    char line[512];
    event_print_json(&event, 1000000000, line, sizeof line);
    assert_string_equal(line,
                        "{\"t\":0.500000,\"client\":1,\"worker\":2,\"event\":\"acquire-return\","
                        "\"outcome\":\"ok\",\"operation\":7,\"token\":3,"
                        "\"valid_until\":null,\"attempts\":2}");
}

TEST(a_usage_says_what_its_figures_are)
{
    struct event event = {
        .at_ns = 1500000000, .kind = EVENT_USAGE, .detail = USAGE_BYTES, .args = {-1, 12, 300, 0}};
    char line[512];
    event_print_json(&event, 1000000000, line, sizeof line);
    assert_string_equal(line, "{\"t\":0.500000,\"client\":0,\"worker\":0,\"event\":\"usage\","
                              "\"figure\":\"bytes\",\"node\":-1,\"process\":12,"
                              "\"first\":300,\"second\":0}");
}
