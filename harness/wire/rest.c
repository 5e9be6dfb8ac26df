#include "harness/wire/rest.h"

#include "harness/base/clock.h"
#include "harness/base/file.h"
#include "harness/base/futex.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MOST_THREADS 128 // of a program
// A signal that comes just before a thread waits is lost: it is sent again after that time.
#define AGAIN_NS (200 * NS_PER_US)

struct rest_board *rest_create(const char *path, struct error *error)
{
    return file_share(path, sizeof(struct rest_board), "by which a program is seen to rest", error);
}

void rest_close(struct rest_board *board)
{
    if (board != NULL)
        munmap(board, sizeof *board);
}

// --- threads -------------------------------------------------------------------------------------

// A thread that could not run, and how often it had stopped running until then.
struct seen_thread {
    int64_t id, switches; // no padding: they are compared as bytes
};

// How many threads there are; MOST_THREADS + 1: one could run, or there are too many.
static size_t look(struct rest_board *board, struct thread_watch *watch, struct seen_thread *seen)
{
    size_t count = 0;
    for (int i = 0; i < REST_PROCESSES; i++) {
        const struct thread_status *threads;
        uint32_t process = atomic_load(&board->processes[i]);
        size_t own = process != 0 ? thread_watch_read(watch, (pid_t)process, &threads) : 0;
        for (size_t j = 0; j < own; j++) {
            if (count == MOST_THREADS || strchr("SZX", threads[j].state) == NULL)
                return MOST_THREADS + 1;
            seen[count++] = (struct seen_thread){threads[j].id, threads[j].voluntary_switches +
                                                                    threads[j].other_switches};
        }
    }
    return count;
}

// Twice: threads that have not run between two looks all rested at the same time.
bool rest_is_still(struct rest_board *board, struct thread_watch *watch)
{
    struct seen_thread first[MOST_THREADS], second[MOST_THREADS];
    size_t count = look(board, watch, first);
    return count <= MOST_THREADS && look(board, watch, second) == count &&
           memcmp(first, second, count * sizeof *first) == 0;
}

// --- sleeps --------------------------------------------------------------------------------------

// False if the thread is gone, too, whose place is free then.
static bool waits(struct rest_sleeper *sleeper)
{
    uint32_t thread = atomic_load(&sleeper->thread);
    if (thread == 0 || atomic_load(&sleeper->waits) % 2 == 0)
        return false;
    if (syscall(SYS_tkill, thread, 0) == 0 || errno != ESRCH)
        return true;
    atomic_store(&sleeper->waits, 0);
    atomic_store(&sleeper->thread, 0);
    return false;
}

int64_t rest_sleeps_until_ns(struct rest_board *board)
{
    int64_t until_ns = TIME_NEVER;
    for (int i = 0; i < REST_SLEEPERS; i++) {
        if (waits(&board->sleepers[i]))
            until_ns = time_earlier(until_ns, atomic_load(&board->sleepers[i].until_ns));
    }
    return until_ns;
}

void rest_end_sleeps(struct rest_board *board, int64_t now_ns)
{
    for (int i = 0; i < REST_SLEEPERS; i++) {
        struct rest_sleeper *sleeper = &board->sleepers[i];
        uint32_t which = atomic_load(&sleeper->waits);
        while (waits(sleeper) && atomic_load(&sleeper->waits) == which &&
               atomic_load(&sleeper->until_ns) <= now_ns) {
            uint32_t seen = atomic_load(&board->changed);
            syscall(SYS_tkill, atomic_load(&sleeper->thread), REST_SIGNAL);
            if (atomic_load(&sleeper->waits) == which)
                futex_wait_until_ns(&board->changed, seen, clock_of_machine_ns() + AGAIN_NS);
        }
    }
}
