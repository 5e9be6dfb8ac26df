#include "harness/cluster/process_group.h"

#include "harness/base/clock.h"
#include "harness/base/processes.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define DEATH_NS NS_PER_S
#define LOOK_EVERY_NS (NS_PER_MS / 5)

static bool is_alive(char state)
{
    return state != 'Z' && state != 'X' && state != 'x';
}

static bool goes_on(char state)
{
    return is_alive(state) && state != 'T' && state != 't';
}

// True if a thread of the process is as `is_so` wants it.
static bool any_thread(pid_t process, bool (*is_so)(char))
{
    bool found = false;
    struct process_list threads = thread_list_read(process);
    for (size_t i = 0; i < threads.count && !found; i++)
        found = is_so(threads.items[i].state);
    free(threads.items);
    return found;
}

// True if no thread of the group is so.
static bool none_is(pid_t group, bool (*is_so)(char), const char *word, struct error *error)
{
    bool found = false;
    struct process_list all = process_list_read();
    if (all.count == 0) {
        error_set(error, "cannot read /proc to see what process group %d does", group);
        return false;
    }
    for (size_t i = 0; i < all.count && !found; i++) {
        found = all.items[i].group == group && any_thread(all.items[i].id, is_so);
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

int process_group_kill(pid_t group, struct error *error)
{
    int64_t give_up_ns = clock_monotonic_ns() + DEATH_NS;
    if (kill(-group, SIGKILL) != 0)
        return errno == ESRCH
                   ? 0
                   : error_set(error, "SIGKILL to process group %d: %s", group, strerror(errno));
    while (!process_group_is_dead(group, error)) {
        if (clock_monotonic_ns() > give_up_ns)
            return -1;
        clock_sleep_until_ns(clock_monotonic_ns() + LOOK_EVERY_NS);
    }
    return 0;
}
