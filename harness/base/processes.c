#include "harness/base/processes.h"

#include "harness/base/clock.h"
#include "harness/base/file.h"
#include "harness/base/growing.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

// What nobody asked for any more has ended so long ago that nothing of it is still to be removed.
#define FORGET_NS (5 * NS_PER_S)

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

// From its file `stat`: its number, its name in parentheses, which may have any character in it,
// and what is read here.
bool process_read(pid_t process, struct process_entry *entry)
{
    char path[64];
    struct text stat = {0};
    int64_t kernel_ticks = 0;
    int64_t ended_ticks[2] = {0}; // user, kernel
    *entry = (struct process_entry){.id = process, .state = '?'};
    snprintf(path, sizeof path, "/proc/%d/stat", (int)process);
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

bool process_clock_read(pid_t process, int64_t *processor_ns)
{
    clockid_t clock;
    struct timespec time;
    if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &time) != 0)
        return false;
    *processor_ns = time.tv_sec * NS_PER_S + time.tv_nsec;
    return true;
}

struct process_list process_list_read(void)
{
    struct process_list list = {0};
    size_t room = 0;
    DIR *all = opendir("/proc");
    for (const struct dirent *found; all != NULL && (found = readdir(all)) != NULL;) {
        struct process_entry entry;
        int id = atoi(found->d_name);
        if (id > 0 && process_read(id, &entry))
            *APPEND(list.items, list.count, room) = entry;
    }
    if (all != NULL)
        closedir(all);
    return list;
}

// --- threads that are looked at again and again --------------------------------------------------

struct watched_thread {
    pid_t id;
    int status;       // a descriptor
    int64_t ended_ns; // when that was seen; 0: it lives
};

struct watched_process {
    pid_t id; // 0: it has ended
    DIR *folder;
    nlink_t links; // of the folder, when it was listed: one for each thread, and two
    int64_t read_ns;
    struct watched_thread *threads;
    size_t count, room;
};

static void close_process(struct watched_process *process)
{
    for (size_t i = 0; i < process->count; i++)
        close(process->threads[i].status);
    free(process->threads);
    closedir(process->folder);
}

static struct watched_process *find_process(struct thread_watch *watch, pid_t id, int64_t now_ns)
{
    struct watched_process *found = NULL;
    for (size_t i = watch->count; i-- > 0;) {
        if (now_ns - watch->processes[i].read_ns > FORGET_NS) {
            close_process(&watch->processes[i]);
            watch->processes[i] = watch->processes[--watch->count];
        }
    }
    for (size_t i = 0; i < watch->count && found == NULL; i++)
        found = watch->processes[i].id == id ? &watch->processes[i] : NULL;
    if (found == NULL) {
        char path[40];
        snprintf(path, sizeof path, "/proc/%d/task", (int)id);
        DIR *folder = opendir(path);
        if (folder == NULL)
            return NULL;
        found = APPEND(watch->processes, watch->count, watch->room);
        *found = (struct watched_process){.id = id, .folder = folder};
    }
    found->read_ns = now_ns;
    return found;
}

static void list_threads(struct watched_process *process, nlink_t links)
{
    struct rlimit files = {.rlim_cur = 0};
    getrlimit(RLIMIT_NOFILE, &files);
    process->links = links;
    rewinddir(process->folder);
    for (const struct dirent *found; (found = readdir(process->folder)) != NULL;) {
        char path[300];
        pid_t id = atoi(found->d_name);
        snprintf(path, sizeof path, "%s/status", found->d_name);
        bool is_watched = false;
        for (size_t i = 0; i < process->count; i++)
            is_watched |= process->threads[i].id == id && process->threads[i].ended_ns == 0;
        int status =
            id > 0 && !is_watched ? openat(dirfd(process->folder), path, O_RDONLY | O_CLOEXEC) : -1;
        if (status >= 0 && (rlim_t)status < files.rlim_cur / 2)
            *APPEND(process->threads, process->count, process->room) =
                (struct watched_thread){.id = id, .status = status};
        else if (status >= 0)
            close(status); // others need descriptors, too
    }
}

