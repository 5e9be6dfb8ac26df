#include "harness/wire/driver_parts.h"

#include "harness/base/clock.h"
#include "harness/base/scope.h"
#include "harness/cluster/process.h"
#include "harness/wire/peer.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define END_NS (2 * NS_PER_S)
// An agent ends its driver first, and its end has to be heard of from another host.
#define AGENT_END_NS (5 * NS_PER_S)
#define SLICE_NS (100 * NS_PER_MS)
#define LOOK_EVERY_NS (2 * NS_PER_MS)
#define LOOK_NS (250 * NS_PER_MS)
#define LONGEST_LOG (100 * 1000 * 1000)
// Programs that a program has started are looked at so many generations deep.
#define GENERATIONS 4

// --- what to do about one that cannot be started -------------------------------------------------

static bool is_there(const char *path)
{
    return access(path, F_OK) == 0;
}

// What a script names as its interpreter, in `name`; "" if it is no script.
static void read_interpreter(const char *path, char *name, size_t room)
{
    FILE *file = fopen(path, "re");
    char line[200] = "";
    name[0] = '\0';
    if (file != NULL && fgets(line, sizeof line, file) != NULL && strncmp(line, "#!", 2) == 0) {
        const char *from = line + 2 + strspn(line + 2, " \t");
        snprintf(name, room, "%.*s", (int)strcspn(from, " \t\r\n"), from);
    }
    if (file != NULL)
        fclose(file);
}

void driver_process_advise(const struct external_client *external_client, struct text *out)
{
    const char *program = external_client->command[0];
    const char *folder = external_client->folder;
    const char *name = program;
    AUTO_TEXT struct text path = {0}; // as the driver sees it, which runs in its folder
    struct stat about;
    char interpreter[200];
    while (strncmp(name, "./", 2) == 0)
        name += 2;
    if (name[0] != '/' && folder[0] != '\0')
        text_format(&path, "%s/", folder);
    text_add(&path, name);
    read_interpreter(path.bytes, interpreter, sizeof interpreter);
    if (folder[0] != '\0' && (stat(folder, &about) != 0 || !S_ISDIR(about.st_mode)))
        text_add(out, "; there is no such folder");
    else if (strchr(program, ' ') != NULL && !is_there(path.bytes))
        text_add(out, "; 'command' is a list of the program and its arguments: [python3, lock.py]");
    else if (strchr(program, '/') == NULL && is_there(path.bytes))
        text_format(out, "; a program in the folder is named by a path: ./%s", program);
    else if (strchr(program, '/') == NULL)
        text_add(out, "; no program of that name is installed");
    else if (!is_there(path.bytes))
        text_format(out, "; there is no file %s", path.bytes);
    else if (access(path.bytes, X_OK) != 0)
        text_format(out,
                    "; make it executable (chmod +x %s), and let its first line name its "
                    "interpreter (#!/usr/bin/python3), or put that first: [python3, %s]",
                    path.bytes, program);
    else if (interpreter[0] != '\0' && !is_there(interpreter))
        text_format(out, "; its first line says that %s runs it, which is not there", interpreter);
}

// --- its end -------------------------------------------------------------------------------------

// Waits for its end; false if it does not come in time, which is the machine's: a schedule's may
// stand still meanwhile.
static bool reap(struct driver_process *process, int64_t limit_ns)
{
    int64_t give_up_ns = clock_of_machine_ns() + limit_ns;
    while (!process->reaped) {
        pid_t ended = waitpid(process->id, &process->status, WNOHANG);
        process->reaped = ended == process->id || (ended < 0 && errno == ECHILD);
        if (!process->reaped && clock_of_machine_ns() >= give_up_ns)
            return false;
        if (!process->reaped)
            clock_sleep_until_ns(clock_of_machine_ns() + LOOK_EVERY_NS);
    }
    return true;
}

// What Node and Java put behind the line that names an error: where it came from, their version.
static bool is_of_stack(const char *line, const char *end)
{
    static const char version[] = "Node.js v";
    return line == end || isspace((unsigned char)line[0]) || line[0] == '}' ||
           ((size_t)(end - line) > strlen(version) && strncmp(line, version, strlen(version)) == 0);
}

