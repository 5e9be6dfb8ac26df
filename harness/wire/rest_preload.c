// A part of the shared library lockpick-program.so, which is loaded before all others (LD_PRELOAD)
// into a program that locks for an explored client: see rest.h. Without $LOCKPICK_REST every call
// goes straight to libc.
//
// It lets the program's threads sleep by the clock that clock_preload.c shows: nanosleep and its
// kin, poll, select and epoll_wait with a time-out, semaphores (by which Python's locks wait), and,
// by clock_preload.c, condition variables.
#include "harness/wire/rest.h"

#include "harness/base/clock.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))
// Who waits for days waits for ever.
#define FOR_EVER_NS (24 * 3600 * NS_PER_S)
#define PATIENT_READS 200 // of a clock that stands still

static struct rest_board *board; // NULL: nobody watches
static pid_t owner;              // the process that maps it: a child that is forked is not watched
static _Thread_local struct rest_sleeper *sleeper;
static _Thread_local volatile sig_atomic_t was_woken;

// --- libc's own ----------------------------------------------------------------------------------

// Each is found when it is first called, which may be before `load` runs.
#define LIBC(result, name, parameters)                                                             \
    static result(*libc_##name) parameters;                                                        \
    static void find_##name(void)                                                                  \
    {                                                                                              \
        void *found = dlsym(RTLD_NEXT, #name);                                                     \
        memcpy(&libc_##name, &found, sizeof found);                                                \
    }
#define CALL(name) (libc_##name != NULL ? (void)0 : find_##name(), libc_##name)

LIBC(void *, dlopen, (const char *, int))
LIBC(int, clock_nanosleep, (clockid_t, int, const struct timespec *, struct timespec *))
LIBC(int, ppoll, (struct pollfd *, nfds_t, const struct timespec *, const sigset_t *))
LIBC(int, pselect, (int, fd_set *, fd_set *, fd_set *, const struct timespec *, const sigset_t *))
LIBC(int, epoll_pwait, (int, struct epoll_event *, int, int, const sigset_t *))
LIBC(int, sem_wait, (sem_t *))
LIBC(int, sem_clockwait, (sem_t *, clockid_t, const struct timespec *))

// --- loading -------------------------------------------------------------------------------------

static void change(void)
{
    atomic_fetch_add(&board->changed, 1);
    syscall(SYS_futex, &board->changed, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

static void note_wake(int signal)
{
    (void)signal;
    was_woken = 1;
}

// Of one that has ended, as wrappers do, if there is no other; a process that executes another
// program keeps its own.
static void take_place_of_process(void)
{
    for (int i = 0; i < REST_PROCESSES; i++) {
        uint32_t other = atomic_load(&board->processes[i]);
        if (other == (uint32_t)owner)
            return;
        bool is_free = other == 0 || (kill((pid_t)other, 0) != 0 && errno == ESRCH);
        if (is_free &&
            atomic_compare_exchange_strong(&board->processes[i], &other, (uint32_t)owner))
            return;
    }
}

__attribute__((constructor)) static void load(void)
{
    const char *path = getenv(REST_VARIABLE);
    int descriptor = path != NULL && path[0] != '\0' ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (descriptor < 0)
        return;
    void *mapped = mmap(NULL, sizeof *board, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    close(descriptor);
    if (mapped == MAP_FAILED)
        return;
    struct sigaction action = {.sa_handler = note_wake}; // no SA_RESTART: the call is to end
    sigaction(REST_SIGNAL, &action, NULL);
    board = mapped;
    owner = getpid();
    take_place_of_process();
}

// PHP has its extensions, and what they are linked with, bound to libc before us.
EXPORTED void *dlopen(const char *file, int mode)
{
    return CALL(dlopen)(file, board != NULL ? mode & ~RTLD_DEEPBIND : mode);
}

// --- waiting -------------------------------------------------------------------------------------

static int64_t nanoseconds(const struct timespec *time)
{
    return time->tv_sec > INT32_MAX ? TIME_NEVER / 2
                                    : (int64_t)time->tv_sec * NS_PER_S + time->tv_nsec;
}

// How far the time of day is to be shown later than it is: not at all, unless it is asked again and
// again while it stands still, as libuuid does until it has a time of its own.
int64_t rest_creep_ns(int64_t time_ns)
{
    static _Atomic int64_t last_ns, reads;
    if (atomic_exchange(&last_ns, time_ns) != time_ns)
        atomic_store(&reads, 0);
    int64_t count = atomic_fetch_add(&reads, 1);
    return board != NULL && count > PATIENT_READS ? (count - PATIENT_READS) * NS_PER_US : 0;
}

static int64_t shown_ns(clockid_t id)
{
    struct timespec now = {0};
    clock_gettime(id, &now); // as clock_preload.c has it
    return nanoseconds(&now);
}

static void take_place(void)
{
    uint32_t own = (uint32_t)gettid();
    for (int i = 0; i < REST_SLEEPERS && sleeper == NULL; i++) {
        uint32_t nobody = 0;
        if (atomic_compare_exchange_strong(&board->sleepers[i].thread, &nobody, own))
            sleeper = &board->sleepers[i];
    }
}

// A wait until its clock shows more than that time: no machine's clock stands at the very end of a
// wait when that is over, and Ruby's sleeps go on until it is past. clock_preload.c calls both,
// too. False: nobody watches.
bool rest_wait_begins(clockid_t id, int64_t until_ns)
{
    if (board == NULL || owner != getpid())
        return false;
    if (sleeper == NULL)
        take_place();
    if (sleeper == NULL)
        return false;
    int64_t left_ns = until_ns - shown_ns(id);
    was_woken = 0;
    atomic_store(&sleeper->until_ns,
                 left_ns > FOR_EVER_NS ? TIME_NEVER : shown_ns(CLOCK_MONOTONIC) + left_ns + 1);
    atomic_fetch_add(&sleeper->waits, 1);
    change();
    return true;
}

void rest_wait_ends(void)
{
    int reason = errno;
    atomic_fetch_add(&sleeper->waits, 1);
    change();
    errno = reason;
}

// True if a call that waits was woken to look at the time.
static bool is_to_look(int result)
{
    return result < 0 && errno == EINTR && was_woken;
}

// Looks (`now`), and unless the time is over, waits for as long as it takes (`waiting`).
#define WAIT(timeout_ns, now, waiting)                                                             \
    for (int64_t until_ns = shown_ns(CLOCK_MONOTONIC) + (timeout_ns);;) {                          \
        int result = (now);                                                                        \
        if (result != 0 || shown_ns(CLOCK_MONOTONIC) >= until_ns ||                                \
            !rest_wait_begins(CLOCK_MONOTONIC, until_ns))                                          \
            return result;                                                                         \
        result = (waiting);                                                                        \
        rest_wait_ends();                                                                          \
        if (!is_to_look(result))                                                                   \
            return result;                                                                         \
    }

static const struct timespec at_once = {0, 0};

EXPORTED int ppoll(struct pollfd *descriptors, nfds_t descriptor_count,
                   const struct timespec *timeout, const sigset_t *mask)
{
    if (board == NULL || timeout == NULL || nanoseconds(timeout) == 0)
        return CALL(ppoll)(descriptors, descriptor_count, timeout, mask);
    WAIT(nanoseconds(timeout), CALL(ppoll)(descriptors, descriptor_count, &at_once, mask),
         CALL(ppoll)(descriptors, descriptor_count, NULL, mask))
}

EXPORTED int poll(struct pollfd *descriptors, nfds_t descriptor_count, int timeout_ms)
{
    struct timespec timeout = {timeout_ms / 1000, (long)(timeout_ms % 1000) * NS_PER_MS};
    return ppoll(descriptors, descriptor_count, timeout_ms < 0 ? NULL : &timeout, NULL);
}

EXPORTED int __poll_chk(struct pollfd *descriptors, nfds_t descriptor_count, int timeout_ms,
                        size_t room)
{
    return descriptor_count <= room / sizeof *descriptors
               ? poll(descriptors, descriptor_count, timeout_ms)
               : (abort(), 0);
}

EXPORTED int epoll_pwait(int epoll, struct epoll_event *events, int room, int timeout_ms,
                         const sigset_t *mask)
{
    if (board == NULL || timeout_ms <= 0)
        return CALL(epoll_pwait)(epoll, events, room, timeout_ms, mask);
    WAIT(timeout_ms * NS_PER_MS, CALL(epoll_pwait)(epoll, events, room, 0, mask),
         CALL(epoll_pwait)(epoll, events, room, -1, mask))
}

EXPORTED int epoll_wait(int epoll, struct epoll_event *events, int room, int timeout_ms)
{
    return epoll_pwait(epoll, events, room, timeout_ms, NULL);
}

// The sets that were asked for, which a call overwrites by what it finds.
struct sets {
    fd_set *used[3];
    fd_set wanted[3];
};

static int select_once(int limit, const struct sets *sets, const struct timespec *timeout,
                       const sigset_t *mask)
{
    for (int i = 0; i < 3; i++) {
        if (sets->used[i] != NULL)
            *sets->used[i] = sets->wanted[i];
    }
    return CALL(pselect)(limit, sets->used[0], sets->used[1], sets->used[2], timeout, mask);
}

EXPORTED int pselect(int limit, fd_set *restrict readable, fd_set *restrict writable,
                     fd_set *restrict exceptional, const struct timespec *restrict timeout,
                     const sigset_t *restrict mask)
{
    struct sets sets = {.used = {readable, writable, exceptional}};
    if (board == NULL || timeout == NULL || nanoseconds(timeout) == 0)
        return CALL(pselect)(limit, readable, writable, exceptional, timeout, mask);
    for (int i = 0; i < 3; i++) {
        if (sets.used[i] != NULL)
            sets.wanted[i] = *sets.used[i];
    }
    WAIT(nanoseconds(timeout), select_once(limit, &sets, &at_once, mask),
         select_once(limit, &sets, NULL, mask))
}

EXPORTED int select(int limit, fd_set *restrict readable, fd_set *restrict writable,
                    fd_set *restrict exceptional, struct timeval *restrict timeout)
{
    struct timespec precise = {0};
    if (timeout != NULL)
        precise = (struct timespec){timeout->tv_sec, timeout->tv_usec * 1000};
    return pselect(limit, readable, writable, exceptional, timeout != NULL ? &precise : NULL, NULL);
}

// The errno of a sleep that a signal of somebody else's ended; 0: its time came.
static int sleep_until(clockid_t id, int64_t until_ns)
{
    while (shown_ns(id) < until_ns) {
        if (!rest_wait_begins(id, until_ns))
            return EINTR;
        CALL(ppoll)(NULL, 0, NULL, NULL);
        rest_wait_ends();
        if (!was_woken)
            return EINTR;
    }
    return 0;
}

EXPORTED int clock_nanosleep(clockid_t id, int flags, const struct timespec *time,
                             struct timespec *left)
{
    if (board == NULL)
        return CALL(clock_nanosleep)(id, flags, time, left);
    bool is_time = (flags & TIMER_ABSTIME) != 0;
    int64_t until_ns = nanoseconds(time) + (is_time ? 0 : shown_ns(id));
    int reason = sleep_until(id, until_ns);
    int64_t left_ns = until_ns - shown_ns(id);
    if (reason != 0 && !is_time && left != NULL)
        *left = (struct timespec){left_ns / NS_PER_S, left_ns % NS_PER_S};
    return reason;
}

EXPORTED int nanosleep(const struct timespec *duration, struct timespec *left)
{
    int reason = clock_nanosleep(CLOCK_REALTIME, 0, duration, left);
    errno = reason != 0 ? reason : errno;
    return reason != 0 ? -1 : 0;
}

EXPORTED int usleep(useconds_t duration_us)
{
    struct timespec duration = {duration_us / 1000000, (long)(duration_us % 1000000) * 1000};
    return nanosleep(&duration, NULL);
}

EXPORTED unsigned sleep(unsigned seconds)
{
    struct timespec left = {seconds, 0};
    return nanosleep(&left, &left) == 0 ? 0 : (unsigned)left.tv_sec;
}

EXPORTED int sem_clockwait(sem_t *restrict semaphore, clockid_t id,
                           const struct timespec *restrict until)
{
    if (board == NULL)
        return CALL(sem_clockwait)(semaphore, id, until);
    int64_t until_ns = nanoseconds(until);
    for (;;) {
        if (sem_trywait(semaphore) == 0)
            return 0;
        if (shown_ns(id) >= until_ns)
            return errno = ETIMEDOUT, -1;
        if (!rest_wait_begins(id, until_ns))
            return errno = EINTR, -1;
        int result = CALL(sem_wait)(semaphore);
        rest_wait_ends();
        if (result == 0 || !is_to_look(result))
            return result;
    }
}

EXPORTED int sem_timedwait(sem_t *restrict semaphore, const struct timespec *restrict until)
{
    return sem_clockwait(semaphore, CLOCK_REALTIME, until);
}
