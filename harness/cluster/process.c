#include "harness/cluster/process.h"

#include "harness/base/clock.h"
#include "harness/base/file.h"
#include "harness/base/growing.h"
#include "harness/base/processes.h"
#include "harness/base/scope.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <grp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ORDINARY_ID 1

int processor_nth(int nth)
{
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return -1;
    for (size_t processor = 0; processor < CPU_SETSIZE; processor++) {
        if (CPU_ISSET(processor, &allowed) && nth-- == 0)
            return (int)processor;
    }
    return -1;
}

int process_settle(pid_t parent, int network_namespace, int processor)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    if (network_namespace >= 0 && setns(network_namespace, CLONE_NEWNET) != 0)
        return -1;
    if (processor >= 0) {
        cpu_set_t set;
        CPU_ZERO(&set);
        CPU_SET((size_t)processor, &set);
        if (sched_setaffinity(0, sizeof set, &set) != 0)
            return -1;
    }
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur = files.rlim_max;
        setrlimit(RLIMIT_NOFILE, &files);
    }
    return 0;
}

int kernel_write(const char *path, const char *text)
{
    int descriptor = open(path, O_WRONLY | O_CLOEXEC);
    if (descriptor < 0)
        return -1;
    ssize_t written = write(descriptor, text, strlen(text));
    int reason = errno;
    close(descriptor);
    errno = reason;
    return written == (ssize_t)strlen(text) ? 0 : -1;
}

static int give_away(const char *path, const struct stat *about, int kind, struct FTW *where)
{
    (void)about;
    (void)kind;
    (void)where;
    return lchown(path, ORDINARY_ID, ORDINARY_ID);
}

// Becomes another user, who gets the folder. False if there is none besides root here.
static bool become_another(const char *folder)
{
    return nftw(folder, give_away, 16, FTW_PHYS) == 0 && setgroups(0, NULL) == 0 &&
           setgid(ORDINARY_ID) == 0 && setuid(ORDINARY_ID) == 0;
}

// Puts off root. In a user namespace of its own, files that belong to us still do: that is enough
// where nobody else can reach the program.
static int become_ordinary(const struct process_settings *settings)
{
    char map[32];
    if (geteuid() != 0)
        return 0;
    bool is_reachable = settings->network_namespace < 0;
    if (is_reachable && become_another(settings->folder))
        return 0;
    snprintf(map, sizeof map, "%d 0 1", ORDINARY_ID);
    if (unshare(CLONE_NEWUSER) != 0)
        return become_another(settings->folder) ? 0 : -1;
    return kernel_write("/proc/self/setgroups", "deny") != 0 ||
                   kernel_write("/proc/self/uid_map", map) != 0 ||
                   kernel_write("/proc/self/gid_map", map) != 0
               ? -1
               : 0;
}

// In the child. Returns only if it failed; the caller reports errno.
static void become(const struct process_settings *settings, pid_t parent, int output, int input)
{
    signal(SIGPIPE, SIG_DFL);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (settings->folder != NULL && chdir(settings->folder) != 0)
        return;
    if (input < 0)
        input = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (settings->own_group && setpgid(0, 0) != 0)
        return;
    if (process_settle(parent, settings->network_namespace, settings->processor) != 0 ||
        dup2(input, STDIN_FILENO) < 0 || (output >= 0 && dup2(output, STDOUT_FILENO) < 0) ||
        (output >= 0 && dup2(output, STDERR_FILENO) < 0))
        return;
    if (settings->streams != NULL && (dup2(settings->streams[0], STDIN_FILENO) < 0 ||
                                      dup2(settings->streams[1], STDOUT_FILENO) < 0))
        return;
    if (settings->ordinary_user && become_ordinary(settings) != 0)
        return;
    for (size_t i = 0; settings->environment != NULL && settings->environment[i] != NULL; i++)
        putenv((char *)(size_t)settings->environment[i]);
    prctl(PR_SET_PDEATHSIG, SIGKILL); // which a change of user undoes
    execvp(settings->arguments[0], (char *const *)(size_t)settings->arguments);
}