#define DEBIAN_PYTHON "/usr/bin/python3"

// A module that Debian has installed is of Debian's python3. Another one before it in PATH has
// modules of its own.
static void advise_python(const char *program, const char *line, size_t length, struct text *out)
{
    static const char missing[] = "ModuleNotFoundError";
    char paths[2][PATH_MAX] = {"", ""};
    AUTO_FREE char *found = strchr(program, '/') == NULL ? program_path(program) : NULL;
    const char *path = found != NULL ? found : program;
    if (memmem(line, length, missing, strlen(missing)) != NULL && is_there(DEBIAN_PYTHON) &&
        realpath(path, paths[0]) != NULL && realpath(DEBIAN_PYTHON, paths[1]) != NULL &&
        strcmp(paths[0], paths[1]) != 0)
        text_format(out,
                    "; %s is %s, which lacks what Debian's packages install for " DEBIAN_PYTHON
                    ": name that one in 'command'",
                    program, path);
}

// Of a long log, only the end is read.
void driver_process_quote_log(const struct driver *driver, struct text *out)
{
    char log[4096];
    const char *path = driver->settings.log_path;
    int file = path != NULL ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0)
        return;
    off_t bytes = lseek(file, 0, SEEK_END);
    off_t from = bytes > (off_t)sizeof log ? bytes - (off_t)sizeof log : 0;
    ssize_t length = pread(file, log, sizeof log, from);
    close(file);
    if (length <= 0)
        return;
    const char *end = log + length;
    const char *newline = memrchr(log, '\n', (size_t)length);
    while (newline != NULL && is_of_stack(newline + 1, end)) {
        end = newline;
        newline = memrchr(log, '\n', (size_t)(end - log));
    }
    const char *line = newline != NULL ? newline + 1 : log;
    while (end > line && end[-1] == '\r') // as ssh ends its lines
        end--;
    text_format(out, "; its log ends with '%s'", driver_quote(line, (size_t)(end - line)));
    if (driver->host.address.host == NULL) // that machine is another
        advise_python(driver->settings.external_client->command[0], line, (size_t)(end - line),
                      out);
}

static void say_it_died(struct driver *driver)
{
    struct driver_process *process = &driver->process;
    const struct driver_host *host = &driver->host;
    AUTO_TEXT struct text how = {0};
    if (!reap(process, END_NS))
        text_add(&how, "has closed its standard output");
    else if (WIFSIGNALED(process->status))
        text_format(&how, "has died by signal %d", WTERMSIG(process->status));
    else
        text_format(&how, "has ended with status %d", WEXITSTATUS(process->status));
    if (process->reaped && process->status == 0)
        text_add(&how, ", and must not before it is told to quit or its standard input ends");
    if (host->address.host != NULL && !host->has_answered) {
        text_add(&how, " before its agent answered, ");
        agent_say_launch(&host->address, NULL, &how);
    }
    driver_process_quote_log(driver, &how);
    driver_fail(driver, "%s", how.bytes);
}

void driver_process_end(struct driver *driver, bool was_well)
{
    static const char quit[] = "{\"do\": \"quit\"}\n";
    struct driver_process *process = &driver->process;
    (void)!eventfd_write(process->wake, 1);
    if (process->has_reader)
        pthread_join(process->reader, NULL);
    if (process->id > 0 && was_well)
        driver_process_send(driver, quit, strlen(quit), END_NS);
    close(process->input);
    close(process->output);
    bool is_elsewhere = driver->host.address.host != NULL;
    if (process->id > 0 && !reap(process, is_elsewhere ? AGENT_END_NS : was_well ? END_NS : 0)) {
        kill(process->id, SIGKILL);
        reap(process, END_NS);
    }
    close(process->wake);
    pthread_mutex_destroy(&process->sending);
    pthread_mutex_destroy(&process->looking);
    thread_watch_free(&process->threads);
}

// --- reading and sending -------------------------------------------------------------------------

