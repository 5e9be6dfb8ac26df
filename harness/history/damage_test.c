// Damage to a history file is noticed, told with its place, and costs no more than what it hit.
#include "harness/history/checksum.h"
#include "harness/history/test_file.h"
#include "harness/testing/test.h"

#include "harness/base/random.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>

#define CHUNK HISTORY_CHUNK_BYTES
#define EACH (3 * HISTORY_EVENTS_PER_CHUNK + 7)

static void append(struct history_writer *writer, int64_t number)
{
    history_append(writer, (struct event){.at_ns = number + 1,
                                          .kind = EVENT_READ_RETURN,
                                          .args = {number, 0, number}});
}

// The harness's own writer has one chunk, 1; those of client-1's and client-2's only worker have
// four each: 2, 4, 6, 8 and 3, 5, 7, 9.
static void write_sample(struct test_file *test)
{
    struct history_writer writers[3];
    test_file_begin(test, 20 * HISTORY_EVENTS_PER_CHUNK);
    for (int i = 0; i < 3; i++)
        history_writer_start(&writers[i], &test->file, i, 1);
    history_append(&writers[0], (struct event){.at_ns = 1, .kind = EVENT_BARRIER_OPEN});
    for (int64_t i = 0; i < EACH; i++) {
        append(&writers[1], i);
        append(&writers[2], i);
    }
}

static void assert_says(const struct history *history, const char *part)
{
    if (strstr(history->condition.text, part) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", history->condition.text, part);
}

static size_t count_of(const struct history *history, enum event_kind kind, int client)
{
    size_t count = 0;
    for (size_t i = 0; i < history->count; i++)
        count += history->events[i].kind == kind && history->events[i].client == client;
    return count;
}

TEST(the_checksum_is_the_known_one_with_and_without_the_instruction)
{
    char bytes[100];
    assert_int_equal(checksum_add(0, "123456789", 9), 0xe3069283);
    assert_int_equal(checksum_add_by_table(0, "123456789", 9), 0xe3069283);
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)(i * 37);
    for (size_t length = 0; length <= sizeof bytes; length++) {
        uint32_t first = checksum_add(0, bytes, length / 3);
        uint32_t whole = checksum_add_by_table(0, bytes, length);
        assert_int_equal(checksum_add(0, bytes, length), whole);
        assert_int_equal(checksum_add(first, bytes + length / 3, length - length / 3), whole);
    }
}

TEST(a_closed_history_is_whole_and_an_open_one_unfinished)
{
    struct test_file test;
    write_sample(&test);
    struct history history = test_file_load(&test);
    assert_int_equal(history.condition.state, HISTORY_UNFINISHED);
    assert_says(&history, "never closed");
    assert_false(history.condition.harness_lost);
    assert_int_equal(history.count, 2 * EACH + 1);
    history_free(&history);
    history_file_cut(test.path); // as is done after writers that were killed
    history = test_file_load(&test);
    assert_int_equal(history.condition.state, HISTORY_UNFINISHED);
    assert_int_equal(history.count, 2 * EACH + 1);
    history_free(&history);
    history_file_close(&test.file);
    history = test_file_load(&test);
    assert_int_equal(history.condition.state, HISTORY_WHOLE);
    assert_string_equal(history.condition.text, "");
    assert_int_equal(history.count, 2 * EACH + 1);
    history_free(&history);
    unlink(test.path);
}

TEST(a_history_of_an_interrupted_trial_is_unfinished)
{
    struct test_file test;
    struct history_writer conductor;
    write_sample(&test);
    history_writer_start(&conductor, &test.file, 0, 0);
    history_append(&conductor,
                   (struct event){.kind = EVENT_STOP_ASKED, .detail = STOP_INTERRUPTED});
    history_file_close(&test.file);
    struct history history = test_file_load(&test);
    assert_int_equal(history.condition.state, HISTORY_UNFINISHED);
    assert_says(&history, "interrupted");
    assert_false(history.condition.harness_lost);
    history_free(&history);
    unlink(test.path);
}

TEST(a_writer_killed_anywhere_leaves_an_unfinished_history_without_damage)
{
    for (int round = 0; round < 50; round++) {
        struct test_file test;
        test_file_begin(&test, 10000000);
        pid_t child = fork();
        if (child == 0) {
            struct history_writer writer;
            history_writer_start(&writer, &test.file, 1, 1);
            for (int64_t i = 0;; i++)
                append(&writer, i);
        }
        while (atomic_load(&test.file.header->chunks_claimed) < 5)
            sched_yield();
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        struct history history = test_file_load(&test);
        assert_int_equal(history.condition.state, HISTORY_UNFINISHED);
        for (size_t i = 0; i < history.count; i++)
            assert_int_equal(history.events[i].args[0], i);
        history_free(&history);
        test_file_end(&test);
    }
}

