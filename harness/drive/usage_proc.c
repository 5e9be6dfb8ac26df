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
#include <unistd.h>

#define MOST_THREADS 64

static int64_t of_ticks(int64_t ticks)
{
    long each_second = sysconf(_SC_CLK_TCK);
    return each_second > 0 ? ticks * (NS_PER_S / each_second) : 0;
}

bool processes_can_be_read(void)
{
    char self[32] = "";
    return readlink("/proc/self", self, sizeof self - 1) > 0 && atoi(self) == getpid();
}

// --- one process ---------------------------------------------------------------------------------

// /proc/PID/stat: the name, in parentheses, may have any character in it.
static bool read_entry(pid_t process, struct process_entry *entry)
{
    char path[64];
    struct text stat = {0};
    snprintf(path, sizeof path, "/proc/%d/stat", (int)process);
    const char *rest = file_read(path, &stat, NULL) == 0 ? strrchr(text_string(&stat), ')') : NULL;
    int parent = 0;
    int64_t ticks[4] = {0}; // user, kernel, and the same of children that have ended
    int found = rest == NULL ? 0
                             : sscanf(rest + 1,
                                      " %*c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %" SCNd64
                                      " %" SCNd64 " %" SCNd64 " %" SCNd64,
                                      &parent, &ticks[0], &ticks[1], &ticks[2], &ticks[3]);
    text_free(&stat);
    *entry = (struct process_entry){.id = process,
                                    .parent = parent,
                                    .kernel_ns = of_ticks(ticks[1]),
                                    .ended_ns = of_ticks(ticks[2] + ticks[3]),
                                    .ended_kernel_ns = of_ticks(ticks[3])};
    return found == 5;
}

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

// Its threads, each with a state of its own, or the process with that of its first. `threads`: how
// many it has.
static bool state_can_run(const char *path, long *threads)
{
    struct text stat = {0};
    char state = '?';
    const char *rest = file_read(path, &stat, NULL) == 0 ? strrchr(text_string(&stat), ')') : NULL;
    *threads = 1;
    if (rest != NULL)
        sscanf(rest + 1, " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %ld",
               &state, threads);
    text_free(&stat);
    return state == 'R' || state == 'D';
}

bool process_can_run(pid_t process)
{
    char path[300];
    long threads;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)process);
    bool found = state_can_run(path, &threads);
    if (found || threads < 2 || threads > MOST_THREADS)
        return found;
    snprintf(path, sizeof path, "/proc/%d/task", (int)process);
    DIR *tasks = opendir(path);
    for (const struct dirent *task; tasks != NULL && !found && (task = readdir(tasks)) != NULL;) {
        snprintf(path, sizeof path, "/proc/%d/task/%s/stat", (int)process, task->d_name);
        found = task->d_name[0] != '.' && state_can_run(path, &threads);
    }
    if (tasks != NULL)
        closedir(tasks);
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
    return process > 0 && read_entry(process, &entry) && add_process(&entry, usage);
}

// --- a process with all that it forked -----------------------------------------------------------

struct process_list process_list_read(void)
{
    struct process_list list = {0};
    size_t room = 0;
    DIR *processes = opendir("/proc");
    if (processes == NULL)
        return list;
    for (const struct dirent *process; (process = readdir(processes)) != NULL;) {
        struct process_entry entry;
        int id = atoi(process->d_name);
        if (id <= 0 || !read_entry(id, &entry))
            continue;
        if (list.count == room) {
            room = room > 0 ? 2 * room : 64;
            list.items = memory_resized(list.items, room * sizeof *list.items);
        }
        list.items[list.count++] = entry;
    }
    closedir(processes);
    return list;
}

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
    return of_ticks(ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6] + ticks[7]);
}

int processors_allowed(void)
{
    cpu_set_t allowed;
    return sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed) : 1;
}
