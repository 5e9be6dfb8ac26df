#include "harness/base/clock.h"

#include <signal.h>
#include <sys/time.h>
#include <time.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void monotonic_time_never_goes_back(void **state)
{
    (void)state;
    int64_t before_ns = clock_monotonic_ns();
    for (int i = 0; i < 1000; i++) {
        int64_t now_ns = clock_monotonic_ns();
        assert_true(now_ns >= before_ns);
        before_ns = now_ns;
    }
}

static void real_time_counts_from_1970(void **state)
{
    (void)state;
    int64_t seconds = time(NULL);
    assert_true(clock_realtime_ns() >= seconds * NS_PER_S);
    assert_true(clock_realtime_ns() / NS_PER_S <= time(NULL) + 1);
}

static void a_sleep_does_not_end_early(void **state)
{
    (void)state;
    int64_t until_ns = clock_monotonic_ns() + 3 * NS_PER_MS;
    clock_sleep_until_ns(until_ns);
    assert_true(clock_monotonic_ns() >= until_ns);

    struct clock clock = {0};
    int64_t before_ns = clock_monotonic_ns();
    clock_sleep_ns(&clock, 3 * NS_PER_MS);
    assert_true(clock_monotonic_ns() - before_ns >= 3 * NS_PER_MS);
}

static void a_time_that_has_passed_needs_no_sleep(void **state)
{
    (void)state;
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

static void signals_do_not_shorten_a_sleep(void **state)
{
    (void)state;
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

static void an_offset_moves_the_clock_of_one_client_only(void **state)
{
    (void)state;
    const struct clock right = {0}, ahead = {.offset_ns = 3600 * NS_PER_S};
    int64_t before_ns = clock_now_ns(&right);
    int64_t shifted_ns = clock_now_ns(&ahead);
    int64_t after_ns = clock_now_ns(&right);
    assert_true(shifted_ns >= before_ns + 3600 * NS_PER_S);
    assert_true(shifted_ns <= after_ns + 3600 * NS_PER_S);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(monotonic_time_never_goes_back),
        cmocka_unit_test(real_time_counts_from_1970),
        cmocka_unit_test(a_sleep_does_not_end_early),
        cmocka_unit_test(a_time_that_has_passed_needs_no_sleep),
        cmocka_unit_test(signals_do_not_shorten_a_sleep),
        cmocka_unit_test(an_offset_moves_the_clock_of_one_client_only),
    };
    return cmocka_run_group_tests_name("clock", tests, NULL, NULL);
}
