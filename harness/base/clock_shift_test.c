#include "harness/base/clock_shift.h"

#include "harness/base/clock.h"
#include "harness/base/file.h"
#include "harness/base/test_folder.h"
#include "harness/testing/test.h"

#include <pthread.h>
#include <unistd.h>

#define HOUR_NS (3600 * NS_PER_S)
#define START_NS (HOUR_NS + 7)

static int64_t read_at(const struct clock_shift *shift, int64_t machine_ns)
{
    return clock_shift_read(shift, SHIFTED_MONOTONIC, machine_ns);
}

static int64_t when(const struct clock_shift *shift, int64_t shown_ns)
{
    return clock_shift_when(shift, SHIFTED_MONOTONIC, shown_ns);
}

static void set(struct clock_shift *shift, int64_t machine_ns, int64_t by_ns, int64_t rate)
{
    clock_shift_set(shift, SHIFTED_MONOTONIC, machine_ns, by_ns, rate);
}

TEST(zeroed_memory_and_none_at_all_are_clocks_that_are_right)
{
    const struct clock_shift right = {0};
    const struct clock_shift *both[] = {&right, NULL};
    for (int i = 0; i < 2; i++) {
        assert_false(clock_shift_is_set(both[i], SHIFTED_REALTIME));
        assert_true(read_at(both[i], START_NS) == START_NS);
        assert_true(when(both[i], START_NS) == START_NS);
        assert_true(when(both[i], TIME_NEVER) == TIME_NEVER);
    }
}

TEST(a_jump_moves_all_later_readings_of_one_clock)
{
    struct clock_shift shift = {0};
    set(&shift, START_NS, 60 * NS_PER_S, CLOCK_RATE_NORMAL);
    assert_true(clock_shift_is_set(&shift, SHIFTED_MONOTONIC));
    assert_false(clock_shift_is_set(&shift, SHIFTED_REALTIME));
    for (int64_t at_ns = START_NS; at_ns < START_NS + HOUR_NS; at_ns += 7 * NS_PER_S + 1) {
        assert_true(read_at(&shift, at_ns) == at_ns + 60 * NS_PER_S);
        assert_true(when(&shift, at_ns + 60 * NS_PER_S) == at_ns);
        assert_true(clock_shift_read(&shift, SHIFTED_REALTIME, at_ns) == at_ns);
    }
}

TEST(jumps_add_up_and_may_go_back_before_the_start)
{
    struct clock_shift shift = {0};
    set(&shift, START_NS, -2 * HOUR_NS, CLOCK_RATE_NORMAL);
    assert_true(read_at(&shift, START_NS) == 7 - HOUR_NS);
    set(&shift, START_NS + 5, HOUR_NS, CLOCK_RATE_NORMAL);
    assert_true(read_at(&shift, START_NS + 5) == 12);
    assert_true(when(&shift, 12) == START_NS + 5);
}

// For days, at any rate; it goes on from what it showed.
TEST(a_drift_goes_on_from_what_was_shown)
{
    static const int64_t rates[] = {1, 3, 500000, 999999, 1000001, 10 * CLOCK_RATE_NORMAL};
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        struct clock_shift shift = {0};
        set(&shift, START_NS, HOUR_NS, CLOCK_RATE_NORMAL);
        set(&shift, START_NS + 1, 0, rates[i]);
        int64_t from_ns = START_NS + 1;
        int64_t shown_ns = from_ns + HOUR_NS;
        assert_true(read_at(&shift, from_ns) == shown_ns);
        assert_true(read_at(&shift, from_ns + NS_PER_S) == shown_ns + 1000 * rates[i]);
        assert_true(read_at(&shift, from_ns + 100 * HOUR_NS) == shown_ns + 360000000 * rates[i]);
        for (int64_t later_ns = 0; later_ns < NS_PER_S; later_ns += 123456789) {
            int64_t when_ns = when(&shift, shown_ns + later_ns);
            assert_true(read_at(&shift, when_ns) >= shown_ns + later_ns);
            assert_true(later_ns == 0 || read_at(&shift, when_ns - 1) < shown_ns + later_ns);
        }
    }
}

TEST(a_frozen_clock_shows_the_same_for_ever)
{
    struct clock_shift shift = {0};
    set(&shift, START_NS, 5, 0);
    assert_true(read_at(&shift, START_NS) == START_NS + 5);
    assert_true(read_at(&shift, START_NS + 1000 * HOUR_NS) == START_NS + 5);
    assert_true(when(&shift, START_NS + 6) == TIME_NEVER);
    assert_true(when(&shift, START_NS + 5) == START_NS);
    assert_true(when(&shift, -HOUR_NS) == START_NS);
    assert_true(when(&shift, TIME_NEVER) == TIME_NEVER);
}

TEST(what_is_beyond_all_time_is_never)
{
    struct clock_shift shift = {0};
    set(&shift, START_NS, -HOUR_NS, 1);
    assert_true(when(&shift, TIME_NEVER - 1) == TIME_NEVER);
    set(&shift, START_NS, -2 * START_NS, CLOCK_RATE_NORMAL);
    assert_true(when(&shift, TIME_NEVER - 1) == TIME_NEVER);
    assert_true(when(&shift, INT64_MIN) <= START_NS);
}

TEST(a_clock_that_is_cleared_is_right_again)
{
    struct clock_shift shift = {0};
    set(&shift, START_NS, HOUR_NS, 0);
    clock_shift_clear(&shift, SHIFTED_MONOTONIC);
    assert_true(read_at(&shift, START_NS + 1) == START_NS + 1);
    assert_true(when(&shift, START_NS + 1) == START_NS + 1);
    set(&shift, START_NS + 2, 1, CLOCK_RATE_NORMAL);
    assert_true(read_at(&shift, START_NS + 2) == START_NS + 3);
}

