// A shared library, lockpick-clock.so, that is loaded before all others (LD_PRELOAD) into a server
// and makes it read time through the struct clock_shift in the file that $LOCKPICK_CLOCK_SHIFT
// names. Without that variable every call goes straight to libc.
//
// Two clocks can go wrong, each by itself: CLOCK_REALTIME (with its coarse one, gettimeofday, time,
// timespec_get, ftime) and CLOCK_MONOTONIC (with its coarse and raw ones and CLOCK_BOOTTIME, which
// all follow the same line). Time that a process or thread has used is as ever.
//
// A wait for as long as something (poll, epoll_wait, nanosleep) takes as long as ever. A wait until
// a time would be until a time of the wrong clock, of which the kernel knows nothing: for condition
// variables, by which Java and MariaDB wait, the time is translated. It is not for clock_nanosleep,
// timerfd_settime and timer_settime with an absolute time, sem_timedwait, pthread_mutex_timedlock,
// pthread_rwlock_timed*lock, and mq_timed*. A program that asks the kernel itself (Go) escapes.
#include "harness/base/clock.h"
#include "harness/base/clock_shift.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))
// Who waits until a time looks at the clock now and then, as it may have been set meanwhile: each
// time that an eighth of what is left is over. So those whose time comes first mostly see a jump
// first, as they would if the kernel woke them.
#define SLICES 8
#define LEAST_SLICE_NS (2 * NS_PER_MS)
#define MOST_SLICE_NS (250 * NS_PER_MS)

typedef int clock_function(clockid_t id, struct timespec *out);
typedef int wait_function(pthread_cond_t *condition, pthread_mutex_t *mutex,
                          const struct timespec *until);
typedef int clock_wait_function(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t id,
                                const struct timespec *until);

// Set once, when the library is loaded; libraries that are loaded before it may already ask.
static struct clock_shift *shift;
static clock_function *libc_clock_gettime;
static wait_function *libc_cond_timedwait;
static clock_wait_function *libc_cond_clockwait;

// --- loading -------------------------------------------------------------------------------------

// The harness sees in `readers` that the library is at work. A child that is forked goes on with
// the same memory, a program that it executes comes here again.
static void map_shift(const char *path)
{
    struct clock_shift *mapped = MAP_FAILED;
    int descriptor = open(path, O_RDWR | O_CLOEXEC);
    if (descriptor >= 0)
        mapped = mmap(NULL, sizeof *mapped, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (mapped == MAP_FAILED)
        fprintf(stderr, "lockpick-clock.so: cannot map %s: %s; the clock stays right\n", path,
                strerror(errno));
    if (descriptor >= 0)
        close(descriptor);
    if (mapped == MAP_FAILED)
        return;
    atomic_fetch_add(&mapped->readers, 1);
    shift = mapped;
}

// dlsym gives a pointer to an object, which C does not turn into one to a function.
static void find(void *function, const char *name, const char *version)
{
    void *found = version != NULL ? dlvsym(RTLD_NEXT, name, version) : NULL;
    if (found == NULL)
        found = dlsym(RTLD_NEXT, name);
    memcpy(function, &found, sizeof found);
}

// There is an older function of that name, for condition variables of another size.
static void find_timedwait(void)
{
    find(&libc_cond_timedwait, "pthread_cond_timedwait", "GLIBC_2.3.2");
}

// Asked here, and never by a function below: whoever reads the time while libc's allocator is being
// set up would wait for himself for ever. Until then time comes from the kernel.
__attribute__((constructor)) static void load(void)
{
    const char *path = getenv(CLOCK_SHIFT_VARIABLE);
    find(&libc_clock_gettime, "clock_gettime", NULL);
    find_timedwait();
    find(&libc_cond_clockwait, "pthread_cond_clockwait", NULL);
    if (path != NULL && path[0] != '\0')
        map_shift(path);
}

// --- reading -------------------------------------------------------------------------------------

static int read_machine(clockid_t id, struct timespec *out)
{
    return libc_clock_gettime != NULL ? libc_clock_gettime(id, out)
                                      : (int)syscall(SYS_clock_gettime, id, out);
}

// Which of the two lines that clock follows. False if none.
static bool is_shifted(clockid_t id, enum shifted_clock *which)
{
    switch (id) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
        *which = SHIFTED_REALTIME;
        return shift != NULL;
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_BOOTTIME:
        *which = SHIFTED_MONOTONIC;
        return shift != NULL;
    default:
        return false;
    }
}

static int64_t nanoseconds(const struct timespec *time)
{
    return (int64_t)time->tv_sec * NS_PER_S + time->tv_nsec;
}

// Before the start of the clock, the nanoseconds count up all the same.
static struct timespec split(int64_t time_ns)
{
    int64_t rest_ns = time_ns % NS_PER_S;
    if (rest_ns < 0)
        rest_ns += NS_PER_S;
    return (struct timespec){.tv_sec = (time_t)((time_ns - rest_ns) / NS_PER_S),
                             .tv_nsec = (long)rest_ns};
}

// Of harness/wire/rest_preload.c, where that is in the library.
__attribute__((weak)) int64_t rest_creep_ns(int64_t shown_ns);

