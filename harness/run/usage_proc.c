#include "harness/run/usage_proc.h"

#include "harness/base/clock.h"
#include "harness/base/file.h"

#include <dirent.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// --- one process ---------------------------------------------------------------------------------

bool process_clock_read(pid_t process, int64_t *processor_ns)
{
    clockid_t clock;
    struct timespec time;
    if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &time) != 0)
        return false;
    *processor_ns = time.tv_sec * NS_PER_S + time.tv_nsec;
    return true;
}

static bool add_process(struct thread_watch *watch, const struct process_entry *entry,
                        struct process_usage *usage)
{
    const struct thread_status *threads;
    int64_t processor_ns = 0;
    if (!process_clock_read(entry->id, &processor_ns))
        return false;
    usage->processor_ns += processor_ns;
    usage->kernel_ns += entry->kernel_ns < processor_ns ? entry->kernel_ns : processor_ns;
    for (size_t i = thread_watch_read(watch, entry->id, &threads); i-- > 0;) {
        usage->voluntary_switches += threads[i].voluntary_switches;
        usage->other_switches += threads[i].other_switches;
    }
    return true;
}

bool process_usage_read(struct thread_watch *watch, pid_t process, struct process_usage *usage)
{
    struct process_entry entry;
    *usage = (struct process_usage){0};
    return process > 0 && process_read(process, &entry) && add_process(watch, &entry, usage);
}

// --- a process with all that it forked -----------------------------------------------------------

// Depth by depth; that a process is its own ancestor cannot be.
static void add_family(struct thread_watch *watch, const struct process_list *list,
                       const struct process_entry *entry, struct process_usage *usage)
{
    add_process(watch, entry, usage);
    usage->processor_ns += entry->ended_ns;
    usage->kernel_ns += entry->ended_kernel_ns;
    for (size_t i = 0; i < list->count; i++) {
        if (list->items[i].parent == entry->id)
            add_family(watch, list, &list->items[i], usage);
    }
}

bool family_usage_read(struct thread_watch *watch, const struct process_list *list, pid_t process,
                       struct process_usage *usage)
{
    *usage = (struct process_usage){0};
    for (size_t i = 0; i < list->count; i++) {
        if (list->items[i].id != process)
            continue;
        add_family(watch, list, &list->items[i], usage);
        return true;
    }
    return false;
}

// --- network and machine -------------------------------------------------------------------------

// "  eth0: BYTES PACKETS errs drop fifo frame compressed multicast BYTES PACKETS ..."
static void add_device(const char *line, struct network_usage *usage)
{
    int64_t values[4];
    const char *name = line + strspn(line, " ");
    const char *colon = strchr(name, ':');
    if (colon == NULL || strncmp(name, "lo:", 3) == 0)
        return;
    if (sscanf(colon + 1, " %" SCNd64 " %" SCNd64 " %*u %*u %*u %*u %*u %*u %" SCNd64 " %" SCNd64,
               &values[0], &values[1], &values[2], &values[3]) != 4)
        return;
    usage->received_bytes += values[0];
    usage->received_packets += values[1];
    usage->sent_bytes += values[2];
    usage->sent_packets += values[3];
}

bool network_usage_read(pid_t process, struct network_usage *usage)
{
    char path[64];
    struct text devices = {0};
    *usage = (struct network_usage){0};
    snprintf(path, sizeof path, "/proc/%d/net/dev", (int)process);
    bool is_there = process > 0 && file_read(path, &devices, NULL) == 0 && devices.length > 0;
    char *rest = devices.bytes;
    for (char *line = strsep(&rest, "\n"); is_there && line != NULL; line = strsep(&rest, "\n"))
        add_device(line, usage);
    text_free(&devices);
    return is_there;
}

int64_t machine_busy_ns(void)
{
    struct text stat = {0};
    int64_t ticks[8] = {0}; // user, nice, kernel, idle, waiting for a disk, interrupts, ..., stolen
    int found = 0;
    if (file_read("/proc/stat", &stat, NULL) == 0)
        found = sscanf(text_string(&stat),
                       "cpu %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64
                       " %" SCNd64 " %" SCNd64,
                       &ticks[0], &ticks[1], &ticks[2], &ticks[3], &ticks[4], &ticks[5], &ticks[6],
                       &ticks[7]);
    text_free(&stat);
    if (found != 8)
        return -1;
    return ns_of_ticks(ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6] + ticks[7]);
}

int processors_allowed(void)
{
    cpu_set_t allowed;
    return sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed) : 1;
}