// Loads the sample with something done to its bytes.
static struct history load_changed(const struct test_file *test, const struct text *bytes,
                                   size_t offset, const void *change, size_t length)
{
    char *copy = memory_new(bytes->length);
    memcpy(copy, bytes->bytes, bytes->length);
    memcpy(copy + offset, change, length);
    test_file_put(test, copy, bytes->length);
    free(copy);
    return test_file_load(test);
}

TEST(a_damaged_chunk_is_passed_over_and_told_with_its_place)
{
    struct test_file test;
    write_sample(&test);
    struct text bytes = test_file_bytes(&test);
    struct history history = load_changed(&test, &bytes, 4 * CHUNK + 1000, "?", 1);
    assert_int_equal(history.condition.state, HISTORY_DAMAGED);
    assert_says(&history, "85 of its 525 events and 1 of its 9 chunks are lost; 1 chunk cannot be "
                          "read, the first at byte 16384");
    assert_int_equal(count_of(&history, EVENT_READ_RETURN, 1), EACH - HISTORY_EVENTS_PER_CHUNK);
    assert_int_equal(count_of(&history, EVENT_READ_RETURN, 2), EACH);
    // The gap is where its events are missing, and it is known whose they were.
    assert_int_equal(count_of(&history, EVENT_GAP, 1), 1);
    assert_int_equal(count_of(&history, EVENT_GAP, 2), 0);
    assert_false(history.condition.harness_lost);
    history_free(&history);
    text_free(&bytes);
    unlink(test.path);
}

TEST(it_is_known_whether_the_harness_s_own_events_may_be_lost)
{
    struct test_file test;
    write_sample(&test);
    struct text bytes = test_file_bytes(&test);
    struct history history = load_changed(&test, &bytes, 1 * CHUNK + 20, "?", 1);
    assert_true(history.condition.harness_lost);
    history_free(&history);
    // A worker's last chunk: the harness's was not full, so that it wrote no other.
    history = load_changed(&test, &bytes, 9 * CHUNK + 20, "?", 1);
    assert_int_equal(history.condition.state, HISTORY_DAMAGED);
    assert_false(history.condition.harness_lost);
    history_free(&history);
    text_free(&bytes);
    unlink(test.path);
}

TEST(a_page_of_zeros_or_of_another_place_is_noticed)
{
    struct test_file test;
    static const char zeros[CHUNK];
    write_sample(&test);
    struct text bytes = test_file_bytes(&test);
    struct history history = load_changed(&test, &bytes, 6 * CHUNK, zeros, CHUNK);
    assert_says(&history, "85 of its 525 events and 1 of its 9 chunks are lost");
    assert_int_equal(count_of(&history, EVENT_GAP, 1), 1);
    history_free(&history);
    history = load_changed(&test, &bytes, 6 * CHUNK, bytes.bytes + 4 * CHUNK, CHUNK);
    assert_says(&history, "1 chunk cannot be read, the first at byte 24576");
    history_free(&history);
    text_free(&bytes);
    unlink(test.path);
}

TEST(an_older_state_of_a_chunk_is_noticed)
{
    struct test_file test;
    struct history_writer writer;
    test_file_begin(&test, 100);
    history_writer_start(&writer, &test.file, 1, 1);
    append(&writer, 0);
    uint64_t before = atomic_load(&writer.chunk->published);
    append(&writer, 1);
    struct text bytes = test_file_bytes(&test);
    struct history history = load_changed(&test, &bytes, CHUNK, &before, sizeof before);
    assert_int_equal(history.count, 1);
    assert_int_equal(history.condition.state, HISTORY_DAMAGED);
    assert_says(&history, "1 of its 2 events and 0 of its 1 chunks are lost");
    history_free(&history);
    text_free(&bytes);
    unlink(test.path);
}

