// Time, in one place, so that a client's clock can be skewed and a schedule replayed.
#ifndef LOCKPICK_BASE_CLOCK_H
#define LOCKPICK_BASE_CLOCK_H

#include <stdint.h>

#define NS_PER_US INT64_C(1000)
#define NS_PER_MS INT64_C(1000000)
#define NS_PER_S INT64_C(1000000000)
// "No such time": a lock that never expires, a deadline that never comes.
#define TIME_NEVER INT64_MAX

// Of two times, or of two durations.
static inline int64_t time_earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t time_later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

struct clock_shift;

// CLOCK_MONOTONIC in nanoseconds: the one clock of the history.
int64_t clock_monotonic_ns(void);

// CLOCK_REALTIME in nanoseconds since 1970, for file names and reports.
int64_t clock_realtime_ns(void);

// Sleeps until CLOCK_MONOTONIC reaches `until_ns`, however often signals interrupt.
void clock_sleep_until_ns(int64_t until_ns);

// The clocks that one client believes in. Schemes read time through them and nowhere else. While
// none goes wrong, those of all clients show the same.
struct clock {
    struct clock_shift *shift; // how they go wrong; NULL: never
    struct sleeper *sleeper;   // who sleeps in the client's stead; NULL: nobody
};

// Where time passes only as somebody else says.
struct sleeper {
    void (*sleep)(struct sleeper *sleeper, int64_t duration_ns);
};

// From now on this process, with all its threads, lives by that clock instead of the machine's;
// NULL: by the machine's again.
void clock_follow(const struct clock_shift *shift);

// The machine's CLOCK_MONOTONIC, whatever clock the process follows.
int64_t clock_of_machine_ns(void);

// Stops both clocks that the shift shows, and sets the monotonic one to `shown_ns`, the other to as
// much after `zero_unix_ns`.
void clock_freeze(struct clock_shift *shift, int64_t zero_unix_ns, int64_t shown_ns);

// The client's CLOCK_MONOTONIC. A jump is seen by whoever reads next, in all threads of the client.
int64_t clock_now_ns(const struct clock *clock);

// The client's CLOCK_REALTIME.
int64_t clock_wall_ns(const struct clock *clock);

// When, on the machine's CLOCK_MONOTONIC, clock_now_ns will show (or showed) `shown_ns`, as the
// client's clock goes now; TIME_NEVER if never.
int64_t clock_machine_ns(const struct clock *clock, int64_t shown_ns);

// Until when, on the machine's CLOCK_MONOTONIC, to sleep if one waits for clock_now_ns to show
// `until_ns`, and looks at it again then. That is sooner while the clock goes wrong, as it may be
// set right meanwhile. A sleep that has begun with a right clock is not shortened by a jump.
int64_t clock_look_again_ns(const struct clock *clock, int64_t until_ns);

// Sleeps for `duration_ns` of the machine's clock, however the client's goes: a jump does not
// shorten a sleep, a drift does not stretch it.
void clock_sleep_ns(const struct clock *clock, int64_t duration_ns);

#endif
