// Damage to a history file is noticed, told with its place, and costs no more than what it hit.
#include "harness/history/file.h"
#include "harness/history/test_file.h"
#include "harness/testing/test.h"

#include "harness/base/random.h"
#include "harness/history/follower.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>

#define CHUNK HISTORY_CHUNK_BYTES
#define EACH (3 * HISTORY_EVENTS_PER_CHUNK + 7)

static struct test_file test;
static struct text bytes;

static void append(struct history_writer *writer, int64_t number)
{
    history_append(writer, (struct event){.at_ns = number + 1,
                                          .kind = EVENT_READ_RETURN,
                                          .args = {number, 0, number}});
}

// The harness's own writer has one chunk, 1; those of client-1's and client-2's only worker have
// four each: 2, 4, 6, 8 and 3, 5, 7, 9.
static int write_sample(void **state)
{
    struct history_writer writers[3];
    (void)state;
    test_file_begin(&test, 20 * HISTORY_EVENTS_PER_CHUNK);
    for (int i = 0; i < 3; i++)
        history_writer_start(&writers[i], &test.file, i, 1);
    history_append(&writers[0], (struct event){.at_ns = 1, .kind = EVENT_BARRIER_OPEN});
    for (int64_t i = 0; i < EACH; i++) {
        append(&writers[1], i);
        append(&writers[2], i);
    }
    return 0;
}

// The same, closed, with its bytes.
static int write_bytes(void **state)
{
    write_sample(state);
    bytes = test_file_bytes(&test);
    return 0;
}

static int remove_sample(void **state)
{
    (void)state;
    unlink(test.path);
    text_free(&bytes);
    return 0;
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
    char letters[100];
    assert_int_equal(checksum_add(0, "123456789", 9), 0xe3069283);
    assert_int_equal(checksum_add_by_table(0, "123456789", 9), 0xe3069283);
    for (size_t i = 0; i < sizeof letters; i++)
        letters[i] = (char)(i * 37);
    for (size_t length = 0; length <= sizeof letters; length++) {
        uint32_t first = checksum_add(0, letters, length / 3);
        uint32_t whole = checksum_add_by_table(0, letters, length);
        assert_int_equal(checksum_add(0, letters, length), whole);
        assert_int_equal(checksum_add(first, letters + length / 3, length - length / 3), whole);
    }
}

TEST_WITH(a_closed_history_is_whole_and_an_open_one_unfinished, write_sample, remove_sample)
{
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
}

TEST_WITH(a_history_of_an_interrupted_trial_is_unfinished, write_sample, remove_sample)
{
    struct history_writer conductor;
    history_writer_start(&conductor, &test.file, 0, 0);
    history_append(&conductor,
                   (struct event){.kind = EVENT_STOP_ASKED, .detail = STOP_INTERRUPTED});
    history_file_close(&test.file);
    AUTO(history_free) struct history history = test_file_load(&test);
    assert_int_equal(history.condition.state, HISTORY_UNFINISHED);
    assert_says(&history, "interrupted");
    assert_false(history.condition.harness_lost);
}

TEST(a_writer_killed_anywhere_leaves_an_unfinished_history_of_all_it_had_written)
{
    for (int round = 0; round < 50; round++) {
        test_file_begin(&test, 10000000);
        pid_t child = fork();
        if (child == 0) {
            struct history_writer writer;
            history_writer_start(&writer, &test.file, 1, 1);
            for (int64_t i = 0;; i++)
                append(&writer, i);
        }
        while (history_events_about(&test.file) < 500)
            sched_yield();
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        AUTO(history_free) struct history history = test_file_load(&test);
        assert_int_equal(history.condition.state, HISTORY_UNFINISHED);
        assert_true(history.count >= 400);
        for (size_t i = 0; i < history.count; i++)
            assert_int_equal(history.events[i].args[0], i);
        test_file_end(&test);
    }
}

