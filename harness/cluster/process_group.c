#include "harness/cluster/process_group.h"

#include "harness/base/clock.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEATH_NS NS_PER_S
#define LOOK_EVERY_NS (NS_PER_MS / 5)

// Reads the state and the group from a stat file of /proc; false if it is gone. What comes before
// them, the program's name in parentheses, may hold anything.
static bool read_stat(const char *path, char *state, pid_t *group)
{
    char bytes[1024];
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return false;
    size_t length = fread(bytes, 1, sizeof bytes - 1, file);
    fclose(file);
    bytes[length] = '\0';
    const char *end = strrchr(bytes, ')');
    int parent;
    return end != NULL && sscanf(end + 1, " %c %d %d", state, &parent, group) == 3;
}

static bool is_alive(char state)
{
    return state != 'Z' && state != 'X' && state != 'x';
}

static bool goes_on(char state)
{
    return is_alive(state) && state != 'T' && state != 't';
}

// True if a thread of the process is as `is_so` wants it.
static bool any_thread(const char *process, bool (*is_so)(char))
{
    char path[600];
    bool found = false;
    snprintf(path, sizeof path, "/proc/%.20s/task", process);
    DIR *folder = opendir(path);
    for (const struct dirent *entry; folder != NULL && !found;) {
        char state;
        pid_t group;
        if ((entry = readdir(folder)) == NULL)
            break;
        if (!isdigit((unsigned char)entry->d_name[0]))
            continue;
        snprintf(path, sizeof path, "/proc/%.20s/task/%.20s/stat", process, entry->d_name);
        found = read_stat(path, &state, &group) && is_so(state);
    }
    if (folder != NULL)
        closedir(folder);
    return found;
}

// True if no thread of the group is so.
static bool none_is(pid_t group, bool (*is_so)(char), const char *word, struct error *error)
{
    bool found = false;
    DIR *folder = opendir("/proc");
    if (folder == NULL) {
        error_set(error, "cannot read /proc to see what process group %d does: %s", group,
                  strerror(errno));
        return false;
    }
    for (const struct dirent *entry; !found && (entry = readdir(folder)) != NULL;) {
        char path[64];
        char state;
        pid_t its_group;
        if (!isdigit((unsigned char)entry->d_name[0]))
            continue;
        snprintf(path, sizeof path, "/proc/%.20s/stat", entry->d_name);
        found = read_stat(path, &state, &its_group) && its_group == group &&
                any_thread(entry->d_name, is_so);
        if (found)
            error_set(error, "process %s of the client's group %s", entry->d_name, word);
    }
    closedir(folder);
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
