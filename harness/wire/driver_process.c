#include "harness/wire/driver_process.h"

#include "harness/base/clock.h"
#include "harness/cluster/process.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define END_NS (2 * NS_PER_S)
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

// What a script names as its interpreter, in `name`; false if it is no script.
static bool read_interpreter(const char *path, char *name, size_t room)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = file >= 0 ? read(file, name, room - 1) : -1;
    if (file >= 0)
        close(file);
    if (length < 3 || strncmp(name, "#!", 2) != 0)
        return false;
    name[length] = '\0';
    const char *from = name + 2 + strspn(name + 2, " \t");
    size_t rest = strcspn(from, " \t\r\n");
    memmove(name, from, rest);
    name[rest] = '\0';
    return rest > 0;
}

// A program that is found by its path.
static void advise_path(const char *path, const char *given, struct text *out)
{
    char interpreter[200];
    if (!is_there(path))
        text_format(out, "; there is no file %s", path);
    else if (access(path, X_OK) != 0)
        text_format(out,
                    "; make it executable (chmod +x %s), and let its first line name its "
                    "interpreter (#!/usr/bin/python3), or put that first: [python3, %s]",
                    path, given);
    else if (read_interpreter(path, interpreter, sizeof interpreter) && !is_there(interpreter))
        text_format(out, "; its first line says that %s runs it, which is not there", interpreter);
}

// Adds why the command most likely could not be started, and what to do, by a look at its file.
// Nothing if that does not tell.
static void advise(const struct external_client *external_client, struct text *out)
{
    const char *program = external_client->command[0];
    const char *name = program;
    struct text path = {0}; // as the driver sees it, which runs in its folder
    struct stat about;
    while (strncmp(name, "./", 2) == 0)
        name += 2;
    if (name[0] != '/' && external_client->folder[0] != '\0')
        text_format(&path, "%s/", external_client->folder);
    text_add(&path, name);
    if (external_client->folder[0] != '\0' &&
        (stat(external_client->folder, &about) != 0 || !S_ISDIR(about.st_mode)))
        text_add(out, "; there is no such folder");
    else if (strchr(program, ' ') != NULL && !is_there(path.bytes))
        text_add(out, "; 'command' is a list of the program and its arguments: [python3, lock.py]");
    else if (strchr(program, '/') != NULL)
        advise_path(path.bytes, program, out);
    else if (is_there(path.bytes))
        text_format(out, "; a program in the folder is named by a path: ./%s", program);
    else
        text_add(out, "; no program of that name is installed");
    text_free(&path);
}

// --- its end -------------------------------------------------------------------------------------

