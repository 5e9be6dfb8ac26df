#include "harness/cluster/sandbox.h"

#include "harness/base/file.h"
#include "harness/base/limits.h"
#include "harness/base/processes.h"
#include "harness/base/scope.h"
#include "harness/cluster/network.h"
#include "harness/cluster/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// With IPC: what a killed server leaves of System V shared memory goes with it.
#define NAMESPACES (CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWNS | CLONE_NEWIPC)
#define LAST_WAIT_S 1
#define LAST_WAITS 10

struct attempt {
    enum isolation isolation;
    bool user_namespace;
    const char *why_loopback;
    bool chose_loopback;
    const struct sandbox_work *work;
    _Atomic uint32_t *interrupted; // in shared memory
    int lifeline[2];               // its hang-up says that the first process is gone
    int verdict;                   // write end: one error, or nothing if the sandbox stands
    sigset_t signals;              // the first process's mask, for its children to have again
};

static int map_ourselves_to_root(uid_t user, gid_t group)
{
    char map[64];
    if (kernel_write("/proc/self/setgroups", "deny") != 0 && errno != ENOENT)
        return -1;
    snprintf(map, sizeof map, "0 %u 1", user);
    if (kernel_write("/proc/self/uid_map", map) != 0)
        return -1;
    snprintf(map, sizeof map, "0 %u 1", group);
    return kernel_write("/proc/self/gid_map", map);
}

// In init: makes the new namespaces usable. 0, or -1 with `error` set.
static int furnish(bool user_namespace, uid_t user, gid_t group, struct error *error)
{
    if (user_namespace && map_ourselves_to_root(user, group) != 0)
        return error_set(error, "cannot map user %u to root in a user namespace: %s", user,
                         strerror(errno));
    if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
        return error_set(error, "cannot make mounts private: %s", strerror(errno));
    // Ids in /proc are then those of the sandbox. Containers may forbid it; nothing relies on it.
    (void)!mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
    // Nor on this: short_path.c finds another place.
    (void)!mount("none", SANDBOX_FOLDER, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755,size=1m");
    return network_prepare_router(error);
}

// The signals (0 behind the last) are waited for from now on, and do nothing else. *before, if not
// NULL: which were so.
static sigset_t wait_for_signals(const int *signals, sigset_t *before)
{
    sigset_t set;
    sigemptyset(&set);
    for (; *signals != 0; signals++)
        sigaddset(&set, *signals);
    sigprocmask(SIG_BLOCK, &set, before);
    return set;
}

static int exit_code_of(int status)
{
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// --- the end -------------------------------------------------------------------------------------

// Where processes have a namespace of their own, all of it; /proc may be another's there.
static void kill_children(enum isolation isolation)
{
    if (isolation == ISOLATION_NAMESPACES) {
        kill(-1, SIGKILL);
        return;
    }
    AUTO_FREE struct process_list all = process_list_read();
    for (size_t i = 0; i < all.count; i++) {
        if (all.items[i].parent == getpid())
            kill(all.items[i].id, SIGKILL);
    }
}

// Kills all that descends from us, in whatever session it is: who loses its parent becomes our
// child. Returns once nobody is left, or what is left does not die.
static void end_everybody(enum isolation isolation)
{
    struct timespec patience = {.tv_sec = LAST_WAIT_S};
    sigset_t death = wait_for_signals((const int[]){SIGCHLD, 0}, NULL);
    pid_t ended = 0;
    for (int waits = 0; waits < LAST_WAITS && ended >= 0;) {
        kill_children(isolation);
        while ((ended = waitpid(-1, NULL, WNOHANG)) > 0)
            continue;
        if (ended == 0 && sigtimedwait(&death, NULL, &patience) < 0 && errno == EAGAIN)
            waits++;
    }
}

// --- init ----------------------------------------------------------------------------------------

// Everything that loses its parent becomes ours, and is reaped. How the conductor ended, as wait()
// says it; that of a kill if the process that started us is gone.
static int reap_until_end_of(pid_t conductor, int lifeline)
{
    sigset_t death = wait_for_signals((const int[]){SIGCHLD, 0}, NULL);
    struct pollfd look[] = {
        {.fd = signalfd(-1, &death, SFD_CLOEXEC | SFD_NONBLOCK), .events = POLLIN},
        {.fd = lifeline, .events = POLLIN}};
    for (;;) {
        struct signalfd_siginfo ignored;
        int status;
        pid_t ended;
        (void)!read(look[0].fd, &ignored, sizeof ignored);
        while ((ended = waitpid(-1, &status, WNOHANG)) > 0) {
            if (ended == conductor)
                return status;
        }
        if (ended < 0 || (poll(look, 2, -1) > 0 && look[1].revents != 0))
            return SIGKILL;
    }
}

static void be_conductor(const struct attempt *attempt, pid_t init)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != init)
        _exit(1);
    close(attempt->verdict);
    sigprocmask(SIG_SETMASK, &attempt->signals, NULL);
    struct sandbox sandbox = {.isolation = attempt->isolation,
                              .interrupted = attempt->interrupted,
                              .gateway = attempt->work->gateway};
    sandbox.chose_loopback = attempt->chose_loopback;
    if (attempt->isolation == ISOLATION_LOOPBACK)
        snprintf(sandbox.why_loopback, sizeof sandbox.why_loopback, "%.255s",
                 attempt->why_loopback);
    struct error error;
    int code = attempt->work->body(&sandbox, attempt->work->context);
    if (output_end(&error) != 0) {
        fprintf(stderr, "lockpick: %s\n", error.text);
        code = 4;
    }
    fflush(NULL);
    _exit(code);
}

