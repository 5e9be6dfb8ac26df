// The process of a driver: started, greeted, read, and ended.
#include "harness/wire/driver.h"

#include "harness/base/file.h"
#include "harness/base/processes.h"
#include "harness/base/text.h"
#include "harness/cluster/process.h"
#include "harness/wire/driver_advice.h"
#include "harness/wire/driver_inside.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
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
#define LOOK_EVERY_NS (2 * NS_PER_MS)
#define LOOK_NS (250 * NS_PER_MS)
#define LONGEST_LOG (100 * 1000 * 1000)

// --- where the servers are -----------------------------------------------------------------------

static json_t *addresses(const struct endpoint *servers, int count)
{
    json_t *array = json_array();
    for (int i = 0; i < count; i++)
        json_array_append_new(array, json_sprintf("%s:%d", servers[i].host, servers[i].port));
    return array;
}

static json_t *describe_servers(const struct service *service)
{
    json_t *object = json_object();
    if (service == NULL)
        return object;
    json_object_set_new(object, "kind", json_string(service->kind));
    json_object_set_new(object, "topology", json_string(service->topology));
    json_object_set_new(object, "addresses", addresses(service->servers, service->server_count));
    if (service->sentinel_count > 0) {
        json_object_set_new(object, "sentinels",
                            addresses(service->sentinels, service->sentinel_count));
        json_object_set_new(object, "master", json_string(SENTINEL_MASTER));
    }
    const char *const extras[][2] = {
        {"user", service->user}, {"password", service->password}, {"database", service->database}};
    for (size_t i = 0; i < sizeof extras / sizeof *extras; i++) {
        if (extras[i][1][0] != '\0')
            json_object_set_new(object, extras[i][0], json_string(extras[i][1]));
    }
    return object;
}

static char *write_hello(const struct driver_settings *settings)
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
    char *line = json_dumps(hello, 0);
    json_decref(hello);
    return line;
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

// The program with pipes for its standard input and output.
static int start_process(struct driver *driver, struct error *error)
{
    const struct driver_settings *settings = &driver->settings;
    const struct foreign_settings *foreign = settings->foreign;
    const struct service *service = settings->service;
    struct text servers = {0};
    struct text sentinels = {0};
    const char *environment[3] = {NULL};
    int input[2], output[2];
    if (service != NULL)
        add_addresses(service->kind, service->servers, service->server_count, &servers);
    if (service != NULL && service->sentinel_count > 0)
        add_addresses("sentinel", service->sentinels, service->sentinel_count, &sentinels);
    environment[0] = servers.bytes;
    environment[1] = sentinels.bytes;
    if (pipe2(input, O_CLOEXEC) != 0)
        return error_set(error, "cannot make a pipe: %s", strerror(errno));
    if (pipe2(output, O_CLOEXEC) != 0) {
        close(input[0]);
        close(input[1]);
        return error_set(error, "cannot make a pipe: %s", strerror(errno));
    }
    const int streams[] = {input[0], output[1]};
    struct process_settings process = {
        .arguments = foreign->command,
        .environment = environment,
        .folder = foreign->folder[0] ? foreign->folder : NULL,
        .log_path = settings->log_path,
        .streams = streams,
        .network_namespace = driver->relay != NULL ? relay_network(driver->relay) : -1,
        .processor = -1};
    driver->process = process_start(&process, error);
    close(input[0]);
    close(output[1]);
    driver->input = input[1];
    driver->output = output[0];
    fcntl(driver->input, F_SETFL, O_NONBLOCK);
    text_free(&servers);
    text_free(&sentinels);
    if (driver->process > 0)
        return 0;
    struct text advice = {0};
    driver_advise_start(foreign, &advice);
    struct error reason = *error;
    error_set(error, "the driver of the scheme %s, in the folder %s: %s%s", foreign->name,
              foreign->folder[0] ? foreign->folder : ".", reason.text, text_string(&advice));
    text_free(&advice);
    return -1;
}

// --- its end -------------------------------------------------------------------------------------

