// Time, in one place, so that a client's clock can be skewed and a schedule replayed.
#ifndef LOCKPICK_BASE_CLOCK_H
#define LOCKPICK_BASE_CLOCK_H

#include <stdint.h>

#define NS_PER_US INT64_C(1000)
#define NS_PER_MS INT64_C(1000000)
#define NS_PER_S INT64_C(1000000000)
// "No such time": a lock that never expires, a deadline that never comes.
#define TIME_NEVER INT64_MAX

// CLOCK_MONOTONIC in nanoseconds: the one clock of the history.
int64_t clock_monotonic_ns(void);

// CLOCK_REALTIME in nanoseconds since 1970, for file names and reports.
int64_t clock_realtime_ns(void);

// Sleeps until CLOCK_MONOTONIC reaches `until_ns`, however often signals interrupt.
void clock_sleep_until_ns(int64_t until_ns);

// The clock that one client believes in. Schemes read time through it and nowhere else.
struct clock {
    int64_t offset_ns; // added to CLOCK_MONOTONIC
};

int64_t clock_now_ns(const struct clock *clock);

// Sleeps for `duration_ns` of the client's clock.
void clock_sleep_ns(const struct clock *clock, int64_t duration_ns);

#endif
