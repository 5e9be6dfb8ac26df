#include "harness/wire/agent.h"

#include "harness/base/clock.h"
#include "harness/base/file.h"
#include "harness/base/scope.h"
#include "harness/base/text.h"
#include "harness/cluster/process.h"
#include "harness/wire/driver_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

// What a driver is given to end by itself, once its input has ended: less than who launched the
// agent waits for that.
#define END_NS NS_PER_S
// How long a strike may take.
#define STRIKE_NS (10 * NS_PER_S)
#define LOOK_EVERY_NS NS_PER_MS

// --- an agent, to who launches it ----------------------------------------------------------------

struct agent_address agent_address_of(const struct external_client *program, const char *tag,
                                      int client)
{
    struct agent_address address = {.host = external_client_host(program, client)};
    if (address.host == NULL)
        return address;
    address.launch = program->launch;
    snprintf(address.id, sizeof address.id, "%.24s-%d", tag, client);
    return address;
}

void agent_command(const struct agent_address *address, const char *verb, struct string_list *out)
{
    static const char place[] = "{host}";
    const char *const more[] = {verb, address->id};
    for (size_t i = 0; address->launch[i] != NULL; i++) {
        AUTO_TEXT struct text word = {0};
        const char *rest = address->launch[i];
        for (const char *at; (at = strstr(rest, place)) != NULL; rest = at + strlen(place))
            text_format(&word, "%.*s%s", (int)(at - rest), rest, address->host);
        text_add(&word, rest);
        string_list_add(out, text_string(&word));
    }
    for (int i = 0; verb != NULL && i < 2; i++)
        string_list_add(out, more[i]);
}

void agent_say_launch(const struct agent_address *address, const char *verb, struct text *out)
{
    AUTO_LIST struct string_list command = {0};
    agent_command(address, verb, &command);
    text_add(out, "which was launched by `");
    for (size_t i = 0; i < command.count; i++) {
        text_add(out, i > 0 ? " " : "");
        text_add_shell_word(out, command.items[i]);
    }
    text_add(out, "`: see that this works by hand");
}

json_t *agent_array(const char *const *texts)
{
    json_t *array = json_array();
    for (size_t i = 0; texts != NULL && texts[i] != NULL; i++)
        json_array_append_new(array, json_string(texts[i]));
    return array;
}

void agent_write_opening(const struct agent_address *address, const struct external_client *program,
                         const char *const *environment, struct text *out)
{
    static const char *const none[] = {NULL};
    json_auto_t *opening =
        json_pack("{s:s, s:s, s:o, s:s, s:o, s:s*, s:o}", "agent", LOCKPICK_VERSION, "id",
                  address->id, "command", agent_array(program->command), "folder", program->folder,
                  "needs", agent_array(program->needs != NULL ? program->needs : none), "install",
                  program->install, "environment", agent_array(environment));
    AUTO_FREE char *text = json_dumps(opening, 0);
    text_format(out, "%s\n", text);
}

int agent_read_answer(const char *line, size_t length, const char *host, struct error *error)
{
    const char *version = NULL;
    const char *refused = NULL;
    json_auto_t *answer = json_loadb(line, length, 0, NULL);
    if (answer == NULL ||
        json_unpack(answer, "{s:s, s?s}", "agent", &version, "refused", &refused) != 0)
        return error_set(error,
                         "host %s has said '%s' where an agent says its version: what is printed "
                         "at a login there must go, and 'launch' must end in `lockpick agent`",
                         host, driver_quote(line, length));
    if (strcmp(version, LOCKPICK_VERSION) != 0)
        return error_set(error,
                         "host %s has Lockpick %s, and here is " LOCKPICK_VERSION
                         ": install the same on both",
                         host, driver_quote(version, strlen(version)));
    return refused == NULL ? 0 : error_set(error, "host %s: %s", host, refused);
}

static const char *const ways[] = {[PROCESS_IS_GONE] = "is gone",
                                   [PROCESS_RESTS] = "rests",
                                   [PROCESS_RUNS] = "runs",
                                   [PROCESS_STOOD_STILL] = "stood still",
                                   NULL};

bool agent_read_pong(const char *line, size_t length, int64_t *number, enum process_way *driver)
{
    static const char begin[] = "{\"pong\": ";
    json_int_t pong = 0;
    const char *way = NULL;
    if (length < strlen(begin) || strncmp(line, begin, strlen(begin)) != 0)
        return false;
    json_auto_t *answer = json_loadb(line, length, 0, NULL);
    if (answer == NULL || json_unpack(answer, "{s:I, s:s}", "pong", &pong, "driver", &way) != 0)
        return false;
    int index = text_index(way, ways);
    *number = pong;
    *driver = index >= 0 ? (enum process_way)index : PROCESS_RESTS;
    return true;
}

// --- serving -------------------------------------------------------------------------------------

