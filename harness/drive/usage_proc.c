#include "harness/drive/usage_proc.h"

#include "harness/base/clock.h"
#include "harness/base/file.h"

#include <dirent.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MOST_THREADS 64

// --- one process ---------------------------------------------------------------------------------

static int64_t number_after(const char *text, const char *label)
{
    const char *at = strstr(text, label);
    return at != NULL ? strtoll(at + strlen(label), NULL, 10) : 0;
}

static void add_switches(pid_t process, struct process_usage *usage)
{
    char path[300];
    snprintf(path, sizeof path, "/proc/%d/task", (int)process);
    DIR *tasks = opendir(path);
    if (tasks == NULL)
        return;
    for (const struct dirent *task; (task = readdir(tasks)) != NULL;) {
        struct text status = {0};
        snprintf(path, sizeof path, "/proc/%d/task/%s/status", (int)process, task->d_name);
        if (task->d_name[0] != '.' && file_read(path, &status, NULL) == 0) {
            const char *text = text_string(&status);
            usage->voluntary_switches += number_after(text, "\nvoluntary_ctxt_switches:");
            usage->other_switches += number_after(text, "\nnonvoluntary_ctxt_switches:");
        }
        text_free(&status);
    }
    closedir(tasks);
}

bool process_clock_read(pid_t process, int64_t *processor_ns)
{
    clockid_t clock;
    struct timespec time;
    if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &time) != 0)
        return false;
    *processor_ns = time.tv_sec * NS_PER_S + time.tv_nsec;
    return true;
}

static bool can_run(const struct process_entry *entry)
{
    return entry->state == 'R' || entry->state == 'D';
}

// The process has the state of its first thread.
bool process_can_run(pid_t process)
{
    struct process_entry entry;
    if (!process_read(process, &entry))
        return false;
    bool found = can_run(&entry);
    if (found || entry.threads < 2 || entry.threads > MOST_THREADS)
        return found;
    struct process_list threads = thread_list_read(process);
    for (size_t i = 0; i < threads.count && !found; i++)
        found = can_run(&threads.items[i]);
    free(threads.items);
    return found;
}

static bool add_process(const struct process_entry *entry, struct process_usage *usage)
{
    int64_t processor_ns = 0;
    if (!process_clock_read(entry->id, &processor_ns))
        return false;
    usage->processor_ns += processor_ns;
    usage->kernel_ns += entry->kernel_ns < processor_ns ? entry->kernel_ns : processor_ns;
    add_switches(entry->id, usage);
    return true;
}

bool process_usage_read(pid_t process, struct process_usage *usage)
{
    struct process_entry entry;
    *usage = (struct process_usage){0};
    return process > 0 && process_read(process, &entry) && add_process(&entry, usage);
}

// --- a process with all that it forked -----------------------------------------------------------

// Depth by depth; that a process is its own ancestor cannot be.
static void add_family(const struct process_list *list, const struct process_entry *entry,
                       struct process_usage *usage)
{
    add_process(entry, usage);
    usage->processor_ns += entry->ended_ns;
    usage->kernel_ns += entry->ended_kernel_ns;
    for (size_t i = 0; i < list->count; i++) {
        if (list->items[i].parent == entry->id)
            add_family(list, &list->items[i], usage);
    }
}

bool family_usage_read(const struct process_list *list, pid_t process, struct process_usage *usage)
{
    *usage = (struct process_usage){0};
    for (size_t i = 0; i < list->count; i++) {
        if (list->items[i].id != process)
            continue;
        add_family(list, &list->items[i], usage);
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