// Forks and executes; waits until the execution has succeeded or failed, which a pipe that closes
// on exec tells.
static pid_t start(const struct process_settings *settings, int output, int input,
                   struct error *error)
{
    int report[2];
    if (pipe2(report, O_CLOEXEC) != 0)
        return error_set(error, "cannot start %s: pipe: %s", settings->arguments[0],
                         strerror(errno));
    pid_t parent = getpid();
    pid_t id = fork();
    if (id == 0) {
        become(settings, parent, output, input);
        int reason = errno;
        (void)!write(report[1], &reason, sizeof reason);
        _exit(127);
    }
    int reason = id < 0 ? errno : 0;
    close(report[1]);
    if (id > 0 && read(report[0], &reason, sizeof reason) == (ssize_t)sizeof reason) {
        waitpid(id, NULL, 0);
        id = -1;
    }
    close(report[0]);
    if (id < 0)
        error_set(error, "cannot start %s: %s", settings->arguments[0], strerror(reason));
    return id;
}

pid_t process_start(const struct process_settings *settings, struct error *error)
{
    if (settings->log_path == NULL)
        return start(settings, -1, -1, error);
    int log = open(settings->log_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (log < 0)
        return error_set(error, "cannot open the log %s: %s", settings->log_path, strerror(errno));
    pid_t id = start(settings, log, -1, error);
    close(log);
    return id;
}

// The input goes through a file without a name, so that a program that does not read it cannot
// block us.
static int open_input(const char *input)
{
    int descriptor = memfd_create("input", MFD_CLOEXEC);
    size_t length = strlen(input);
    if (descriptor >= 0 && (write(descriptor, input, length) != (ssize_t)length ||
                            lseek(descriptor, 0, SEEK_SET) != 0)) {
        close(descriptor);
        return -1;
    }
    return descriptor;
}

#define LOOK_EVERY_MS 10

// Reads for a moment. False once there is nothing more to come.
static bool read_some(int descriptor, struct text *output)
{
    char block[4096];
    struct pollfd ready = {.fd = descriptor, .events = POLLIN};
    if (poll(&ready, 1, LOOK_EVERY_MS) <= 0)
        return true;
    ssize_t got = read(descriptor, block, sizeof block);
    if (got > 0)
        text_add_bytes(output, block, (size_t)got);
    return got > 0 || (got < 0 && errno == EINTR);
}

int process_wait(pid_t id, const char *program, struct process_limit limit, int descriptor,
                 struct text *output, struct error *error)
{
    static const struct timespec pause = {.tv_nsec = NS_PER_MS};
    // Of the machine's time, also where the harness lives in another (explore).
    int64_t give_up_ns = clock_of_machine_ns() + limit.seconds * NS_PER_S;
    bool is_open = descriptor >= 0;
    int status = 0;
    for (;;) {
        if (is_open)
            is_open = read_some(descriptor, output);
        if (!is_open && waitpid(id, &status, WNOHANG) != 0)
            return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        bool is_interrupted = limit.interrupted != NULL && atomic_load(limit.interrupted) != 0;
        if (is_interrupted || clock_of_machine_ns() > give_up_ns) {
            process_kill(id);
            return is_interrupted ? error_set(error, "interrupted while %s ran", program)
                                  : error_set(error, "%s did not end within %d s, and was killed",
                                              program, limit.seconds);
        }
        if (!is_open)
            nanosleep(&pause, NULL);
    }
}

int process_run(const char *const *arguments, const char *input, int network_namespace,
                struct process_limit limit, struct text *output, struct error *error)
{
    int descriptor = open_input(input);
    int pipes[2];
    if (descriptor < 0 || pipe2(pipes, O_CLOEXEC) != 0)
        return error_set(error, "cannot run %s: %s", arguments[0], strerror(errno));
    struct process_settings settings = {
        .arguments = arguments, .network_namespace = network_namespace, .processor = -1};
    pid_t id = start(&settings, pipes[1], descriptor, error);
    close(descriptor);
    close(pipes[1]);
    int status = id > 0 ? process_wait(id, arguments[0], limit, pipes[0], output, error) : -1;
    close(pipes[0]);
    return status;
}

const char *process_end(int status, char *out, size_t room)
{
    snprintf(out, room, "%s %d", WIFSIGNALED(status) ? "signal" : "exit status",
             WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    return out;
}

const char *process_doing(pid_t id)
{
    struct process_entry entry;
    char state = process_read(id, &entry) ? entry.state : '?';
    return state == 'R'                   ? "runs"
           : state == 'S'                 ? "waits"
           : state == 'D'                 ? "waits for the kernel"
           : state == 'T' || state == 't' ? "is stopped"
           : state == 'Z'                 ? "is dead"
                                          : "is gone";
}

void process_kill(pid_t id)
{
    if (id <= 0)
        return;
    kill(id, SIGKILL);
    while (waitpid(id, NULL, 0) < 0 && errno == EINTR)
        continue;
}

void programs_of_system_find(void)
{
    AUTO_TEXT struct text path = {0};
    const char *given = getenv("PATH");
    glob_t found;
    text_format(&path, "%s:/usr/sbin:/sbin", given != NULL ? given : "/usr/bin:/bin");
    if (glob("/usr/lib/postgresql/*/bin/postgres", 0, NULL, &found) == 0) {
        const char *newest = found.gl_pathv[0];
        for (size_t i = 1; i < found.gl_pathc; i++)
            newest = strverscmp(found.gl_pathv[i], newest) > 0 ? found.gl_pathv[i] : newest;
        text_format(&path, ":%.*s", (int)(strrchr(newest, '/') - newest), newest);
        globfree(&found);
    }
    setenv("PATH", path.bytes, 1);
}

char *program_path(const char *program)
{
    const char *path = getenv("PATH");
    AUTO_FREE char *folders = memory_string(path != NULL ? path : "");
    char *rest = folders;
    for (char *folder; (folder = strsep(&rest, ":")) != NULL;) {
        char *candidate = path_join(folder, program);
        if (access(candidate, X_OK) == 0)
            return candidate;
        free(candidate);
    }
    return NULL;
}

bool program_exists(const char *program)
{
    if (strchr(program, '/') != NULL)
        return access(program, X_OK) == 0;
    AUTO_FREE char *path = program_path(program);
    return path != NULL;
}

bool need_is_there(const char *need, const char *folder)
{
    if (strchr(need, '/') == NULL)
        return program_exists(need);
    AUTO_FREE char *path =
        need[0] == '/' || folder[0] == '\0' ? memory_string(need) : path_join(folder, need);
    return access(path, R_OK) == 0;
}

// --- a group of processes ------------------------------------------------------------------------

#define DEATH_NS (10 * NS_PER_S)

bool process_is_alive(const struct process_entry *process)
{
    return (process->state != 'Z' && process->state != 'X') || process->threads > 1;
}

bool process_goes_on(const struct process_entry *process)
{
    bool goes_on = false;
    struct thread_watch watch = {0};
    const struct thread_status *threads;
    if (process_is_alive(process) && process->state != 'T' && process->state != 't')
        return true;
    size_t count = process->threads > 1 ? thread_watch_read(&watch, process->id, &threads) : 0;
    for (size_t i = 0; i < count; i++)
        goes_on |= strchr("TtZX", threads[i].state) == NULL;
    thread_watch_free(&watch);
    return goes_on;
}

// True if no process of the group is so.
static bool none_is(pid_t group, bool (*is_so)(const struct process_entry *), const char *word,
                    struct error *error)
{
    struct process_list all = process_list_read();
    AUTO_FREE struct process_entry *process = all.items;
    if (all.count == 0) {
        error_set(error, "cannot read /proc to see what process group %d does", group);
        return false;
    }
    for (size_t i = 0; i < all.count; i++) {
        if (process[i].group == group && is_so(&process[i])) {
            error_set(error, "process %d of the client's group %s", (int)process[i].id, word);
            return false;
        }
    }
    return true;
}

bool process_group_stands_still(pid_t group, struct error *error)
{
    return none_is(group, process_goes_on, "does not stand still", error);
}

bool process_group_is_dead(pid_t group, struct error *error)
{
    return none_is(group, process_is_alive, "is not dead", error);
}

// Waits until the process has ended with all its threads.
static void await_end(pid_t process, int64_t give_up_ns)
{
    int64_t left_ns = give_up_ns - clock_monotonic_ns();
    struct pollfd end = {.fd = (int)syscall(SYS_pidfd_open, process, 0), .events = POLLIN};
    struct timespec left = {left_ns / NS_PER_S, (long)(left_ns % NS_PER_S)};
    if (end.fd >= 0 && left_ns > 0)
        ppoll(&end, 1, &left, NULL);
    if (end.fd >= 0)
        close(end.fd);
}

int process_group_kill(pid_t group, struct error *error)
{
    int64_t give_up_ns = clock_monotonic_ns() + DEATH_NS;
    if (kill(-group, SIGKILL) != 0)
        return errno == ESRCH
                   ? 0
                   : error_set(error, "SIGKILL to process group %d: %s", group, strerror(errno));
    AUTO_FREE struct process_list all = process_list_read();
    for (size_t i = 0; i < all.count; i++) {
        if (all.items[i].group == group)
            await_end(all.items[i].id, give_up_ns);
    }
    return process_group_is_dead(group, error) ? 0 : -1;
}

// --- ports ---------------------------------------------------------------------------------------

// The sockets of processes, by their inodes.
struct inodes {
    unsigned long *items;
    size_t count, room;
};

// 0, or -1 with `error` set.
static int add_inodes(pid_t process, struct inodes *inodes, struct error *error)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fd", (int)process);
    DIR *folder = opendir(path);
    if (folder == NULL)
        return error_set(error, "cannot read %s: %s", path, strerror(errno));
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        char target[64] = "";
        unsigned long inode = 0;
        if (readlinkat(dirfd(folder), entry->d_name, target, sizeof target - 1) <= 0 ||
            sscanf(target, "socket:[%lu]", &inode) != 1 || inode == 0)
            continue;
        *APPEND(inodes->items, inodes->count, inodes->room) = inode;
    }
    closedir(folder);
    return 0;
}