// Waits for its end; false if it does not come in time.
static bool reap(struct driver_process *process, int64_t limit_ns)
{
    int64_t give_up_ns = clock_monotonic_ns() + limit_ns;
    while (!process->reaped) {
        pid_t ended = waitpid(process->id, &process->status, WNOHANG);
        process->reaped = ended == process->id || (ended < 0 && errno == ECHILD);
        if (!process->reaped && clock_monotonic_ns() >= give_up_ns)
            return false;
        if (!process->reaped)
            clock_sleep_until_ns(clock_monotonic_ns() + LOOK_EVERY_NS);
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

// Of a long log, only the end is read.
void driver_process_quote_log(const struct driver_process *process, struct text *out)
{
    char log[4096];
    struct driver_quote shown;
    int file = process->settings->log_path != NULL
                   ? open(process->settings->log_path, O_RDONLY | O_CLOEXEC)
                   : -1;
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
    text_format(out, "; its log ends with '%s'", driver_quote(line, (size_t)(end - line), &shown));
}

static void say_it_died(struct driver_process *process)
{
    struct text how = {0};
    if (!reap(process, END_NS))
        text_add(&how, "has closed its standard output");
    else if (WIFSIGNALED(process->status))
        text_format(&how, "has died by signal %d", WTERMSIG(process->status));
    else
        text_format(&how, "has ended with status %d", WEXITSTATUS(process->status));
    if (process->reaped && process->status == 0)
        text_add(&how, ", and must not before it is told to quit or its standard input ends");
    driver_process_quote_log(process, &how);
    driver_fail(process->driver, "%s", how.bytes);
    text_free(&how);
}

void driver_process_end(struct driver_process *process, bool was_well)
{
    static const char quit[] = "{\"do\": \"quit\"}\n";
    static const _Atomic uint32_t never = 0;
    (void)!eventfd_write(process->wake, 1);
    if (process->has_reader)
        pthread_join(process->reader, NULL);
    if (process->id > 0) {
        if (was_well)
            driver_process_send(process, quit, strlen(quit), END_NS, &never);
        close(process->input);
        close(process->output);
        if (!reap(process, was_well ? END_NS : 0)) {
            kill(process->id, SIGKILL);
            reap(process, END_NS);
        }
    }
    close(process->wake);
    pthread_mutex_destroy(&process->sending);
    pthread_mutex_destroy(&process->looking);
    thread_watch_free(&process->threads);
}

// --- reading and sending -------------------------------------------------------------------------

// False once its log is as long as no log may be; the program, which fills the disk, is ended then.
// And once it was killed, although what it has started still holds its output. Looks now and then.
static bool goes_on(struct driver_process *process, int64_t *looked_ns)
{
    struct stat about;
    int64_t now_ns = clock_monotonic_ns();
    if (now_ns - *looked_ns < LOOK_NS)
        return true;
    *looked_ns = now_ns;
    if (reap(process, 0) && WIFSIGNALED(process->status)) {
        say_it_died(process);
        return false;
    }
    if (process->settings->log_path == NULL || stat(process->settings->log_path, &about) != 0 ||
        about.st_size <= LONGEST_LOG)
        return true;
    if (!process->reaped)
        kill(process->id, SIGKILL);
    driver_fail(process->driver, "floods its standard error: its log is longer than 100 MB");
    return false;
}

// Hears each whole line; what is left over is moved to the front. Returns how many bytes that is.
static size_t hear_lines(struct driver_process *process, char *bytes, size_t length)
{
    char *from = bytes;
    char *end = bytes + length;
    for (char *newline; (newline = memchr(from, '\n', (size_t)(end - from))) != NULL;) {
        if (newline > from)
            driver_hear(process->driver, from, (size_t)(newline - from));
        from = newline + 1;
    }
    memmove(bytes, from, (size_t)(end - from));
    return (size_t)(end - from);
}

static void *read_lines(void *context)
{
    struct driver_process *process = context;
    char *bytes = memory_new(DRIVER_LONGEST_LINE);
    size_t length = 0;
    int64_t looked_ns = 0;
    while (goes_on(process, &looked_ns)) {
        struct pollfd ready[] = {{.fd = process->output, .events = POLLIN},
                                 {.fd = process->wake, .events = POLLIN}};
        if (poll(ready, 2, (int)(LOOK_NS / NS_PER_MS)) < 0 && errno != EINTR)
            break;
        if (ready[1].revents != 0)
            break;
        if (ready[0].revents == 0)
            continue;
        atomic_store(&process->is_hearing, true);
        ssize_t got = read(process->output, bytes + length, DRIVER_LONGEST_LINE - length);
        if (got < 0 && errno == EINTR) {
            atomic_store(&process->is_hearing, false);
            continue;
        }
        if (got <= 0) {
            say_it_died(process);
            break;
        }
        length = hear_lines(process, bytes, length + (size_t)got);
        atomic_store(&process->is_hearing, false);
        if (length == DRIVER_LONGEST_LINE) {
            struct driver_quote shown;
            driver_fail(process->driver,
                        "floods: a line must have at most %d bytes; this one begins '%s'",
                        DRIVER_LONGEST_LINE - 1, driver_quote(bytes, 60, &shown));
            break;
        }
    }
    free(bytes);
    return NULL;
}

int driver_process_send(struct driver_process *process, const char *line, size_t length,
                        int64_t patience_ns, const _Atomic uint32_t *failed)
{
    int64_t left_ns = patience_ns;
    pthread_mutex_lock(&process->sending);
    while (length > 0 && left_ns > 0 && atomic_load(failed) == 0) {
        ssize_t sent = write(process->input, line, length);
        if (sent > 0) {
            line += sent;
            length -= (size_t)sent;
        } else if (sent < 0 && errno != EAGAIN && errno != EINTR) {
            break; // it is dead: the reader will know how
        } else {
            struct pollfd ready = {.fd = process->input, .events = POLLOUT};
            int64_t from_ns = clock_monotonic_ns();
            poll(&ready, 1, (int)(SLICE_NS / NS_PER_MS));
            left_ns -= time_earlier(clock_monotonic_ns() - from_ns, 2 * SLICE_NS);
        }
    }
    pthread_mutex_unlock(&process->sending);
    return length == 0 ? 0 : -1;
}

static bool is_at_work(struct driver_process *process, const struct process_list *all, pid_t id,
                       int generations)
{
    bool is = thread_watch_can_run(&process->threads, id);
    for (size_t i = 0; i < all->count && !is && generations > 1; i++)
        is = all->items[i].parent == id &&
             is_at_work(process, all, all->items[i].id, generations - 1);
    return is;
}

bool driver_process_is_at_work(struct driver_process *process)
{
    struct process_list all = process_list_read();
    pthread_mutex_lock(&process->looking);
    bool is = is_at_work(process, &all, process->id, GENERATIONS);
    pthread_mutex_unlock(&process->looking);
    free(all.items);
    return is;
}

// --- what it is told at first --------------------------------------------------------------------

static json_t *addresses(const struct endpoint *servers, int count)
{
    json_t *array = json_array();
    for (int i = 0; i < count; i++)
        json_array_append_new(array, json_sprintf("%s:%d", servers[i].host, servers[i].port));
    return array;
}

static const char *unless_empty(const char *text)
{
    return text[0] != '\0' ? text : NULL;
}

static json_t *describe_servers(const struct service *service)
{
    if (service == NULL)
        return json_object();
    bool has_sentinels = service->sentinel_count > 0;
    return json_pack(
        "{s:s, s:s, s:o, s:o*, s:s*, s:s*, s:s*, s:s*}", "kind", service->kind, "topology",
        service->topology, "addresses", addresses(service->servers, service->server_count),
        "sentinels", has_sentinels ? addresses(service->sentinels, service->sentinel_count) : NULL,
        "master", has_sentinels ? SENTINEL_MASTER : NULL, "user", unless_empty(service->user),
        "password", unless_empty(service->password), "database", unless_empty(service->database));
}

char *driver_hello(const struct driver_settings *settings)
{
    json_t *locks = json_array();
    for (size_t i = 0; settings->locks[i] != NULL; i++)
        json_array_append_new(locks, json_string(settings->locks[i]));
    json_t *hello =
        json_pack("{s:i, s:i, s:i, s:I, s:I, s:I, s:I, s:o, s:o}", "hello", DRIVER_PROTOCOL,
                  "client", settings->client, "workers", settings->workers, "lease_ms",
                  (json_int_t)(settings->lease_ns / NS_PER_MS), "wait_ms",
                  (json_int_t)(settings->wait_ns / NS_PER_MS), "retry_ms",
                  (json_int_t)(settings->retry_ns / NS_PER_MS), "request_ms",
                  (json_int_t)(settings->request_ns / NS_PER_MS), "servers",
                  describe_servers(settings->service), "locks", locks);
    char *text = json_dumps(hello, 0);
    struct text line = {0};
    text_format(&line, "%s\n", text);
    free(text);
    json_decref(hello);
    return line.bytes;
}

static void add_addresses(const char *name, const struct endpoint *servers, int count,
                          struct text *out)
{
    text_add(out, "LOCKPICK_");
    for (; *name != '\0'; name++)
        text_format(out, "%c", toupper((unsigned char)*name));
    for (int i = 0; i < count; i++)
        text_format(out, "%s%s:%d", i > 0 ? "," : "=", servers[i].host, servers[i].port);
}

// --- starting ------------------------------------------------------------------------------------

static int start(struct driver_process *process, const char *const *environment, int network,
                 struct error *error)
{
    const struct external_client *external_client = process->settings->external_client;
    int input[2], output[2];
    if (pipe2(input, O_CLOEXEC) != 0)
        return error_set(error, "cannot make a pipe: %s", strerror(errno));
    if (pipe2(output, O_CLOEXEC) != 0) {
        close(input[0]);
        close(input[1]);
        return error_set(error, "cannot make a pipe: %s", strerror(errno));
    }
    const int streams[] = {input[0], output[1]};
    struct process_settings settings = {
        .arguments = external_client->command,
        .environment = environment,
        .folder = external_client->folder[0] ? external_client->folder : NULL,
        .log_path = process->settings->log_path,
        .streams = streams,
        .network_namespace = network,
        .processor = -1};
    process->id = process_start(&settings, error);
    close(input[0]);
    close(output[1]);
    process->input = input[1];
    process->output = output[0];
    fcntl(process->input, F_SETFL, O_NONBLOCK);
    if (process->id > 0)
        return 0;
    close(process->input);
    close(process->output);
    struct text advice = {0};
    advise(external_client, &advice);
    struct error reason = *error;
    error_set(error, "the driver of the scheme %s, in the folder %s: %s%s", external_client->name,
              external_client->folder[0] ? external_client->folder : ".", reason.text,
              text_string(&advice));
    text_free(&advice);
    return -1;
}

#define MOST_VARIABLES 3

int driver_process_start(struct driver_process *process, int network, const char *const *variables,
                         struct error *error)
{
    const struct service *service = process->settings->service;
    struct text servers = {0};
    struct text sentinels = {0};
    if (service != NULL)
        add_addresses(service->kind, service->servers, service->server_count, &servers);
    if (service != NULL && service->sentinel_count > 0)
        add_addresses("sentinel", service->sentinels, service->sentinel_count, &sentinels);
    const char *environment[MOST_VARIABLES + 3] = {NULL};
    size_t count = 0;
    for (; variables != NULL && count < MOST_VARIABLES && variables[count] != NULL; count++)
        environment[count] = variables[count];
    if (servers.bytes != NULL)
        environment[count++] = servers.bytes;
    if (sentinels.bytes != NULL)
        environment[count] = sentinels.bytes;
    process->wake = eventfd(0, EFD_CLOEXEC);
    pthread_mutex_init(&process->sending, NULL);
    pthread_mutex_init(&process->looking, NULL);
    int result = start(process, environment, network, error);
    text_free(&servers);
    text_free(&sentinels);
    if (result != 0)
        return -1;
    int reason = pthread_create(&process->reader, NULL, read_lines, process);
    process->has_reader = reason == 0;
    return reason == 0 ? 0
                       : error_set(error, "cannot start a driver's thread: %s", strerror(reason));
}