// Outlives the first process, to end what that one cannot end any more, and to clean up behind it.
static void be_init(const struct attempt *attempt, uid_t user, gid_t group)
{
    struct error error = {0};
    close(attempt->lifeline[1]);
    pid_t self = getpid();
    pid_t conductor = -1;
    setsid(); // the terminal's Ctrl-C is for the first process, which ends us all
    int result = 0;
    if (attempt->isolation == ISOLATION_NAMESPACES)
        result = furnish(attempt->user_namespace, user, group, &error);
    else if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0)
        result = error_set(&error, "cannot become a subreaper: %s", strerror(errno));
    if (result == 0) {
        conductor = fork();
        if (conductor == 0)
            be_conductor(attempt, self);
        if (conductor < 0)
            error_set(&error, "cannot fork the conductor: %s", strerror(errno));
    }
    if (conductor < 0) {
        (void)!write(attempt->verdict, &error, sizeof error);
        _exit(1);
    }
    close(attempt->verdict);
    int status = reap_until_end_of(conductor, attempt->lifeline[0]);
    end_everybody(attempt->isolation);
    if (attempt->work->sweep != NULL) // also of what the conductor started, and was killed alone
        attempt->work->sweep(attempt->work->folder);
    _exit(exit_code_of(status));
}

// Makes init: in new namespaces, or as a plain child. A plain clone, because unshare() refuses a
// user namespace to a process with threads, and sanitizers bring one. Returns init's id once the
// sandbox stands, or -1 with `error` set.
static pid_t enter(struct attempt attempt, struct error *error)
{
    int verdict[2];
    if (pipe2(verdict, O_CLOEXEC) != 0)
        return error_set(error, "pipe: %s", strerror(errno));
    attempt.verdict = verdict[1];
    uid_t user = geteuid();
    gid_t group = getegid();
    long flags = SIGCHLD;
    if (attempt.isolation == ISOLATION_NAMESPACES)
        flags |= NAMESPACES | (attempt.user_namespace ? CLONE_NEWUSER : 0);
    fflush(NULL);
    pid_t init = (pid_t)syscall(SYS_clone, flags, NULL, NULL, NULL, NULL);
    if (init == 0) {
        close(verdict[0]);
        be_init(&attempt, user, group);
    }
    int reason = errno;
    close(verdict[1]);
    if (init < 0)
        error_set(error, "clone into new %snamespaces: %s", attempt.user_namespace ? "user " : "",
                  strerror(reason));
    else if (read(verdict[0], error, sizeof *error) == (ssize_t)sizeof *error) {
        waitpid(init, NULL, 0);
        init = -1;
    }
    close(verdict[0]);
    return init;
}

