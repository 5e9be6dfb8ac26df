#include "harness/base/processes.h"

#include "harness/base/clock.h"
#include "harness/base/file.h"
#include "harness/base/growing.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool processes_can_be_read(void)
{
    char self[32] = "";
    return readlink("/proc/self", self, sizeof self - 1) > 0 && atoi(self) == getpid();
}

int64_t ns_of_ticks(int64_t ticks)
{
    long each_second = sysconf(_SC_CLK_TCK);
    return each_second > 0 ? ticks * (NS_PER_S / each_second) : 0;
}

// From the file `stat` of a process or thread: its number, its name in parentheses, which may have
// any character in it, and what is read here.
static bool read_entry(const char *folder, pid_t id, struct process_entry *entry)
{
    char path[64];
    struct text stat = {0};
    int64_t kernel_ticks = 0;
    int64_t ended_ticks[2] = {0}; // user, kernel
    *entry = (struct process_entry){.id = id, .state = '?'};
    snprintf(path, sizeof path, "%s/%d/stat", folder, (int)id);
    const char *rest = file_read(path, &stat, NULL) == 0 ? strrchr(text_string(&stat), ')') : NULL;
    int found = rest == NULL ? 0
                             : sscanf(rest,
                                      ") %c %d %d %*d %*d %*d %*u %*u %*u %*u %*u %*d %" SCNd64
                                      " %" SCNd64 " %" SCNd64 " %*d %*d %ld",
                                      &entry->state, &entry->parent, &entry->group, &kernel_ticks,
                                      &ended_ticks[0], &ended_ticks[1], &entry->threads);
    text_free(&stat);
    entry->kernel_ns = ns_of_ticks(kernel_ticks);
    entry->ended_ns = ns_of_ticks(ended_ticks[0] + ended_ticks[1]);
    entry->ended_kernel_ns = ns_of_ticks(ended_ticks[1]);
    return found == 7;
}

bool process_read(pid_t process, struct process_entry *entry)
{
    return read_entry("/proc", process, entry);
}

static struct process_list read_list(const char *folder)
{
    struct process_list list = {0};
    size_t room = 0;
    DIR *all = opendir(folder);
    for (const struct dirent *found; all != NULL && (found = readdir(all)) != NULL;) {
        struct process_entry entry;
        int id = atoi(found->d_name);
        if (id > 0 && read_entry(folder, id, &entry))
            *APPEND(list.items, list.count, room) = entry;
    }
    if (all != NULL)
        closedir(all);
    return list;
}

struct process_list process_list_read(void)
{
    return read_list("/proc");
}

struct process_list thread_list_read(pid_t process)
{
    char folder[40];
    snprintf(folder, sizeof folder, "/proc/%d/task", (int)process);
    return read_list(folder);
}