TEST(events_that_make_no_sense_are_damage_however_right_their_checksum)
{
    static const struct event senseless[] = {
        {.kind = EVENT_NONE},
        {.kind = EVENT_GAP},
        {.kind = EVENT_KIND_COUNT},
        {.kind = EVENT_LOST, .outcome = 4},
        {.kind = EVENT_LOST, .detail = 200},
        {.kind = EVENT_ACQUIRE_INVOKE, .detail = 2},
        {.kind = EVENT_RELEASE_RETURN, .detail = 5},
        {.kind = EVENT_STOP_ASKED, .detail = 6},
        {.kind = EVENT_LOST, .at_ns = INT64_MAX},
        {.kind = EVENT_LOST, .at_ns = INT64_MIN},
        {.kind = EVENT_ACQUIRE_RETURN, .args = {1, 1, INT64_MIN}},
        {.kind = EVENT_STALL, .args = {INT64_MAX}},
        {.kind = EVENT_STORE_FINAL, .args = {INT64_MIN}},
        {.kind = EVENT_USAGE, .detail = 4},
        {.kind = EVENT_USAGE, .args = {1, 2, INT64_MAX}},
        {.kind = EVENT_USAGE, .args = {1, 2, 3, INT64_MAX}},
    };
    for (size_t i = 0; i <= sizeof senseless / sizeof *senseless; i++) {
        bool is_worker = i == sizeof senseless / sizeof *senseless;
        struct event event = {.kind = EVENT_LOST};
        if (!is_worker)
            event = senseless[i];
        struct test_file test;
        struct history_writer writer;
        test_file_begin(&test, 100);
        history_writer_start(&writer, &test.file, 1, is_worker ? 60000 : 1);
        event.at_ns = event.at_ns == 0 ? 5 : event.at_ns;
        history_append(&writer, event);
        history_file_close(&test.file);
        struct history history = test_file_load(&test);
        assert_int_equal(history.count, 0);
        assert_int_equal(history.condition.state, HISTORY_DAMAGED);
        history_free(&history);
        unlink(test.path);
    }
}

TEST(a_file_that_was_full_does_not_count_as_whole)
{
    struct test_file test;
    struct history_writer writer;
    test_file_begin(&test, 10);
    history_writer_start(&writer, &test.file, 1, 1);
    for (int64_t i = 0; i < 200; i++)
        append(&writer, i);
    history_file_close(&test.file);
    struct history history = test_file_load(&test);
    assert_int_equal(history.condition.state, HISTORY_DAMAGED);
    assert_says(&history, "was full");
    history_free(&history);
    unlink(test.path);
}

// What a cut leaves is a beginning of each worker's events, and is whole only if it has all.
static void check_cut(const struct test_file *test, size_t length)
{
    int64_t next[3] = {0};
    assert_int_equal(truncate(test->path, (off_t)length), 0);
    if (length < CHUNK) {
        struct history history;
        struct error error;
        assert_int_equal(history_load(test->path, &history, &error), -1);
        assert_non_null(strstr(error.text, "shorter than its header"));
        return;
    }
    struct history history = test_file_load(test);
    for (size_t i = 0; i < history.count; i++) {
        const struct event *event = &history.events[i];
        if (event->kind == EVENT_READ_RETURN)
            assert_int_equal(event->args[0], next[event->client]++);
    }
    bool whole = next[1] == EACH && next[2] == EACH;
    assert_int_equal(history.condition.state, whole ? HISTORY_WHOLE : HISTORY_DAMAGED);
    history_free(&history);
}

TEST(a_file_cut_at_any_byte_is_read_as_far_as_it_goes)
{
    struct test_file test;
    write_sample(&test);
    history_file_close(&test.file);
    for (size_t length = 10 * CHUNK + 1; length-- > 0;)
        check_cut(&test, length);
    unlink(test.path);
}

// Flips bits; a history that claims to be whole afterwards must be what it was.
TEST(no_flipped_bit_goes_unnoticed)
{
    struct test_file test;
    struct random random;
    write_sample(&test);
    struct text bytes = test_file_bytes(&test);
    struct history good = {0};
    test_file_put(&test, bytes.bytes, bytes.length);
    good = test_file_load(&test);
    random_start(&random, 4, 7);
    size_t noticed = 0;
    int descriptor = open(test.path, O_RDWR);
    for (int i = 0; i < 20000; i++) {
        size_t bit = (size_t)random_below(&random, bytes.length * 8);
        char byte = (char)(bytes.bytes[bit / 8] ^ 1 << bit % 8);
        struct history history;
        struct error error;
        assert_int_equal(pwrite(descriptor, &byte, 1, (off_t)(bit / 8)), 1);
        bool loaded = history_load(test.path, &history, &error) == 0;
        noticed += !loaded || history.condition.state != HISTORY_WHOLE;
        if (loaded && history.condition.state == HISTORY_WHOLE) {
            assert_int_equal(history.count, good.count);
            assert_memory_equal(history.events, good.events, good.count * sizeof *good.events);
        }
        history_free(&history);
        assert_int_equal(pwrite(descriptor, &bytes.bytes[bit / 8], 1, (off_t)(bit / 8)), 1);
    }
    close(descriptor);
    assert_true(noticed > 10000);
    history_free(&good);
    text_free(&bytes);
    unlink(test.path);
}