// False once its log is as long as no log may be; the program, which fills the disk, is ended then.
// And once it was killed, although what it has started still holds its output. Looks now and then.
static bool goes_on(struct driver *driver, int64_t *looked_ns)
{
    struct driver_process *process = &driver->process;
    const char *log_path = driver->settings.log_path;
    struct stat about;
    int64_t now_ns = clock_of_machine_ns();
    if (now_ns - *looked_ns < LOOK_NS)
        return true;
    *looked_ns = now_ns;
    if (reap(process, 0) && WIFSIGNALED(process->status)) {
        say_it_died(driver);
        return false;
    }
    if (log_path == NULL || stat(log_path, &about) != 0 || about.st_size <= LONGEST_LOG)
        return true;
    if (!process->reaped)
        kill(process->id, SIGKILL);
    driver_fail(driver, "floods its standard error: its log is longer than 100 MB");
    return false;
}

// Hears each whole line; what is left over is moved to the front. Returns how many bytes that is.
static size_t hear_lines(struct driver *driver, char *bytes, size_t length)
{
    char *from = bytes;
    char *end = bytes + length;
    for (char *newline; (newline = memchr(from, '\n', (size_t)(end - from))) != NULL;) {
        if (newline > from && !driver_host_hear(driver, from, (size_t)(newline - from)))
            driver_hear(driver, from, (size_t)(newline - from));
        from = newline + 1;
    }
    memmove(bytes, from, (size_t)(end - from));
    return (size_t)(end - from);
}

static void *read_lines(void *context)
{
    struct driver *driver = context;
    struct driver_process *process = &driver->process;
    AUTO_FREE char *bytes = memory_new(DRIVER_LONGEST_LINE);
    size_t length = 0;
    int64_t looked_ns = 0;
    while (goes_on(driver, &looked_ns)) {
        struct pollfd ready[] = {{.fd = process->output, .events = POLLIN},
                                 {.fd = process->wake, .events = POLLIN}};
        int look_ms = driver_host_look(driver);
        if (look_ms < 0)
            look_ms = (int)(LOOK_NS / NS_PER_MS);
        if ((poll(ready, 2, look_ms) < 0 && errno != EINTR) || ready[1].revents != 0)
            break;
        if (ready[0].revents == 0)
            continue;
        atomic_store(&process->is_hearing, true);
        ssize_t got = read(process->output, bytes + length, DRIVER_LONGEST_LINE - length);
        if (got == 0 || (got < 0 && errno != EINTR)) {
            say_it_died(driver);
            break;
        }
        if (got > 0)
            length = hear_lines(driver, bytes, length + (size_t)got);
        atomic_store(&process->is_hearing, false);
        if (length == DRIVER_LONGEST_LINE) {
            driver_fail(driver, "floods: a line must have at most %d bytes; this one begins '%s'",
                        DRIVER_LONGEST_LINE - 1, driver_quote(bytes, 60));
            break;
        }
    }
    return NULL;
}

int driver_process_send(struct driver *driver, const char *line, size_t length, int64_t patience_ns)
{
    struct driver_process *process = &driver->process;
    int64_t left_ns = patience_ns;
    HOLD_MUTEX(&process->sending);
    while (length > 0 && left_ns > 0 && atomic_load(&driver->failed) == 0) {
        ssize_t sent = write(process->input, line, length);
        if (sent > 0) {
            line += sent;
            length -= (size_t)sent;
        } else if (sent < 0 && errno != EAGAIN && errno != EINTR) {
            break; // it is dead: the reader will know how
        } else {
            struct pollfd ready = {.fd = process->input, .events = POLLOUT};
            int64_t from_ns = clock_of_machine_ns();
            poll(&ready, 1, (int)(SLICE_NS / NS_PER_MS));
            left_ns -= time_earlier(clock_of_machine_ns() - from_ns, 2 * SLICE_NS);
        }
    }
    return length == 0 ? 0 : -1;
}

static bool is_at_work(struct driver_process *process, const struct process_list *all, pid_t id,
                       int generations)
{
    bool is = thread_watch_is(&process->threads, id, THREAD_CAN_RUN);
    for (size_t i = 0; i < all->count && !is && generations > 1; i++)
        is = all->items[i].parent == id &&
             is_at_work(process, all, all->items[i].id, generations - 1);
    return is;
}