// Waits for its end; false if it does not come in time.
static bool reap(struct driver *driver, int64_t limit_ns)
{
    int64_t give_up_ns = clock_monotonic_ns() + limit_ns;
    while (!driver->reaped) {
        pid_t ended = waitpid(driver->process, &driver->status, WNOHANG);
        driver->reaped = ended == driver->process || (ended < 0 && errno == ECHILD);
        if (!driver->reaped && clock_monotonic_ns() >= give_up_ns)
            return false;
        if (!driver->reaped)
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

// "; its log ends with '...'", or nothing. Of a long log, only the end is read.
static void quote_log(const struct driver *driver, struct text *out)
{
    char log[4096];
    struct driver_quote shown;
    int file = driver->settings.log_path != NULL
                   ? open(driver->settings.log_path, O_RDONLY | O_CLOEXEC)
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

static void say_it_died(struct driver *driver)
{
    struct text how = {0};
    if (!reap(driver, END_NS))
        text_add(&how, "has closed its standard output");
    else if (WIFSIGNALED(driver->status))
        text_format(&how, "has died by signal %d", WTERMSIG(driver->status));
    else
        text_format(&how, "has ended with status %d", WEXITSTATUS(driver->status));
    if (driver->reaped && driver->status == 0)
        text_add(&how, ", and must not before it is told to quit or its standard input ends");
    quote_log(driver, &how);
    driver_fail(driver, "%s", how.bytes);
    text_free(&how);
}

// --- reading -------------------------------------------------------------------------------------

// Hears each whole line; what is left over is moved to the front. Returns how many bytes that is.
static size_t hear_lines(struct driver *driver, char *bytes, size_t length)
{
    char *from = bytes;
    char *end = bytes + length;
    for (char *newline; (newline = memchr(from, '\n', (size_t)(end - from))) != NULL;) {
        if (newline > from)
            driver_hear(driver, from, (size_t)(newline - from));
        from = newline + 1;
    }
    memmove(bytes, from, (size_t)(end - from));
    return (size_t)(end - from);
}

// False once its log is as long as no log may be; the program, which fills the disk, is ended then.
// And once it was killed, although what it has started still holds its output. Looks now and then.
static bool goes_on(struct driver *driver, int64_t *looked_ns)
{
    struct stat about;
    int64_t now_ns = clock_monotonic_ns();
    if (now_ns - *looked_ns < LOOK_NS)
        return true;
    *looked_ns = now_ns;
    if (reap(driver, 0) && WIFSIGNALED(driver->status)) {
        say_it_died(driver);
        return false;
    }
    if (driver->settings.log_path == NULL || stat(driver->settings.log_path, &about) != 0 ||
        about.st_size <= LONGEST_LOG)
        return true;
    if (!driver->reaped)
        kill(driver->process, SIGKILL);
    driver_fail(driver, "floods its standard error: its log is longer than %d MB",
                LONGEST_LOG / 1000000);
    return false;
}

static void *read_lines(void *context)
{
    struct driver *driver = context;
    char *bytes = memory_new(DRIVER_LONGEST_LINE);
    size_t length = 0;
    int64_t looked_ns = 0;
    while (goes_on(driver, &looked_ns)) {
        struct pollfd ready[] = {{.fd = driver->output, .events = POLLIN},
                                 {.fd = driver->wake, .events = POLLIN}};
        if (poll(ready, 2, (int)(LOOK_NS / NS_PER_MS)) < 0 && errno != EINTR)
            break;
        if (ready[1].revents != 0)
            break;
        if (ready[0].revents == 0)
            continue;
        ssize_t got = read(driver->output, bytes + length, DRIVER_LONGEST_LINE - length);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            say_it_died(driver);
            break;
        }
        length = hear_lines(driver, bytes, length + (size_t)got);
        if (length == DRIVER_LONGEST_LINE) {
            struct driver_quote shown;
            driver_fail(driver, "floods: a line must have at most %d bytes; this one begins '%s'",
                        DRIVER_LONGEST_LINE - 1, driver_quote(bytes, 60, &shown));
            break;
        }
    }
    free(bytes);
    return NULL;
}

// --- at work -------------------------------------------------------------------------------------

// Programs that a program has started are looked at so many generations deep.
#define GENERATIONS 4

static bool is_at_work(struct driver *driver, const struct process_list *all, pid_t process,
                       int generations)
{
    bool is = thread_watch_can_run(&driver->threads, process);
    for (size_t i = 0; i < all->count && !is && generations > 1; i++)
        is = all->items[i].parent == process &&
             is_at_work(driver, all, all->items[i].id, generations - 1);
    return is;
}

bool driver_is_at_work(struct driver *driver)
{
    struct process_list all = process_list_read();
    pthread_mutex_lock(&driver->looking);
    bool is = is_at_work(driver, &all, driver->process, GENERATIONS);
    pthread_mutex_unlock(&driver->looking);
    free(all.items);
    return is;
}

// --- the whole -----------------------------------------------------------------------------------

static int greet(struct driver *driver, struct error *error)
{
    int64_t patience_ns = driver->settings.foreign->patience_ns;
    struct standstill ignored;
    char *hello = write_hello(&driver->settings);
    struct text line = {0};
    text_format(&line, "%s\n", hello);
    driver_send(driver, line.bytes, line.length, patience_ns);
    text_free(&line);
    free(hello);
    struct driver_budget budget = {.patience_ns = patience_ns};
    enum driver_wait wait = driver_wait(driver, &driver->greeted, &budget, &ignored);
    if (wait == DRIVER_LATE) {
        char patience[32];
        text_duration(patience_ns, patience, sizeof patience);
        struct text log = {0};
        quote_log(driver, &log);
        driver_fail(driver,
                    "has not said hello within its patience of %s: it must answer its first line "
                    "with {\"hello\": 1}, and flush its standard output after each line%s",
                    patience, text_string(&log));
        text_free(&log);
    }
    if (wait == DRIVER_ENDED)
        return error_set(error, "the trial ended before a driver had said hello");
    pthread_mutex_lock(&driver->mutex);
    bool has_failed = atomic_load(&driver->failed) != 0;
    if (has_failed)
        *error = driver->failure;
    pthread_mutex_unlock(&driver->mutex);
    return has_failed ? -1 : 0;
}

struct driver *driver_start(const struct driver_settings *settings, struct error *error)
{
    struct driver *driver = memory_zeroed(1, sizeof *driver);
    struct error ignored;
    driver->settings = *settings;
    driver->input = driver->output = -1;
    driver->wake = eventfd(0, EFD_CLOEXEC);
    pthread_mutex_init(&driver->mutex, NULL);
    pthread_mutex_init(&driver->sending, NULL);
    pthread_mutex_init(&driver->looking, NULL);
    if (driver_relay_start(driver, error) == 0 && start_process(driver, error) == 0) {
        int reason = pthread_create(&driver->reader, NULL, read_lines, driver);
        driver->has_reader = reason == 0;
        if (reason != 0)
            error_set(error, "cannot start a driver's thread: %s", strerror(reason));
        else if (greet(driver, error) == 0)
            return driver;
    }
    driver_stop(driver, &ignored);
    return NULL;
}

static void end_process(struct driver *driver)
{
    static const char quit[] = "{\"do\": \"quit\"}\n";
    if (driver->process <= 0)
        return;
    bool has_failed = atomic_load(&driver->failed) != 0;
    if (!has_failed)
        driver_send(driver, quit, strlen(quit), END_NS);
    close(driver->input);
    driver->input = -1;
    if (!reap(driver, has_failed ? 0 : END_NS)) {
        kill(driver->process, SIGKILL);
        reap(driver, END_NS);
    }
}

bool driver_stop(struct driver *driver, struct error *error)
{
    if (driver == NULL)
        return true;
    pthread_mutex_lock(&driver->mutex);
    driver->stopping = true;
    bool was_well = atomic_load(&driver->failed) == 0;
    *error = driver->failure;
    pthread_mutex_unlock(&driver->mutex);
    (void)!eventfd_write(driver->wake, 1);
    if (driver->has_reader)
        pthread_join(driver->reader, NULL);
    end_process(driver);
    driver_relay_stop(driver); // what it has still to pass on asks whose it is
    while (driver->pending != NULL) {
        struct pending *next = driver->pending->next;
        free(driver->pending);
        driver->pending = next;
    }
    if (driver->input >= 0)
        close(driver->input);
    if (driver->output >= 0)
        close(driver->output);
    close(driver->wake);
    pthread_mutex_destroy(&driver->mutex);
    pthread_mutex_destroy(&driver->sending);
    pthread_mutex_destroy(&driver->looking);
    thread_watch_free(&driver->threads);
    free(driver);
    return was_well;
}

void driver_add_hold(struct driver *driver, struct driver_hold *hold)
{
    pthread_mutex_lock(&driver->mutex);
    hold->next = driver->holds;
    driver->holds = hold;
    pthread_mutex_unlock(&driver->mutex);
}

void driver_remove_hold(struct driver *driver, struct driver_hold *hold)
{
    pthread_mutex_lock(&driver->mutex);
    struct driver_hold **place = &driver->holds;
    while (*place != NULL && *place != hold)
        place = &(*place)->next;
    if (*place != NULL)
        *place = hold->next;
    pthread_mutex_unlock(&driver->mutex);
}