struct serving {
    char *id;
    pid_t driver;
    int to_driver, from_driver;
    pthread_mutex_t saying; // of whole lines
    struct thread_watch threads;
    struct process_look look;
};

// False if nobody reads there any more.
static bool write_whole(int to, const char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t written = write(to, bytes, length);
        struct pollfd ready = {.fd = to, .events = POLLOUT};
        if (written < 0 && errno != EINTR && errno != EAGAIN)
            return false;
        if (written < 0 && errno == EAGAIN)
            poll(&ready, 1, -1);
        bytes += written > 0 ? written : 0;
        length -= written > 0 ? (size_t)written : 0;
    }
    return true;
}

static bool say(struct serving *serving, const char *bytes, size_t length)
{
    HOLD_MUTEX(&serving->saying);
    return write_whole(STDOUT_FILENO, bytes, length);
}

// Whole lines from what the driver is told: pings are answered, all else goes to the driver.
static bool tell_driver(struct serving *serving, const char *bytes, size_t length)
{
    const char *end = bytes + length;
    for (const char *line = bytes; line < end;) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        const char *next = newline != NULL ? newline + 1 : end;
        char pong[80];
        int64_t number;
        if (sscanf(line, "{\"ping\": %" SCNd64 "}", &number) == 1) {
            enum process_way way = process_look_again(&serving->threads, serving->driver, false,
                                                      clock_monotonic_ns(), &serving->look);
            snprintf(pong, sizeof pong, "{\"pong\": %" PRId64 ", \"driver\": \"%s\"}\n", number,
                     ways[way]);
            say(serving, pong, strlen(pong));
        } else if (!write_whole(serving->to_driver, line, (size_t)(next - line))) {
            return false;
        }
        line = next;
    }
    return true;
}

// Passes what comes from there on, in whole lines, until it ends or nobody takes it any more. A
// line that is longer than any may be is passed on in pieces.
static void relay(struct serving *serving, int from,
                  bool (*pass)(struct serving *, const char *, size_t))
{
    AUTO_FREE char *bytes = memory_new(DRIVER_LONGEST_LINE + 1);
    size_t length = 0;
    bool is_open = true;
    while (is_open) {
        ssize_t got = read(from, bytes + length, DRIVER_LONGEST_LINE - length);
        if (got < 0 && errno == EINTR)
            continue;
        is_open = got > 0;
        length += got > 0 ? (size_t)got : 0;
        bytes[length] = '\0';
        const char *newline = memrchr(bytes, '\n', length);
        size_t whole = newline != NULL ? (size_t)(newline + 1 - bytes) : 0;
        if (!is_open || length == DRIVER_LONGEST_LINE)
            whole = length;
        is_open &= whole == 0 || pass(serving, bytes, whole);
        length -= whole;
        memmove(bytes, bytes + whole, length);
    }
}

// What it has started and cast off is ended, too.
static void end_driver(const char *id)
{
    struct error ignored;
    agent_strike(agent_strikes[AGENT_KILL], id, 0, &ignored);
}

// Ends what is left of the driver, a moment after its input has ended.
static void *hear(void *context)
{
    struct serving *serving = context;
    relay(serving, STDIN_FILENO, tell_driver);
    close(serving->to_driver);
    clock_sleep_until_ns(clock_monotonic_ns() + END_NS);
    end_driver(serving->id);
    kill(-serving->driver, SIGKILL);
    return NULL;
}

static void end_serving(const char *id)
{
    end_driver(id);
    agent_wires_leave(id);
}

int agent_guard(const char *id, void (*end)(const char *id), struct error *error)
{
    char byte;
    int agent_is_gone[2];
    pid_t guard = pipe2(agent_is_gone, O_CLOEXEC) == 0 ? fork() : -1;
    if (guard < 0)
        return error_set(error, "cannot start who sees to an agent's end: %s", strerror(errno));
    if (guard > 0)
        return close(agent_is_gone[0]);
    int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    setsid();
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++)
        dup2(nowhere, stream);
    close(agent_is_gone[1]);
    while (read(agent_is_gone[0], &byte, 1) < 0 && errno == EINTR)
        continue;
    end(id);
    _exit(0);
}

json_t *agent_read_opening(bool *is_ours)
{
    AUTO_TEXT struct text line = {0};
    char byte;
    while (line.length < DRIVER_LONGEST_LINE && read(STDIN_FILENO, &byte, 1) == 1 && byte != '\n')
        text_add_bytes(&line, &byte, 1);
    json_t *opening = json_loads(text_string(&line), 0, NULL);
    const char *version = json_string_value(json_object_get(opening, "agent"));
    *is_ours = version != NULL && strcmp(version, LOCKPICK_VERSION) == 0;
    return opening;
}