// The harness learns that a clock was asked since it was set. Not by the coarse monotonic clock:
// event libraries ask that for themselves all the time, while the server still goes by what it
// remembers (memcached looks once a second).
EXPORTED int clock_gettime(clockid_t id, struct timespec *out)
{
    enum shifted_clock which;
    int result = read_machine(id, out);
    if (result == 0 && is_shifted(id, &which))
        *out =
            split(id == CLOCK_MONOTONIC_COARSE ? clock_shift_read(shift, which, nanoseconds(out))
                                               : clock_shift_show(shift, which, nanoseconds(out)));
    if (result == 0 && id == CLOCK_REALTIME && shift != NULL && rest_creep_ns != NULL)
        *out = split(nanoseconds(out) + rest_creep_ns(nanoseconds(out)));
    return result;
}

EXPORTED int gettimeofday(struct timeval *restrict out, void *restrict zone)
{
    struct timespec now;
    if (zone != NULL)
        memset(zone, 0, sizeof(struct timezone));
    if (clock_gettime(CLOCK_REALTIME, &now) != 0)
        return -1;
    *out = (struct timeval){.tv_sec = now.tv_sec, .tv_usec = now.tv_nsec / 1000};
    return 0;
}

EXPORTED time_t time(time_t *out)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_REALTIME_COARSE, &now);
    if (out != NULL)
        *out = now.tv_sec;
    return now.tv_sec;
}

EXPORTED int timespec_get(struct timespec *out, int base)
{
    return base == TIME_UTC && clock_gettime(CLOCK_REALTIME, out) == 0 ? base : 0;
}

// As <sys/timeb.h> has it, which says that nobody should use it.
struct timeb {
    time_t time;
    unsigned short millitm;
    short timezone;
    short dstflag;
};
int ftime(struct timeb *out);

EXPORTED int ftime(struct timeb *out)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_REALTIME, &now);
    *out = (struct timeb){.time = now.tv_sec, .millitm = (unsigned short)(now.tv_nsec / NS_PER_MS)};
    return 0;
}

// --- waiting -------------------------------------------------------------------------------------

// Until when to wait, on the machine's clock, for that time to come on the shifted one, or for a
// slice of time if that is shorter.
static struct timespec until_on_machine(clockid_t id, const struct timespec *until)
{
    enum shifted_clock which;
    struct timespec now = {0};
    if (!is_shifted(id, &which) || read_machine(id, &now) != 0)
        return *until;
    int64_t now_ns = nanoseconds(&now);
    int64_t left_ns = clock_shift_when(shift, which, nanoseconds(until));
    if (left_ns != TIME_NEVER)
        left_ns -= now_ns;
    int64_t slice_ns = left_ns / SLICES;
    if (slice_ns > MOST_SLICE_NS)
        slice_ns = MOST_SLICE_NS;
    if (slice_ns < LEAST_SLICE_NS)
        slice_ns = left_ns < LEAST_SLICE_NS ? left_ns : LEAST_SLICE_NS;
    return split(slice_ns > 0 ? now_ns + slice_ns : 0);
}

// Of harness/wire/rest_preload.c, where that is in the library: so that it is seen who waits.
__attribute__((weak)) bool rest_wait_begins(clockid_t id, int64_t until_ns);
__attribute__((weak)) void rest_wait_ends(void);

// Waits by libc: by the clock `id`, which is named, or is the condition's own. The end of a slice
// is no end of the time: then the caller is woken without cause, as may happen at any time, and
// waits again. (To wait again here might miss that he was called meanwhile.)
static int wait_until(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t id,
                      bool is_named, const struct timespec *until)
{
    struct timespec now;
    struct timespec machine_until = *until;
    bool is_by_shift = shift != NULL && until->tv_nsec >= 0 && until->tv_nsec < NS_PER_S;
    if (is_by_shift)
        machine_until = until_on_machine(id, until);
    bool is_seen =
        is_by_shift && rest_wait_begins != NULL && rest_wait_begins(id, nanoseconds(until));
    int result = is_named ? libc_cond_clockwait(condition, mutex, id, &machine_until)
                          : libc_cond_timedwait(condition, mutex, &machine_until);
    if (is_by_shift && result == ETIMEDOUT && clock_gettime(id, &now) == 0 &&
        nanoseconds(&now) < nanoseconds(until))
        result = 0;
    if (is_seen)
        rest_wait_ends();
    return result;
}

EXPORTED int pthread_cond_timedwait(pthread_cond_t *restrict condition,
                                    pthread_mutex_t *restrict mutex,
                                    const struct timespec *restrict until)
{
    // By which clock those who wait for it give their times; glibc keeps that here since 2.25.
    bool is_monotonic = (condition->__data.__wrefs & 2) != 0;
    if (libc_cond_timedwait == NULL)
        find_timedwait();
    return wait_until(condition, mutex, is_monotonic ? CLOCK_MONOTONIC : CLOCK_REALTIME, false,
                      until);
}

EXPORTED int pthread_cond_clockwait(pthread_cond_t *restrict condition,
                                    pthread_mutex_t *restrict mutex, clockid_t id,
                                    const struct timespec *restrict until)
{
    if (libc_cond_clockwait == NULL)
        find(&libc_cond_clockwait, "pthread_cond_clockwait", NULL);
    return wait_until(condition, mutex, id, true, until);
}