// Loads the sample with something done to its bytes.
static struct history load_changed(size_t offset, const void *change, size_t length)
{
    AUTO_FREE char *copy = memory_new(bytes.length);
    memcpy(copy, bytes.bytes, bytes.length);
    memcpy(copy + offset, change, length);
    test_file_put(&test, copy, bytes.length);
    return test_file_load(&test);
}

TEST_WITH(a_damaged_chunk_is_passed_over_and_told_with_its_place, write_bytes, remove_sample)
{
    AUTO(history_free) struct history history = load_changed(4 * CHUNK + 1000, "?", 1);
    assert_int_equal(history.condition.state, HISTORY_DAMAGED);
    assert_says(&history, "85 of its 525 events and 1 of its 9 chunks are lost; 1 chunk cannot be "
                          "read, the first at byte 16384");
    assert_int_equal(count_of(&history, EVENT_READ_RETURN, 1), EACH - HISTORY_EVENTS_PER_CHUNK);
    assert_int_equal(count_of(&history, EVENT_READ_RETURN, 2), EACH);
    // The gap is where its events are missing, and it is known whose they were.
    assert_int_equal(count_of(&history, EVENT_GAP, 1), 1);
    assert_int_equal(count_of(&history, EVENT_GAP, 2), 0);
    assert_false(history.condition.harness_lost);
}

// So long that one thread reads it while another looks at what was read: 1,500 chunks.
TEST_WITH(damage_far_into_a_long_history_costs_no_more_than_what_it_hit, NULL, remove_sample)
{
    const int64_t count = 1500 * HISTORY_EVENTS_PER_CHUNK;
    struct history_writer writer;
    test_file_begin(&test, (size_t)count);
    history_writer_start(&writer, &test.file, 1, 1);
    for (int64_t i = 0; i < count; i++)
        append(&writer, i);
    bytes = test_file_bytes(&test);
    AUTO(history_free) struct history history = load_changed(1300 * CHUNK + 1000, "?", 1);
    assert_says(&history, "85 of its 127500 events and 1 of its 1500 chunks are lost; 1 chunk "
                          "cannot be read, the first at byte 5324800");
    assert_int_equal(count_of(&history, EVENT_READ_RETURN, 1), count - HISTORY_EVENTS_PER_CHUNK);
    assert_int_equal(count_of(&history, EVENT_GAP, 1), 1);
}

TEST_WITH(it_is_known_whether_the_harness_s_own_events_may_be_lost, write_bytes, remove_sample)
{
    struct history history = load_changed(1 * CHUNK + 20, "?", 1);
    assert_true(history.condition.harness_lost);
    history_free(&history);
    // A worker's last chunk: the harness's was not full, so that it wrote no other.
    history = load_changed(9 * CHUNK + 20, "?", 1);
    assert_int_equal(history.condition.state, HISTORY_DAMAGED);
    assert_false(history.condition.harness_lost);
    history_free(&history);
}

TEST_WITH(a_page_of_zeros_or_of_another_place_is_noticed, write_bytes, remove_sample)
{
    static const char zeros[CHUNK];
    struct history history = load_changed(6 * CHUNK, zeros, CHUNK);
    assert_says(&history, "85 of its 525 events and 1 of its 9 chunks are lost");
    assert_int_equal(count_of(&history, EVENT_GAP, 1), 1);
    history_free(&history);
    history = load_changed(6 * CHUNK, bytes.bytes + 4 * CHUNK, CHUNK);
    assert_says(&history, "1 chunk cannot be read, the first at byte 24576");
    history_free(&history);
}

TEST_WITH(an_older_state_of_a_chunk_is_noticed, NULL, remove_sample)
{
    struct history_writer writer;
    test_file_begin(&test, 100);
    history_writer_start(&writer, &test.file, 1, 1);
    append(&writer, 0);
    uint64_t before = atomic_load(&writer.chunk->published);
    append(&writer, 1);
    bytes = test_file_bytes(&test);
    AUTO(history_free) struct history history = load_changed(CHUNK, &before, sizeof before);
    assert_int_equal(history.count, 1);
    assert_int_equal(history.condition.state, HISTORY_DAMAGED);
    assert_says(&history, "1 of its 2 events and 0 of its 1 chunks are lost");
}