const char **agent_texts(const json_t *array, const char *first)
{
    size_t count = 0;
    const char **texts = memory_zeroed(json_array_size(array) + 2, sizeof *texts);
    if (first != NULL)
        texts[count++] = first;
    for (size_t i = 0; i < json_array_size(array); i++) {
        texts[count] = json_string_value(json_array_get(array, i));
        count += texts[count] != NULL;
    }
    return texts;
}

// Starts the driver that the opening is about. 0, or -1 with `error` set.
static int begin(struct serving *serving, const json_t *opening, struct error *error)
{
    const char *folder = json_string_value(json_object_get(opening, "folder"));
    const char *id = json_string_value(json_object_get(opening, "id"));
    int input[2], output[2];
    AUTO_FREE char *variable = text_formatted(AGENT_VARIABLE "=%s", id != NULL ? id : "");
    AUTO_FREE const char **command = agent_texts(json_object_get(opening, "command"), NULL);
    AUTO_FREE const char **environment =
        agent_texts(json_object_get(opening, "environment"), variable);
    AUTO_FREE const char **needs = agent_texts(json_object_get(opening, "needs"), NULL);
    const char *install = json_string_value(json_object_get(opening, "install"));
    if (id == NULL || folder == NULL || command[0] == NULL)
        return error_set(error, "an agent's first line must say id, folder and command");
    for (size_t i = 0; needs[i] != NULL; i++) {
        if (!need_is_there(needs[i], folder))
            return error_set(error, "it needs %s, which is not there%s%s", needs[i],
                             install != NULL ? ": " : "", install != NULL ? install : "");
    }
    if (agent_guard(id, end_serving, error) != 0 || agent_wires_enter(id, error) != 0)
        return -1;
    if (pipe2(input, O_CLOEXEC) != 0 || pipe2(output, O_CLOEXEC) != 0)
        return error_set(error, "cannot make a pipe: %s", strerror(errno));
    const struct process_settings settings = {.arguments = command,
                                              .environment = environment,
                                              .folder = folder[0] != '\0' ? folder : NULL,
                                              .streams = (const int[]){input[0], output[1]},
                                              .network_namespace = -1,
                                              .processor = -1,
                                              .own_group = true};
    const struct external_client program = {.command = command, .folder = folder};
    AUTO_TEXT struct text advice = {0};
    serving->id = memory_string(id);
    serving->driver = process_start(&settings, error);
    serving->to_driver = input[1];
    serving->from_driver = output[0];
    close(input[0]);
    close(output[1]);
    if (serving->driver > 0)
        return 0;
    driver_process_advise(&program, &advice);
    return error_set(error, "%s%s; 'command' and 'folder' are of that host", error->text,
                     text_string(&advice));
}

