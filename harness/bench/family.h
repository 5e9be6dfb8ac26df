// A run of Lockpick, and the memory that its processes have while it lasts.
#ifndef LOCKPICK_BENCH_FAMILY_H
#define LOCKPICK_BENCH_FAMILY_H

#include "harness/base/clock.h"
#include "harness/base/scope.h"
#include "harness/cli/test_command.h"
#include "harness/run/usage.h"

#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

struct family {
    pid_t leader;
    char folder[64]; // with what it writes, and what it says
};

// In bytes. What processes share is divided by the number of those who do, so that sums count it
// once.
struct family_memory {
    double clients, driver, servers; // all that is resident
    double own_clients, own_driver;  // of it, without what lies in files, such as the history
    double tables;                   // of their pages, which the kernel keeps for each process
    int client_count;
};

// Runs `lockpick ARGUMENTS --out FOLDER/run`. False if it cannot be started.
static inline bool family_start(struct family *family, const char *arguments)
{
    AUTO_TEXT struct text line = {0};
    snprintf(family->folder, sizeof family->folder, "/tmp/lockpick-bench-XXXXXX");
    if (test_folder_make(family->folder) != 0)
        return false;
    text_format(&line, "exec %s %s --out %s/run >%s/out 2>&1 </dev/null", lockpick_path(),
                arguments, family->folder, family->folder);
    family->leader = fork();
    if (family->leader == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        execl("/bin/sh", "sh", "-c", line.bytes, (char *)NULL);
        _exit(127);
    }
    return family->leader > 0;
}

// True while it lasts; then `*status` is as of waitpid.
static inline bool family_lasts(const struct family *family, int *status)
{
    return waitpid(family->leader, status, WNOHANG) == 0;
}

// Removes its folder; what it said is printed first if that is wanted.
static inline void family_end(const struct family *family, bool show)
{
    AUTO_TEXT struct text said = {0};
    char path[80];
    snprintf(path, sizeof path, "%s/out", family->folder);
    if (show && file_read(path, &said, NULL) == 0)
        fputs(text_string(&said), stderr);
    test_folder_remove(family->folder);
}

// The number behind `name` in a file of /proc, in bytes; 0 if there is none.
static inline double family_figure(const char *lines, const char *name)
{
    const char *line = lines != NULL ? strstr(lines, name) : NULL;
    return line != NULL ? strtod(line + strlen(name), NULL) * 1024 : 0;
}

static inline void family_read_file(pid_t process, const char *file, struct text *text)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", (int)process, file);
    text->length = 0;
    if (file_read(path, text, NULL) != 0)
        text->length = 0;
}

static inline void family_add(pid_t process, struct family_memory *memory)
{
    AUTO_TEXT struct text name = {0};
    AUTO_TEXT struct text maps = {0};
    AUTO_TEXT struct text status = {0};
    family_read_file(process, "comm", &name);
    family_read_file(process, "smaps_rollup", &maps);
    family_read_file(process, "status", &status);
    double all = maps.length > 0 ? family_figure(maps.bytes, "\nPss:") : 0;
    double tables = status.length > 0 ? family_figure(status.bytes, "\nVmPTE:") : 0;
    double own = maps.length > 0 ? family_figure(maps.bytes, "\nPss_Anon:") : 0;
    bool is_client = name.length > 0 && strncmp(name.bytes, "client-", 7) == 0;
    bool is_server = name.length > 0 && strstr(name.bytes, "server") != NULL;
    memory->client_count += is_client;
    memory->clients += is_client ? all + tables : 0;
    memory->own_clients += is_client ? own : 0;
    memory->servers += is_server ? all : 0;
    memory->driver += !is_client && !is_server ? all + tables : 0;
    memory->own_driver += !is_client && !is_server ? own : 0;
    memory->tables += is_server ? 0 : tables;
}

// A parent comes before what it has forked, or the list is gone through once more.
static inline bool family_has(const pid_t *members, size_t count, pid_t process)
{
    for (size_t i = 0; i < count; i++) {
        if (members[i] == process)
            return true;
    }
    return false;
}

static inline struct family_memory family_memory_read(const struct family *family)
{
    struct family_memory memory = {0};
    struct process_list list = process_list_read();
    pid_t *members = memory_new((list.count + 1) * sizeof *members);
    size_t count = 0;
    members[count++] = family->leader;
    for (size_t before = 0; before != count;) {
        before = count;
        for (size_t i = 0; i < list.count; i++) {
            if (family_has(members, count, list.items[i].parent) &&
                !family_has(members, count, list.items[i].id))
                members[count++] = list.items[i].id;
        }
    }
    for (size_t i = 0; i < count; i++)
        family_add(members[i], &memory);
    free(members);
    free(list.items);
    return memory;
}

#endif
