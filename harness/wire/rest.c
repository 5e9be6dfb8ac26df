#include "harness/wire/rest.h"

#include "harness/base/clock.h"
#include "harness/base/clock_shift.h"
#include "harness/base/file.h"
#include "harness/base/futex.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
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

char *rest_preload_path(struct error *error)
{
    return preload_path("lockpick-program.so", "LOCKPICK_PROGRAM_PRELOAD", error);
}

void rest_change(struct rest_board *board)
{
    atomic_fetch_add(&board->changed, 1);
    futex_wake_all(&board->changed);
}

struct rest_connection *rest_connection_of(struct rest_board *board, uint32_t port)
{
    for (int i = 0; i < REST_CONNECTIONS; i++) {
        if (atomic_load(&board->connections[i].port) == port)
            return &board->connections[i];
    }
    return NULL;
}

// --- threads -------------------------------------------------------------------------------------

// A thread that could not run, and how often it had run until then.
struct seen_thread {
    int64_t id; // no padding: they are compared as bytes
    uint64_t runs;
};

static size_t read_small(const char *path, char *bytes, size_t room)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = file >= 0 ? read(file, bytes, room - 1) : -1;
    if (file >= 0)
        close(file);
    bytes[length > 0 ? length : 0] = '\0';
    return length > 0 ? (size_t)length : 0;
}

// False if it could run. One that is gone cannot.
static bool look_at_thread(uint32_t process, int id, uint64_t *runs)
{
    char path[64], text[512];
    unsigned long long on_cpu, waited, slices = 0;
    *runs = 0;
    snprintf(path, sizeof path, "/proc/%u/task/%d/schedstat", process, id);
    if (read_small(path, text, sizeof text) > 0 &&
        sscanf(text, "%llu %llu %llu", &on_cpu, &waited, &slices) == 3)
        *runs = slices;
    snprintf(path, sizeof path, "/proc/%u/task/%d/stat", process, id);
    if (read_small(path, text, sizeof text) == 0)
        return true;
    const char *end = strrchr(text, ')'); // of the name, which may hold anything
    return end != NULL && strchr("SZX", end[2]) != NULL;
}

// How many threads there are; MOST_THREADS + 1: one could run, or there are too many.
static size_t look_at_threads(uint32_t process, struct seen_thread *threads, size_t count)
{
    char path[40];
    snprintf(path, sizeof path, "/proc/%u/task", process);
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
        if (!isdigit((unsigned char)entry->d_name[0]))
            continue;
        int id = atoi(entry->d_name);
        uint64_t runs;
        if (count == MOST_THREADS || !look_at_thread(process, id, &runs)) {
            count = MOST_THREADS + 1;
            break;
        }
        threads[count++] = (struct seen_thread){id, runs};
    }
    if (folder != NULL)
        closedir(folder);
    return count;
}

static size_t look_at_all(struct rest_board *board, struct seen_thread *threads)
{
    size_t count = 0;
    for (int i = 0; i < REST_PROCESSES && count <= MOST_THREADS; i++) {
        uint32_t process = atomic_load(&board->processes[i]);
        if (process != 0)
            count = look_at_threads(process, threads, count);
    }
    return count;
}

// Twice: threads that have not run between two looks all rested at the same time.
bool rest_is_still(struct rest_board *board)
{
    struct seen_thread first[MOST_THREADS], second[MOST_THREADS];
    size_t count = look_at_all(board, first);
    return count <= MOST_THREADS && look_at_all(board, second) == count &&
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