// --- read while it is set ------------------------------------------------------------------------

struct watched {
    struct clock_shift shift;
    atomic_bool is_over;
    atomic_long readings;
    atomic_long torn;
};

// The same line, written down from ever other places on it: a mixture of two would be hours off.
static void *read_on(void *context)
{
    struct watched *watched = context;
    while (!atomic_load(&watched->is_over)) {
        if (read_at(&watched->shift, START_NS) != START_NS + 1)
            atomic_fetch_add(&watched->torn, 1);
        atomic_fetch_add(&watched->readings, 1);
    }
    return NULL;
}

TEST(who_reads_while_it_is_set_sees_the_old_or_the_new)
{
    struct watched watched = {0};
    pthread_t readers[2];
    set(&watched.shift, START_NS, 1, CLOCK_RATE_NORMAL);
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&readers[i], NULL, read_on, &watched), 0);
    int64_t limit_ns = clock_monotonic_ns() + 20 * NS_PER_S;
    for (int i = 0;
         i < 200000 || (atomic_load(&watched.readings) < 20000 && clock_monotonic_ns() < limit_ns);
         i++)
        set(&watched.shift, START_NS + i % 7 * HOUR_NS, 0, CLOCK_RATE_NORMAL);
    atomic_store(&watched.is_over, true);
    for (int i = 0; i < 2; i++)
        pthread_join(readers[i], NULL);
    assert_true(atomic_load(&watched.readings) >= 20000);
    assert_int_equal(atomic_load(&watched.torn), 0);
}

// --- in a file -----------------------------------------------------------------------------------

TEST(a_shift_in_a_file_is_shared_and_begins_right)
{
    struct error error = {0};
    char folder[] = "/tmp/lockpick-clock-XXXXXX";
    assert_int_equal(test_folder_make(folder), 0);
    AUTO_FREE char *path = path_join(folder, "clock");
    assert_int_equal(file_write(path, "something old", 13, NULL), 0);
    struct clock_shift *shift = clock_shift_create(path, &error);
    assert_non_null(shift);
    assert_false(clock_shift_is_set(shift, SHIFTED_MONOTONIC));
    set(shift, START_NS, HOUR_NS, CLOCK_RATE_NORMAL);
    AUTO_TEXT struct text file = {0};
    struct clock_shift read_back;
    assert_int_equal(file_read(path, &file, NULL), 0);
    assert_int_equal(file.length, sizeof read_back);
    memcpy(&read_back, file.bytes, sizeof read_back);
    assert_true(read_at(&read_back, START_NS) == START_NS + HOUR_NS);
    clock_shift_close(shift);
    clock_shift_close(NULL);
    assert_int_equal(test_folder_remove(folder), 0);
    MUST_FAIL(NULL, clock_shift_create("/no/such/folder/clock", &error), "/no/such/folder/clock");
}

TEST(the_preload_is_found_where_the_environment_says_or_above_this_program)
{
    struct error error = {0};
    assert_int_equal(unsetenv("LOCKPICK_CLOCK_PRELOAD"), 0);
    AUTO_FREE char *path = clock_preload_path(&error);
    if (path == NULL)
        fail_msg("%s", error.text);
    assert_string_equal(strrchr(path, '/'), "/lockpick-clock.so");
    assert_int_equal(access(path, R_OK), 0);
    assert_int_equal(setenv("LOCKPICK_CLOCK_PRELOAD", "/proc/self/exe", 1), 0);
    AUTO_FREE char *elsewhere = clock_preload_path(&error);
    assert_string_equal(strrchr(elsewhere, '/'), "/tests");
    assert_int_equal(setenv("LOCKPICK_CLOCK_PRELOAD", "/no/such.so", 1), 0);
    MUST_FAIL(NULL, clock_preload_path(&error), "/no/such.so");
    assert_int_equal(unsetenv("LOCKPICK_CLOCK_PRELOAD"), 0);
}

TEST(the_last_setting_counts_as_seen_once_the_time_was_shown_by_it)
{
    struct clock_shift shift = {0};
    assert_true(clock_shift_was_shown(&shift, SHIFTED_MONOTONIC)); // nothing was set
    set(&shift, START_NS, HOUR_NS, CLOCK_RATE_NORMAL);
    assert_false(clock_shift_was_shown(&shift, SHIFTED_MONOTONIC));
    assert_true(read_at(&shift, START_NS) == START_NS + HOUR_NS); // leaves no word
    assert_false(clock_shift_was_shown(&shift, SHIFTED_MONOTONIC));
    clock_shift_show(&shift, SHIFTED_REALTIME, START_NS);
    assert_false(clock_shift_was_shown(&shift, SHIFTED_MONOTONIC));
    assert_true(clock_shift_show(&shift, SHIFTED_MONOTONIC, START_NS) == START_NS + HOUR_NS);
    assert_true(clock_shift_was_shown(&shift, SHIFTED_MONOTONIC));
    clock_shift_clear(&shift, SHIFTED_MONOTONIC);
    assert_false(clock_shift_was_shown(&shift, SHIFTED_MONOTONIC));
    assert_true(clock_shift_show(&shift, SHIFTED_MONOTONIC, START_NS) == START_NS);
    assert_true(clock_shift_was_shown(&shift, SHIFTED_MONOTONIC));
}