// --- the first process ---------------------------------------------------------------------------

// Waits for the sandbox to end. The first signal to us asks it to, the second ends it, whatever it
// is doing, and so does too long a wait after the first.
static int wait_for_end(pid_t child, const sigset_t *signals, const struct attempt *attempt)
{
    struct timespec patience = {.tv_sec = SANDBOX_PATIENCE_S};
    int status = 0;
    uint32_t first = 0;
    for (pid_t ended = 0; ended != child;) {
        ended = waitpid(child, &status, WNOHANG);
        if (ended < 0 && errno != EINTR)
            return 4; // somebody else has reaped it
        if (ended != 0)
            continue;
        int got = sigtimedwait(signals, NULL, first != 0 ? &patience : NULL);
        if (got == SIGCHLD || (got < 0 && errno == EINTR))
            continue;
        if (first != 0) {
            kill(child, SIGKILL);
        } else {
            first = (uint32_t)got;
            atomic_store(attempt->interrupted, first);
        }
    }
    if (WIFSIGNALED(status)) {
        // Without namespaces, what a killed init leaves behind is ours now.
        if (attempt->isolation == ISOLATION_LOOPBACK)
            end_everybody(attempt->isolation);
        if (attempt->work->sweep != NULL)
            attempt->work->sweep(attempt->work->folder);
    }
    return first != 0 ? 128 + (int)first : exit_code_of(status);
}

int sandbox_run_why(const char *why_loopback, const struct sandbox_work *work)
{
    struct attempt attempt = {.work = work, .chose_loopback = why_loopback != NULL};
    attempt.interrupted = mmap(NULL, sizeof *attempt.interrupted, PROT_READ | PROT_WRITE,
                               MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (attempt.interrupted == MAP_FAILED || pipe2(attempt.lifeline, O_CLOEXEC) != 0) {
        fprintf(stderr, "lockpick: cannot prepare the sandbox: %s\n", strerror(errno));
        return 4;
    }
    sigset_t signals =
        wait_for_signals((const int[]){SIGCHLD, SIGINT, SIGTERM, SIGHUP, 0}, &attempt.signals);
    pid_t child = -1;
    char limits[300];
    struct error error = {0};
    if (why_loopback != NULL) {
        error_set(&error, "%s", why_loopback);
    } else {
        // Root needs no user namespace, and keeps other users' ids usable without one.
        attempt.user_namespace = geteuid() != 0;
        child = enter(attempt, &error);
        if (child < 0 && !attempt.user_namespace) {
            attempt.user_namespace = true;
            child = enter(attempt, &error);
        }
    }
    if (child < 0) {
        attempt.isolation = ISOLATION_LOOPBACK;
        struct error reason = error;
        attempt.why_loopback = reason.text;
        prctl(PR_SET_CHILD_SUBREAPER, 1);
        child = enter(attempt, &error);
    }
    if (child < 0)
        fprintf(stderr, "lockpick: cannot start the conductor: %s. %s\n", error.text,
                limits_too_low(limits, sizeof limits));
    int code = child < 0 ? 4 : wait_for_end(child, &signals, &attempt);
    prctl(PR_SET_CHILD_SUBREAPER, 0);
    sigprocmask(SIG_SETMASK, &attempt.signals, NULL);
    close(attempt.lifeline[0]);
    close(attempt.lifeline[1]);
    munmap((void *)attempt.interrupted, sizeof *attempt.interrupted);
    return code;
}

int sandbox_run(bool loopback_wanted, int (*body)(const struct sandbox *sandbox, void *context),
                void *context)
{
    const struct sandbox_work work = {.body = body, .context = context};
    return sandbox_run_why(loopback_wanted ? "loopback ports were asked for" : NULL, &work);
}
