#include "harness/base/clock.h"

#include "harness/base/clock_shift.h"

#include <errno.h>
#include <time.h>

#define LOOK_AGAIN_NS (20 * NS_PER_MS)

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
    return clock_shift_read(clock->shift, SHIFTED_MONOTONIC, clock_monotonic_ns());
}

int64_t clock_wall_ns(const struct clock *clock)
{
    return clock_shift_read(clock->shift, SHIFTED_REALTIME, clock_realtime_ns());
}

int64_t clock_machine_ns(const struct clock *clock, int64_t shown_ns)
{
    return clock_shift_when(clock->shift, SHIFTED_MONOTONIC, shown_ns);
}

int64_t clock_look_again_ns(const struct clock *clock, int64_t until_ns)
{
    int64_t at_ns = clock_machine_ns(clock, until_ns);
    if (!clock_shift_is_set(clock->shift, SHIFTED_MONOTONIC))
        return at_ns;
    int64_t soon_ns = clock_monotonic_ns() + LOOK_AGAIN_NS;
    return time_earlier(at_ns, soon_ns);
}

void clock_sleep_ns(const struct clock *clock, int64_t duration_ns)
{
    (void)clock; // see the header
    if (duration_ns <= 0)
        return;
    int64_t now_ns = clock_monotonic_ns();
    clock_sleep_until_ns(duration_ns > TIME_NEVER - now_ns ? TIME_NEVER : now_ns + duration_ns);
}
