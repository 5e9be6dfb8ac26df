#include "harness/base/clock.h"

#include "harness/base/clock_shift.h"
#include "harness/base/file.h"
#include "harness/base/scope.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define LOOK_AGAIN_NS (20 * NS_PER_MS)

static int64_t read_clock(clockid_t id)
{
    struct timespec now;
    clock_gettime(id, &now);
    return (int64_t)now.tv_sec * NS_PER_S + now.tv_nsec;
}

// Of the whole process, as the machine's clock is: by clock_follow alone.
static const struct clock_shift *followed;

void clock_follow(const struct clock_shift *shift)
{
    followed = shift;
}

int64_t clock_monotonic_ns(void)
{
    return clock_shift_read(followed, SHIFTED_MONOTONIC, read_clock(CLOCK_MONOTONIC));
}

int64_t clock_of_machine_ns(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

int64_t clock_realtime_ns(void)
{
    return clock_shift_read(followed, SHIFTED_REALTIME, read_clock(CLOCK_REALTIME));
}

void clock_freeze(struct clock_shift *shift, int64_t zero_unix_ns, int64_t shown_ns)
{
    const int64_t wanted_ns[SHIFTED_CLOCKS] = {
        [SHIFTED_REALTIME] = zero_unix_ns + shown_ns, [SHIFTED_MONOTONIC] = shown_ns};
    const clockid_t ids[SHIFTED_CLOCKS] = {
        [SHIFTED_REALTIME] = CLOCK_REALTIME, [SHIFTED_MONOTONIC] = CLOCK_MONOTONIC};
    for (enum shifted_clock which = 0; which < SHIFTED_CLOCKS; which++) {
        int64_t machine_ns = read_clock(ids[which]);
        int64_t seen_ns = clock_shift_read(shift, which, machine_ns);
        clock_shift_set(shift, which, machine_ns, wanted_ns[which] - seen_ns, 0);
    }
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

// Leaves word that it was read: schedules ask for that.
int64_t clock_wall_ns(const struct clock *clock)
{
    int64_t machine_ns = clock_realtime_ns();
    return clock->shift != NULL ? clock_shift_show(clock->shift, SHIFTED_REALTIME, machine_ns)
                                : machine_ns;
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
    if (duration_ns <= 0)
        return;
    if (clock->sleeper != NULL) {
        clock->sleeper->sleep(clock->sleeper, duration_ns);
        return;
    }
    int64_t now_ns = clock_monotonic_ns();
    clock_sleep_until_ns(duration_ns > TIME_NEVER - now_ns ? TIME_NEVER : now_ns + duration_ns);
}

// --- a shift in a file, for a server that is started with the preload ---------------------------

struct clock_shift *clock_shift_create(const char *path, struct error *error)
{
    return file_share(path, sizeof(struct clock_shift), "by which a server's clock is set", error);
}

void clock_shift_close(struct clock_shift *shift)
{
    if (shift != NULL)
        munmap(shift, sizeof *shift);
}

char *preload_path(const char *name, const char *variable, struct error *error)
{
    const char *given = getenv(variable);
    if (given != NULL && given[0] != '\0') {
        char *path = realpath(given, NULL);
        if (path == NULL)
            error_set(error, "cannot find %s, which $%s names: %s", given, variable,
                      strerror(errno));
        return path;
    }
    AUTO_FREE char *installed = path_join("lib/lockpick", name);
    const char *const names[] = {name, installed, NULL};
    char *found = file_of_program(names);
    if (found == NULL)
        error_set(
            error,
            "found no %s beside this program, which servers need for their clocks to be set, "
            "and on loopback ports to keep other users out, and programs to be explored: "
            "`make` builds it, `make install` puts it into lib/lockpick; $%s may say where it is",
            name, variable);
    return found;
}

char *clock_preload_path(struct error *error)
{
    return preload_path("lockpick-clock.so", "LOCKPICK_CLOCK_PRELOAD", error);
}