static int64_t number_after(const char *text, const char *label)
{
    const char *at = strstr(text, label);
    return at != NULL ? strtoll(at + strlen(label), NULL, 10) : 0;
}

// False if the thread has ended.
static bool read_status(const struct watched_thread *thread, struct thread_status *status)
{
    char text[4096];
    ssize_t length = thread->ended_ns == 0 ? pread(thread->status, text, sizeof text - 1, 0) : 0;
    text[length > 0 ? length : 0] = '\0';
    const char *state = strstr(text, "\nState:\t");
    *status = (struct thread_status){
        .id = thread->id,
        .state = state != NULL ? state[strlen("\nState:\t")] : '?',
        .voluntary_switches = number_after(text, "\nvoluntary_ctxt_switches:"),
        .other_switches = number_after(text, "\nnonvoluntary_ctxt_switches:")};
    return length > 0;
}

size_t thread_watch_read(struct thread_watch *watch, pid_t process,
                         const struct thread_status **threads)
{
    struct stat folder;
    size_t count = 0;
    int64_t now_ns = clock_monotonic_ns();
    struct watched_process *watched = find_process(watch, process, now_ns);
    if (watched == NULL)
        return 0;
    for (size_t i = watched->count; i-- > 0;) {
        struct watched_thread *thread = &watched->threads[i];
        if (thread->ended_ns != 0 && now_ns - thread->ended_ns > FORGET_NS) {
            close(thread->status);
            *thread = watched->threads[--watched->count];
        }
    }
    if (fstat(dirfd(watched->folder), &folder) == 0 && folder.st_nlink != watched->links)
        list_threads(watched, folder.st_nlink);
    watch->statuses =
        memory_resized(watch->statuses, (watched->count + 1) * sizeof *watch->statuses);
    for (size_t i = 0; i < watched->count; i++) {
        struct watched_thread *thread = &watched->threads[i];
        if (read_status(thread, &watch->statuses[count])) {
            count++;
        } else if (thread->ended_ns == 0) {
            thread->ended_ns = now_ns;
            watched->links = 0; // another one may have come instead
        }
    }
    if (count == 0)
        watched->id = 0;
    *threads = watch->statuses;
    return count;
}

bool thread_watch_is(struct thread_watch *watch, pid_t process, const char *states)
{
    const struct thread_status *threads;
    size_t count = thread_watch_read(watch, process, &threads);
    bool is = false;
    for (size_t i = 0; i < count && !is; i++)
        is = strchr(states, threads[i].state) != NULL;
    return is;
}

// Who used less than one part in so many of the time, and wanted to run, was kept from running.
#define STARVED_SHARE 20

enum process_way process_look_again(struct thread_watch *watch, pid_t process, bool may_be_stopped,
                                    int64_t now_ns, struct process_look *look)
{
    const struct process_look before = *look;
    int64_t processor_ns;
    if (!process_clock_read(process, &processor_ns))
        return PROCESS_IS_GONE;
    bool ran = (processor_ns - before.processor_ns) * STARVED_SHARE > now_ns - before.looked_ns;
    bool can_run =
        !ran && thread_watch_is(watch, process,
                                may_be_stopped ? THREAD_CAN_RUN : THREAD_CAN_RUN THREAD_IS_STOPPED);
    *look = (struct process_look){processor_ns, now_ns, can_run};
    return before.could_run && can_run ? PROCESS_STOOD_STILL
           : ran || can_run            ? PROCESS_RUNS
                                       : PROCESS_RESTS;
}

void thread_watch_free(struct thread_watch *watch)
{
    for (size_t i = 0; i < watch->count; i++)
        close_process(&watch->processes[i]);
    free(watch->processes);
    free(watch->statuses);
    *watch = (struct thread_watch){0};
}
