// For tests: namespaces of their own, in which whatever is left is the test's.
#ifndef LOCKPICK_CLI_TEST_APART_H
#define LOCKPICK_CLI_TEST_APART_H

#include "harness/base/file.h"
#include "harness/base/scope.h"

#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOT_APART 77

// Writes the text to a file of /proc.
static inline bool write_proc(const char *path, const char *text)
{
    int descriptor = open(path, O_WRONLY | O_CLOEXEC);
    bool wrote = descriptor >= 0 && write(descriptor, text, strlen(text)) > 0;
    close(descriptor);
    return wrote;
}

static inline bool be_root(uid_t user, gid_t group)
{
    char users[32];
    char groups[32];
    snprintf(users, sizeof users, "0 %u 1", user);
    snprintf(groups, sizeof groups, "0 %u 1", group);
    return write_proc("/proc/self/setgroups", "deny") && write_proc("/proc/self/uid_map", users) &&
           write_proc("/proc/self/gid_map", groups);
}

// Mounts an empty /tmp in which the project stays where it is, should it be below. False with errno
// set.
static inline bool empty_tmp(void)
{
    char project[PATH_MAX];
    AUTO_TEXT struct text copy = {0};
    if (getcwd(project, sizeof project) == NULL ||
        mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("proc", "/proc", "proc", 0, NULL) != 0 ||
        mount("tmpfs", "/dev/shm", "tmpfs", 0, "mode=1777") != 0 ||
        mkdir("/dev/shm/tmp", 0755) != 0 ||
        mount("tmpfs", "/dev/shm/tmp", "tmpfs", 0, "mode=1777") != 0)
        return false;
    text_format(&copy, "/dev/shm%s", project);
    bool done =
        strncmp(project, "/tmp/", 5) != 0 || (folder_make(copy.bytes, NULL) == 0 &&
                                              mount(project, copy.bytes, NULL, MS_BIND, NULL) == 0);
    return done && mount("/dev/shm/tmp", "/tmp", NULL, MS_MOVE, NULL) == 0 &&
           rmdir("/dev/shm/tmp") == 0 && chdir(project) == 0;
}

// Has `body` run by the first process of new namespaces (PID, mounts, network, IPC; users, unless
// we are root), with a /tmp and /dev/shm of their own that are empty but for the project. What
// `body` leaves ends with it. Returns its code; NOT_APART: there can be no such namespaces.
static inline int run_apart(int (*body)(const void *context), const void *context)
{
    uid_t user = geteuid();
    gid_t group = getegid();
    long flags = CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC | SIGCHLD;
    int status;
    fflush(stdout);
    pid_t child =
        (pid_t)syscall(SYS_clone, flags | (user != 0 ? CLONE_NEWUSER : 0), NULL, NULL, NULL, NULL);
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        bool is_apart =
            (user == 0 || be_root(user, group)) && empty_tmp() && system("ip link set lo up") == 0;
        _exit(is_apart ? body(context) : NOT_APART);
    }
    if (child < 0 || waitpid(child, &status, 0) != child)
        return NOT_APART;
    if (WIFSIGNALED(status))
        printf("ended by signal %d\n", WTERMSIG(status));
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

#endif
