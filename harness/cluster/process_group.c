#include "harness/cluster/process_group.h"

#include "harness/base/clock.h"
#include "harness/base/processes.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define DEATH_NS (10 * NS_PER_S)

// A dead first thread tells nothing of the others.
static bool is_alive(const struct process_entry *process)
{
    return (process->state != 'Z' && process->state != 'X') || process->threads > 1;
}

// Threads that stopped one by one have stopped once all of them are listed as such.
static bool goes_on(const struct process_entry *process)
{
    bool goes_on = false;
    struct process_list threads = {0};
    if (is_alive(process) && process->state != 'T' && process->state != 't')
        return true;
    if (process->threads > 1)
        threads = thread_list_read(process->id);
    for (size_t i = 0; i < threads.count; i++)
        goes_on |= strchr("TtZX", threads.items[i].state) == NULL;
    free(threads.items);
    return goes_on;
}

// True if no process of the group is so.
static bool none_is(pid_t group, bool (*is_so)(const struct process_entry *), const char *word,
                    struct error *error)
{
    bool found = false;
    struct process_list all = process_list_read();
    if (all.count == 0) {
        error_set(error, "cannot read /proc to see what process group %d does", group);
        return false;
    }
    for (size_t i = 0; i < all.count && !found; i++) {
        found = all.items[i].group == group && is_so(&all.items[i]);
        if (found)
            error_set(error, "process %d of the client's group %s", (int)all.items[i].id, word);
    }
    free(all.items);
    return !found;
}

bool process_group_stands_still(pid_t group, struct error *error)
{
    return none_is(group, goes_on, "does not stand still", error);
}

bool process_group_is_dead(pid_t group, struct error *error)
{
    return none_is(group, is_alive, "is not dead", error);
}

// Waits until the process has ended with all its threads.
static void await_end(pid_t process, int64_t give_up_ns)
{
    int64_t left_ns = give_up_ns - clock_monotonic_ns();
    struct pollfd end = {.fd = (int)syscall(SYS_pidfd_open, process, 0), .events = POLLIN};
    struct timespec left = {left_ns / NS_PER_S, (long)(left_ns % NS_PER_S)};
    if (end.fd >= 0 && left_ns > 0)
        ppoll(&end, 1, &left, NULL);
    if (end.fd >= 0)
        close(end.fd);
}

int process_group_kill(pid_t group, struct error *error)
{
    int64_t give_up_ns = clock_monotonic_ns() + DEATH_NS;
    if (kill(-group, SIGKILL) != 0)
        return errno == ESRCH
                   ? 0
                   : error_set(error, "SIGKILL to process group %d: %s", group, strerror(errno));
    struct process_list all = process_list_read();
    for (size_t i = 0; i < all.count; i++) {
        if (all.items[i].group == group)
            await_end(all.items[i].id, give_up_ns);
    }
    free(all.items);
    return process_group_is_dead(group, error) ? 0 : -1;
}