// An operation has a time or none, a load has numbers to reckon with, and there are not that many
// locks.
TEST(events_that_make_no_sense_are_damage_however_right_their_checksum)
{
    static const struct {
        bool makes_sense;
        int client, worker;
        struct event event;
    } cases[] = {
        {false, 1, 1, {.kind = EVENT_NONE}},
        {false, 1, 1, {.kind = EVENT_GAP}},
        {false, 1, 1, {.kind = EVENT_KIND_COUNT}},
        {true, 1, 1, {.kind = EVENT_LOST}},
        {false, 1, 60000, {.kind = EVENT_LOST}},
        {false, 1, 1, {.kind = EVENT_LOST, .outcome = 4}},
        {false, 1, 1, {.kind = EVENT_LOST, .detail = 200}},
        {false, 1, 1, {.kind = EVENT_LOST, .at_ns = INT64_MAX}},
        {false, 1, 1, {.kind = EVENT_LOST, .at_ns = INT64_MIN}},
        {false, 1, 1, {.kind = EVENT_ACQUIRE_INVOKE, .detail = 2}},
        {true, 1, 1, {.kind = EVENT_ACQUIRE_INVOKE, .args = {1, TIME_NEVER}}},
        {true, 1, 1, {.kind = EVENT_ACQUIRE_INVOKE, .args = {1, TIME_NEVER, NS_PER_S}}},
        {false, 1, 1, {.kind = EVENT_ACQUIRE_INVOKE, .args = {1, TIME_NEVER, TIME_NEVER}}},
        {true, 1, 1, {.kind = EVENT_ACQUIRE_INVOKE, .args = {1, 0, 0, MOST_LOCKS}}},
        {false, 1, 1, {.kind = EVENT_ACQUIRE_INVOKE, .args = {1, 0, 0, MOST_LOCKS + 1}}},
        {false, 1, 1, {.kind = EVENT_ACQUIRE_INVOKE, .args = {1, 0, 0, -1}}},
        {false, 1, 1, {.kind = EVENT_ACQUIRE_RETURN, .args = {1, 1, INT64_MIN}}},
        {false, 1, 1, {.kind = EVENT_RELEASE_RETURN, .detail = 5}},
        {false, 1, 1, {.kind = EVENT_USAGE, .detail = 4}},
        {false, 1, 1, {.kind = EVENT_USAGE, .args = {1, 2, INT64_MAX}}},
        {false, 1, 1, {.kind = EVENT_USAGE, .args = {1, 2, 3, INT64_MAX}}},
        {false, 0, 0, {.kind = EVENT_STOP_ASKED, .detail = 6}},
        {true, 0, 0, {.kind = EVENT_STOP_ASKED, .args = {5000}}},
        {false, 0, 0, {.kind = EVENT_STOP_ASKED, .args = {TIME_NEVER}}},
        {false, 0, 0, {.kind = EVENT_STALL, .args = {INT64_MAX}}},
        {false, 0, 0, {.kind = EVENT_STORE_FINAL, .args = {INT64_MIN}}},
        {true, 0, 0, {.kind = EVENT_STORE_FINAL, .args = {100, MOST_LOCKS}}},
        {false, 0, 0, {.kind = EVENT_STORE_INITIAL, .args = {100, MOST_LOCKS + 1}}},
        {true, 0, 0, {.kind = EVENT_LOAD, .args = {1, 4, 500000, 1}}},
        {false, 0, 0, {.kind = EVENT_LOAD, .args = {1, 4, TIME_NEVER, 1}}},
        {false, 0, 0, {.kind = EVENT_LOAD, .args = {1, INT64_MIN, 0, 1}}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct history_writer writer;
        struct event event = cases[i].event;
        event.at_ns = event.at_ns == 0 ? NS_PER_S : event.at_ns;
        test_file_begin(&test, 100);
        history_writer_start(&writer, &test.file, cases[i].client, cases[i].worker);
        history_append(&writer, event);
        history_file_close(&test.file);
        AUTO(history_free) struct history history = test_file_load(&test);
        if (history.count != cases[i].makes_sense ||
            (history.condition.state == HISTORY_DAMAGED) == cases[i].makes_sense)
            fail_msg("case %zu, of %s", i, event_kind_name(event.kind));
        unlink(test.path);
    }
}

TEST_WITH(a_file_that_was_full_keeps_what_it_has_and_does_not_count_as_whole, NULL, remove_sample)
{
    struct history_writer writer;
    test_file_begin(&test, 10);
    history_writer_start(&writer, &test.file, 1, 1);
    assert_false(history_file_overflowed(&test.file));
    for (int64_t i = 0; i < 200; i++)
        append(&writer, i);
    assert_true(history_file_overflowed(&test.file));
    history_file_close(&test.file);
    AUTO(history_free) struct history history = test_file_load(&test);
    assert_int_equal(history.count, HISTORY_EVENTS_PER_CHUNK);
    assert_int_equal(history.condition.state, HISTORY_DAMAGED);
    assert_says(&history, "was full");
}

// What a cut leaves is a beginning of each worker's events, and is whole only if it has all.
static void check_cut(size_t length)
{
    int64_t next[3] = {0};
    assert_int_equal(truncate(test.path, (off_t)length), 0);
    if (length < CHUNK) {
        struct history history;
        struct error error;
        MUST_FAIL(-1, history_load(test.path, &history, &error), "shorter than its header");
        return;
    }
    AUTO(history_free) struct history history = test_file_load(&test);
    for (size_t i = 0; i < history.count; i++) {
        const struct event *event = &history.events[i];
        if (event->kind == EVENT_READ_RETURN)
            assert_int_equal(event->args[0], next[event->client]++);
    }
    bool whole = next[1] == EACH && next[2] == EACH;
    assert_int_equal(history.condition.state, whole ? HISTORY_WHOLE : HISTORY_DAMAGED);
}

TEST_WITH(a_file_cut_at_any_byte_is_read_as_far_as_it_goes, write_bytes, remove_sample)
{
    for (size_t length = 10 * CHUNK + 1; length-- > 0;)
        check_cut(length);
}

// Flips bits; a history that claims to be whole afterwards must be what it was.
TEST_WITH(no_flipped_bit_goes_unnoticed, write_bytes, remove_sample)
{
    struct random random;
    AUTO(history_free) struct history good = {0};
    test_file_put(&test, bytes.bytes, bytes.length);
    good = test_file_load(&test);
    random_start(&random, 4, 7);
    size_t noticed = 0;
    int descriptor = open(test.path, O_RDWR);
    for (int i = 0; i < 20000; i++) {
        size_t bit = (size_t)random_below(&random, bytes.length * 8);
        char byte = (char)(bytes.bytes[bit / 8] ^ 1 << bit % 8);
        AUTO(history_free) struct history history;
        struct error error;
        assert_int_equal(pwrite(descriptor, &byte, 1, (off_t)(bit / 8)), 1);
        bool loaded = history_load(test.path, &history, &error) == 0;
        noticed += !loaded || history.condition.state != HISTORY_WHOLE;
        if (loaded && history.condition.state == HISTORY_WHOLE) {
            assert_int_equal(history.count, good.count);
            assert_memory_equal(history.events, good.events, good.count * sizeof *good.events);
        }
        assert_int_equal(pwrite(descriptor, &bytes.bytes[bit / 8], 1, (off_t)(bit / 8)), 1);
    }
    close(descriptor);
    assert_true(noticed > 10000);
}