void agent_serve(void)
{
    struct serving serving = {.saying = PTHREAD_MUTEX_INITIALIZER};
    struct error error = {0};
    pthread_t hearer;
    int status = 0;
    bool is_ours;
    json_auto_t *opening = agent_read_opening(&is_ours);
    bool has_begun = is_ours && begin(&serving, opening, &error) == 0;
    json_auto_t *answer = json_pack("{s:s, s:s*}", "agent", LOCKPICK_VERSION, "refused",
                                    is_ours && !has_begun ? error.text : NULL);
    AUTO_FREE char *text = json_dumps(answer, 0);
    AUTO_FREE char *said = text_formatted("%s\n", text);
    say(&serving, said, strlen(said));
    if (!has_begun || pthread_create(&hearer, NULL, hear, &serving) != 0)
        _exit(1);
    relay(&serving, serving.from_driver, say);
    close(STDOUT_FILENO);
    // One that has closed its output alone is ended with its input.
    while (waitpid(serving.driver, &status, 0) < 0 && errno == EINTR)
        continue;
    end_driver(serving.id);
    // The thread that hears may wait for more.
    _exit(WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
}

// --- striking ------------------------------------------------------------------------------------

const char *const agent_strikes[] = {
    [AGENT_STOP] = "stop", [AGENT_CONTINUE] = "continue", [AGENT_KILL] = "kill", NULL};

// The processes that have the variable in their environment, which those inherit that a driver
// starts, or are of the group.
static struct process_list processes_of(const char *id, pid_t group)
{
    char path[40];
    AUTO_FREE char *variable = text_formatted(AGENT_VARIABLE "=%s", id);
    struct process_list all = process_list_read();
    size_t count = 0;
    for (size_t i = 0; i < all.count; i++) {
        AUTO_TEXT struct text environment = {0};
        snprintf(path, sizeof path, "/proc/%d/environ", (int)all.items[i].id);
        bool is_of_group = group != 0 && all.items[i].group == group;
        if (!is_of_group && file_read(path, &environment, NULL) != 0)
            continue;
        const char *at = text_string(&environment);
        const char *end = at + environment.length;
        while (at < end && strcmp(at, variable) != 0)
            at += strlen(at) + 1;
        if (is_of_group || at < end)
            all.items[count++] = all.items[i];
    }
    all.count = count;
    return all;
}

// Whether the strike has still to come to that process.
static bool is_open(int strike, const struct process_entry *process)
{
    return strike == AGENT_KILL       ? process_is_alive(process)
           : strike == AGENT_CONTINUE ? !process_goes_on(process) && process_is_alive(process)
                                      : process_goes_on(process);
}

int agent_strike(const char *strike, const char *id, pid_t group, struct error *error)
{
    static const int signals[] = {
        [AGENT_STOP] = SIGSTOP, [AGENT_CONTINUE] = SIGCONT, [AGENT_KILL] = SIGKILL};
    int what = text_index(strike, agent_strikes);
    int64_t give_up_ns = clock_monotonic_ns() + STRIKE_NS;
    bool any = false;
    for (int settled = 0; settled < 2;) { // twice: one may have started another meanwhile
        struct process_list list = processes_of(id, group);
        const struct process_entry *open = NULL;
        any |= list.count > 0;
        for (size_t i = 0; i < list.count; i++) {
            if (!is_open(what, &list.items[i]))
                continue;
            open = &list.items[i];
            kill(open->id, signals[what]);
        }
        settled = open == NULL ? settled + 1 : 0;
        pid_t still = open != NULL ? open->id : 0;
        free(list.items);
        if (!any)
            return error_set(error,
                             "no process has " AGENT_VARIABLE
                             "=%s in its environment, or none that "
                             "this user can see: has the driver ended, or is it elsewhere?",
                             id);
        if (still != 0 && clock_monotonic_ns() > give_up_ns)
            return error_set(error, "process %d %s after %d s of asking it to %s", (int)still,
                             process_doing(still), (int)(STRIKE_NS / NS_PER_S), strike);
        if (settled < 2)
            clock_sleep_until_ns(clock_monotonic_ns() + LOOK_EVERY_NS);
    }
    return 0;
}

void agent_cut_write(const struct agent_cut *cut, struct text *out)
{
    text_format(out, "cut %d %s %s", cut->number,
                !cut->in    ? "to"
                : !cut->out ? "from"
                            : "between",
                cut->how);
    for (int i = 0; i < cut->server_count; i++)
        text_format(out, " %s %d", cut->servers[i].host, cut->servers[i].port);
    text_add(out, "\n");
}

static int cut_as_told(const char *id, const char *line, struct error *error)
{
    char way[8], how[8];
    int read = 0;
    struct agent_cut cut = {.how = how};
    if (sscanf(line, "cut %d %7s %7s%n", &cut.number, way, how, &read) != 3)
        return error_set(error, "a cut is not said so: %.80s", line);
    cut.out = strcmp(way, "from") != 0;
    cut.in = strcmp(way, "to") != 0;
    for (int more = 0; cut.server_count < 2 * MAX_SERVERS; line += more) {
        struct endpoint *server = &cut.servers[cut.server_count];
        line += cut.server_count == 0 ? read : 0;
        if (sscanf(line, " %47s %d%n", server->host, &server->port, &more) != 2)
            break;
        cut.server_count++;
    }
    return agent_wires_cut(id, &cut, error);
}

// Of one driver.
struct striking {
    const char *id;
    bool has_wires;
};

// What is to be done; packets that have met it, if it is the end of a cut. -1 with `error` set.
static int64_t do_as_told(void *context, const char *line, struct error *error)
{
    int number;
    struct striking *striking = context;
    const char *id = striking->id;
    if (text_is_one_of(line, agent_strikes))
        return agent_strike(line, id, 0, error);
    if (sscanf(line, "join %d", &number) == 1)
        return agent_wires_join(id, number, error);
    if (strncmp(line, "cut ", 4) == 0)
        return cut_as_told(id, line, error);
    if (strcmp(line, AGENT_PREPARE) != 0)
        return error_set(error, "there is no strike '%s'", line);
    striking->has_wires = true;
    return agent_guard(id, agent_wires_remove, error) == 0 ? agent_wires_prepare(id, error) : -1;
}

void agent_do_lines(agent_act *act, void *context)
{
    AUTO_FREE char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, stdin) >= 0) {
        struct error error = {0};
        line[strcspn(line, "\n")] = '\0';
        int64_t came_of_it = act(context, line, &error);
        if (came_of_it < 0)
            printf("%s\n", text_clean_line(error.text));
        else
            printf(AGENT_HAS_STRUCK " %" PRId64 "\n", came_of_it);
        fflush(stdout);
    }
}

void agent_strike_as_told(const char *id)
{
    struct striking striking = {.id = id};
    agent_do_lines(do_as_told, &striking);
    if (striking.has_wires)
        agent_wires_remove(id);
}
