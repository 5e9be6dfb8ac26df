#include "harness/base/clock.h"

#include <errno.h>
#include <time.h>

static int64_t read_clock(clockid_t id)
{
    struct timespec now;
    clock_gettime(id, &now);
    return (int64_t)now.tv_sec * NS_PER_S + now.tv_nsec;
}

int64_t clock_monotonic_ns(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

int64_t clock_realtime_ns(void)
{
    return read_clock(CLOCK_REALTIME);
}

void clock_sleep_until_ns(int64_t until_ns)
{
    struct timespec until = {.tv_sec = (time_t)(until_ns / NS_PER_S),
                             .tv_nsec = (long)(until_ns % NS_PER_S)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
        continue;
}

int64_t clock_now_ns(const struct clock *clock)
{
    return clock_monotonic_ns() + clock->offset_ns;
}

void clock_sleep_ns(const struct clock *clock, int64_t duration_ns)
{
    (void)clock; // an offset moves the clock, not its rate
    if (duration_ns <= 0)
        return;
    int64_t now_ns = clock_monotonic_ns();
    clock_sleep_until_ns(duration_ns > TIME_NEVER - now_ns ? TIME_NEVER : now_ns + duration_ns);
}
