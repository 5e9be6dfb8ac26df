#include "harness/base/clock.h"

#include "harness/base/clock_shift.h"
#include "harness/testing/test.h"

#include <signal.h>
#include <sys/time.h>
#include <time.h>

TEST(monotonic_time_never_goes_back)
{
    int64_t before_ns = clock_monotonic_ns();
    for (int i = 0; i < 1000; i++) {
        int64_t now_ns = clock_monotonic_ns();
        assert_true(now_ns >= before_ns);
        before_ns = now_ns;
    }
}

TEST(real_time_counts_from_1970)
{
    int64_t seconds = time(NULL);
    assert_true(clock_realtime_ns() >= seconds * NS_PER_S);
    assert_true(clock_realtime_ns() / NS_PER_S <= time(NULL) + 1);
}

TEST(a_sleep_does_not_end_early)
{
    int64_t until_ns = clock_monotonic_ns() + 3 * NS_PER_MS;
    clock_sleep_until_ns(until_ns);
    assert_true(clock_monotonic_ns() >= until_ns);

    struct clock clock = {0};
    int64_t before_ns = clock_monotonic_ns();
    clock_sleep_ns(&clock, 3 * NS_PER_MS);
    assert_true(clock_monotonic_ns() - before_ns >= 3 * NS_PER_MS);
}

TEST(a_time_that_has_passed_needs_no_sleep)
{
    struct clock clock = {0};
    clock_sleep_until_ns(0);
    clock_sleep_until_ns(-1);
    clock_sleep_ns(&clock, 0);
    clock_sleep_ns(&clock, -NS_PER_S);
}

static volatile sig_atomic_t interrupted;

static void note_signal(int number)
{
    (void)number;
    interrupted = 1;
}

TEST(signals_do_not_shorten_a_sleep)
{
    struct sigaction noting = {.sa_handler = note_signal}, before;
    assert_int_equal(sigaction(SIGALRM, &noting, &before), 0);
    const struct itimerval often = {{0, 1000}, {0, 1000}}, off = {0};
    setitimer(ITIMER_REAL, &often, NULL);
    int64_t until_ns = clock_monotonic_ns() + 20 * NS_PER_MS;
    clock_sleep_until_ns(until_ns);
    int64_t now_ns = clock_monotonic_ns();
    setitimer(ITIMER_REAL, &off, NULL);
    sigaction(SIGALRM, &before, NULL);
    assert_true(interrupted);
    assert_true(now_ns >= until_ns);
}

#define HOUR_NS (3600 * NS_PER_S)

TEST(a_jump_moves_the_clock_of_one_client_only)
{
    struct clock_shift shift = {0};
    const struct clock right = {0}, ahead = {.shift = &shift};
    clock_shift_set(&shift, SHIFTED_MONOTONIC, clock_monotonic_ns(), HOUR_NS, CLOCK_RATE_NORMAL);
    clock_shift_set(&shift, SHIFTED_REALTIME, clock_realtime_ns(), -HOUR_NS, CLOCK_RATE_NORMAL);
    int64_t before_ns = clock_now_ns(&right), wall_before_ns = clock_wall_ns(&right);
    int64_t shifted_ns = clock_now_ns(&ahead), wall_shifted_ns = clock_wall_ns(&ahead);
    int64_t after_ns = clock_now_ns(&right), wall_after_ns = clock_wall_ns(&right);
    assert_true(before_ns + HOUR_NS <= shifted_ns && shifted_ns <= after_ns + HOUR_NS);
    assert_true(wall_before_ns - HOUR_NS <= wall_shifted_ns);
    assert_true(wall_shifted_ns <= wall_after_ns - HOUR_NS);
    assert_true(clock_machine_ns(&ahead, shifted_ns) == shifted_ns - HOUR_NS);
    assert_true(clock_machine_ns(&right, before_ns) == before_ns);
    assert_true(clock_machine_ns(&ahead, TIME_NEVER) == TIME_NEVER);
}

TEST(a_sleep_takes_as_long_on_a_clock_that_goes_wrong)
{
    struct clock_shift shift = {0};
    const struct clock frozen = {.shift = &shift};
    clock_shift_set(&shift, SHIFTED_MONOTONIC, clock_monotonic_ns(), HOUR_NS, 0);
    int64_t shown_ns = clock_now_ns(&frozen);
    int64_t before_ns = clock_monotonic_ns();
    clock_sleep_ns(&frozen, 3 * NS_PER_MS);
    assert_true(clock_monotonic_ns() - before_ns >= 3 * NS_PER_MS);
    assert_true(clock_now_ns(&frozen) == shown_ns);
}

TEST(who_waits_for_a_clock_that_goes_wrong_looks_at_it_again_soon)
{
    struct clock_shift shift = {0};
    const struct clock clock = {.shift = &shift};
    int64_t late_ns = clock_monotonic_ns() + HOUR_NS;
    assert_true(clock_look_again_ns(&clock, late_ns) == late_ns);
    assert_true(clock_look_again_ns(&clock, TIME_NEVER) == TIME_NEVER);
    clock_shift_set(&shift, SHIFTED_MONOTONIC, clock_monotonic_ns(), 0, 0);
    assert_true(clock_look_again_ns(&clock, late_ns) <= clock_monotonic_ns() + NS_PER_S);
    clock_shift_set(&shift, SHIFTED_MONOTONIC, clock_monotonic_ns(), 2 * HOUR_NS, 0);
    assert_true(clock_look_again_ns(&clock, late_ns) <= clock_monotonic_ns());
}