// Programs in Java have sockets of IPv6 also for addresses of IPv4. 0, or -1 with `error` set.
static int add_ports(const char *path, const struct inodes *inodes, int *ports, int room,
                     int *found, struct error *error)
{
    char line[256];
    FILE *table = fopen(path, "re");
    if (table == NULL)
        return error_set(error, "cannot read %s: %s", path, strerror(errno));
    while (*found < room && fgets(line, sizeof line, table) != NULL) {
        unsigned port;
        unsigned long inode = 0; // which no socket has
        // sl local:port remote:port state queues timer retransmits uid timeout inode
        sscanf(line, " %*d: %*32[0-9A-F]:%x %*s %*s %*s %*s %*s %*s %*s %lu", &port, &inode);
        size_t i = 0;
        while (i < inodes->count && inodes->items[i] != inode)
            i++;
        if (i < inodes->count)
            ports[(*found)++] = (int)port;
    }
    fclose(table);
    return 0;
}

int process_ports(pid_t process, int *ports, int room, struct error *error)
{
    AUTO_FREE struct inodes inodes = {0};
    int found = 0;
    int result = add_inodes(process, &inodes, error);
    AUTO_FREE struct process_list all = process_list_read();
    for (size_t i = 0; result == 0 && i < all.count; i++) {
        // What one that has ended by now had open is nobody's any more.
        if (all.items[i].group == process && all.items[i].id != process)
            add_inodes(all.items[i].id, &inodes, NULL);
    }
    if (result == 0)
        result = add_ports("/proc/net/tcp", &inodes, ports, room, &found, error);
    if (result == 0)
        add_ports("/proc/net/tcp6", &inodes, ports, room, &found, NULL); // if there is IPv6
    return result == 0 ? found : -1;
}