bool driver_process_is_at_work(struct driver *driver)
{
    struct driver_process *process = &driver->process;
    if (driver->host.address.host != NULL)
        return atomic_load(&driver->host.way) > PROCESS_RESTS;
    struct process_list all = process_list_read();
    HOLD_MUTEX(&process->looking);
    bool is = is_at_work(process, &all, process->id, GENERATIONS);
    free(all.items);
    return is;
}

// --- starting ------------------------------------------------------------------------------------

// Starts the program, with the ends of its pipes as streams.
static pid_t execute(const struct driver *driver, const char *const *environment,
                     const int *streams, struct error *error)
{
    const struct external_client *external_client = driver->settings.external_client;
    const struct agent_address *address = &driver->host.address;
    bool is_elsewhere = address->host != NULL;
    const char *folder = external_client->folder;
    AUTO_LIST struct string_list launch = {0};
    if (is_elsewhere)
        agent_command(address, NULL, &launch);
    const struct process_settings settings = {
        .arguments = is_elsewhere ? (const char *const *)launch.items : external_client->command,
        .environment = is_elsewhere ? NULL : environment,
        .folder = folder[0] != '\0' && !is_elsewhere ? folder : NULL,
        .log_path = driver->settings.log_path,
        .streams = streams,
        .network_namespace = driver->proxy != NULL ? proxy_network(driver->proxy) : -1,
        .processor = -1};
    struct error reason = {0};
    AUTO_TEXT struct text advice = {0};
    pid_t id = process_start(&settings, &reason);
    if (id > 0)
        return id;
    if (is_elsewhere)
        return error_set(error, "no agent was launched on host %s: %s; 'launch' is its command",
                         address->host, reason.text);
    driver_process_advise(external_client, &advice);
    return error_set(error, "the driver of the scheme %s, in the folder %s: %s%s",
                     external_client->name, folder[0] != '\0' ? folder : ".", reason.text,
                     text_string(&advice));
}

int driver_process_start(struct driver *driver, struct error *error)
{
    const struct driver_settings *settings = &driver->settings;
    const struct service *service = settings->service;
    struct driver_process *process = &driver->process;
    struct text variables[DRIVER_VARIABLES + SERVICE_VARIABLES] = {{0}};
    const char *environment[DRIVER_VARIABLES + SERVICE_VARIABLES + 1] = {NULL};
    int input[2] = {-1, -1};
    int output[2] = {-1, -1};
    int result = 0;
    if (settings->exploration != NULL)
        result = driver_gate_describe(settings->exploration, variables, error);
    if (service != NULL)
        service_tell(service, &variables[DRIVER_VARIABLES]);
    for (size_t i = 0, count = 0; i < DRIVER_VARIABLES + SERVICE_VARIABLES; i++) {
        if (variables[i].bytes != NULL)
            environment[count++] = variables[i].bytes;
    }
    if (result == 0 && (pipe2(input, O_CLOEXEC) != 0 || pipe2(output, O_CLOEXEC) != 0))
        error_set(error, "cannot make a pipe: %s", strerror(errno));
    else if (result == 0)
        process->id = execute(driver, environment, (const int[]){input[0], output[1]}, error);
    close(input[0]);
    close(output[1]);
    process->input = input[1];
    process->output = output[0];
    fcntl(process->input, F_SETFL, O_NONBLOCK);
    if (process->id > 0 && driver->host.address.host != NULL) {
        AUTO_TEXT struct text opening = {0};
        agent_write_opening(&driver->host.address, settings->external_client, environment,
                            &opening);
        driver_process_send(driver, opening.bytes, opening.length,
                            settings->external_client->patience_ns);
    }
    for (size_t i = 0; i < DRIVER_VARIABLES + SERVICE_VARIABLES; i++)
        text_free(&variables[i]);
    if (process->id <= 0)
        return -1;
    int reason = pthread_create(&process->reader, NULL, read_lines, driver);
    process->has_reader = reason == 0;
    return reason == 0 ? 0
                       : error_set(error, "cannot start a driver's thread: %s", strerror(reason));
}
