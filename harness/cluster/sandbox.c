#include "harness/cluster/sandbox.h"

#include "harness/base/file.h"
#include "harness/cluster/network.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define NAMESPACES (CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWNS)

struct attempt {
    bool user_namespace;
    int (*body)(const struct sandbox *, void *);
    void *context;
    _Atomic uint32_t *interrupted; // in shared memory
    int lifeline[2];               // its hang-up says that the first process is gone
    int verdict;                   // write end: one error, or nothing if the sandbox stands
    sigset_t signals;              // the first process's mask, for its children to have again
};

// Dies with the process that started us, also if that one is gone already: its end of the pipe is
// closed then.
static void die_with_parent(const struct attempt *attempt)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    close(attempt->lifeline[1]);
    struct pollfd look = {.fd = attempt->lifeline[0], .events = POLLIN};
    if (poll(&look, 1, 0) != 0)
        _exit(1);
    sigprocmask(SIG_SETMASK, &attempt->signals, NULL);
}

static int write_file(const char *path, const char *text)
{
    int descriptor = open(path, O_WRONLY | O_CLOEXEC);
    if (descriptor < 0)
        return -1;
    ssize_t put = write(descriptor, text, strlen(text));
    int reason = errno;
    close(descriptor);
    errno = reason;
    return put == (ssize_t)strlen(text) ? 0 : -1;
}

static int map_ourselves_to_root(uid_t user, gid_t group)
{
    char map[64];
    if (write_file("/proc/self/setgroups", "deny") != 0 && errno != ENOENT)
        return -1;
    snprintf(map, sizeof map, "0 %u 1", user);
    if (write_file("/proc/self/uid_map", map) != 0)
        return -1;
    snprintf(map, sizeof map, "0 %u 1", group);
    return write_file("/proc/self/gid_map", map);
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

static int exit_code_of(int status)
{
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// PID 1: everything that loses its parent becomes ours, and is reaped.
static void reap_until_end_of(pid_t conductor)
{
    for (;;) {
        int status;
        pid_t ended = wait(&status);
        if (ended == conductor)
            _exit(exit_code_of(status));
        if (ended < 0 && errno != EINTR)
            _exit(1);
    }
}

// As the conductor.
static _Noreturn void perform(const struct attempt *attempt, const struct sandbox *sandbox)
{
    struct error error;
    int code = attempt->body(sandbox, attempt->context);
    if (output_end(&error) != 0) {
        fprintf(stderr, "lockpick: %s\n", error.text);
        code = 4;
    }
    fflush(NULL);
    _exit(code);
}

static void be_init(const struct attempt *attempt, uid_t user, gid_t group)
{
    die_with_parent(attempt);
    setsid(); // the terminal's Ctrl-C is for the first process, which ends us all
    struct error error = {0};
    if (furnish(attempt->user_namespace, user, group, &error) != 0) {
        (void)!write(attempt->verdict, &error, sizeof error);
        _exit(1);
    }
    pid_t conductor = fork();
    if (conductor == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        close(attempt->verdict);
        struct sandbox sandbox = {.isolation = ISOLATION_NAMESPACES,
                                  .interrupted = attempt->interrupted};
        perform(attempt, &sandbox);
    }
    if (conductor < 0) {
        error_set(&error, "cannot fork the conductor: %s", strerror(errno));
        (void)!write(attempt->verdict, &error, sizeof error);
        _exit(1);
    }
    close(attempt->verdict);
    reap_until_end_of(conductor);
}

// Clones init into new namespaces. A plain clone, because unshare() refuses a user namespace to a
// process with threads, and sanitizers bring one. Returns init's id once the sandbox stands, or -1
// with `error` set.
static pid_t enter(struct attempt attempt, struct error *error)
{
    int verdict[2];
    if (pipe2(verdict, O_CLOEXEC) != 0)
        return error_set(error, "pipe: %s", strerror(errno));
    attempt.verdict = verdict[1];
    uid_t user = geteuid();
    gid_t group = getegid();
    long flags = NAMESPACES | SIGCHLD | (attempt.user_namespace ? CLONE_NEWUSER : 0);
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

static pid_t enter_without_namespaces(const struct attempt *attempt, const char *why)
{
    fflush(NULL);
    pid_t conductor = fork();
    if (conductor != 0)
        return conductor;
    die_with_parent(attempt);
    setsid();
    struct sandbox sandbox = {.isolation = ISOLATION_LOOPBACK, .interrupted = attempt->interrupted};
    snprintf(sandbox.why_loopback, sizeof sandbox.why_loopback, "%.255s", why);
    perform(attempt, &sandbox);
}

// Waits for the sandbox to end. The first signal to us asks it to, the second ends it, whatever it
// is doing, and so does too long a wait after the first.
static int wait_for_end(pid_t child, const sigset_t *signals, _Atomic uint32_t *interrupted)
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
            atomic_store(interrupted, first);
        }
    }
    return first != 0 ? 128 + (int)first : exit_code_of(status);
}

int sandbox_run_why(const char *why_loopback,
                    int (*body)(const struct sandbox *sandbox, void *context), void *context)
{
    struct attempt attempt = {.body = body, .context = context};
    attempt.interrupted = mmap(NULL, sizeof *attempt.interrupted, PROT_READ | PROT_WRITE,
                               MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (attempt.interrupted == MAP_FAILED || pipe2(attempt.lifeline, O_CLOEXEC) != 0) {
        fprintf(stderr, "lockpick: cannot prepare the sandbox: %s\n", strerror(errno));
        return 4;
    }
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGCHLD);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGHUP);
    sigprocmask(SIG_BLOCK, &signals, &attempt.signals);
    pid_t child = -1;
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
    if (child < 0)
        child = enter_without_namespaces(&attempt, error.text);
    if (child < 0)
        fprintf(stderr, "lockpick: cannot start the conductor: %s\n", strerror(errno));
    int code = child < 0 ? 4 : wait_for_end(child, &signals, attempt.interrupted);
    sigprocmask(SIG_SETMASK, &attempt.signals, NULL);
    close(attempt.lifeline[0]);
    close(attempt.lifeline[1]);
    munmap((void *)attempt.interrupted, sizeof *attempt.interrupted);
    return code;
}

int sandbox_run(bool loopback_wanted, int (*body)(const struct sandbox *sandbox, void *context),
                void *context)
{
    return sandbox_run_why(loopback_wanted ? "loopback ports were asked for" : NULL, body, context);
}
