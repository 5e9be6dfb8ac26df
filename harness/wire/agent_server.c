// A server on this host, for a run on another one.
#include "harness/base/clock.h"
#include "harness/base/file.h"
#include "harness/base/processes.h"
#include "harness/base/scope.h"
#include "harness/cluster/network.h"
#include "harness/cluster/process.h"
#include "harness/wire/agent.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <netdb.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST_PORTS 8
#define GROUP_FILE "group" // in its folder: its process group, for who outlives the agent

struct kept {
    const char *id;
    char *folder;
    char address[NETWORK_ADDRESS_BYTES];
    int ports[MOST_PORTS];
    pid_t process;
    pthread_t watcher;
    pthread_mutex_t ending; // held by the one that ends all
    _Atomic bool is_struck; // it is killed: its end is not that of the agent
    struct thread_watch threads;
    struct process_look look;
};

// --- where it is ---------------------------------------------------------------------------------

static char *folder_of(const char *id)
{
    const char *place = getenv("TMPDIR");
    return text_formatted("%s/lockpick-%s", place != NULL ? place : "/tmp", id);
}

// Holds the first port, if the address is this host's.
static bool take(struct kept *kept, const char *address)
{
    snprintf(kept->address, sizeof kept->address, "%s", address);
    kept->ports[0] = network_hold_port(kept->address, &(int){0});
    return kept->ports[0] > 0;
}

// Where the host's name leads to: on the host itself often to loopback, where nobody else gets.
static bool take_by_name(struct kept *kept, const char *host)
{
    bool means_loopback = strcmp(host, "localhost") == 0 || strncmp(host, "127.", 4) == 0;
    bool is_taken = false;
    struct addrinfo *found = NULL;
    const struct addrinfo wanted = {.ai_family = AF_INET, .ai_socktype = SOCK_STREAM};
    if (getaddrinfo(host, NULL, &wanted, &found) != 0)
        return false;
    for (const struct addrinfo *each = found; each != NULL && !is_taken; each = each->ai_next) {
        char address[INET_ADDRSTRLEN];
        inet_ntop(AF_INET, &((struct sockaddr_in *)each->ai_addr)->sin_addr, address,
                  sizeof address);
        is_taken = (means_loopback || strncmp(address, "127.", 4) != 0) && take(kept, address);
    }
    freeaddrinfo(found);
    return is_taken;
}

// By which it would go out itself.
static bool take_by_route(struct kept *kept)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(9)};
    socklen_t length = sizeof address;
    char text[INET_ADDRSTRLEN];
    int caller = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    inet_pton(AF_INET, "192.0.2.1", &address.sin_addr); // nobody's: nothing is sent
    bool has_way = caller >= 0 && connect(caller, (struct sockaddr *)&address, length) == 0 &&
                   getsockname(caller, (struct sockaddr *)&address, &length) == 0;
    if (caller >= 0)
        close(caller);
    return has_way && take(kept, inet_ntop(AF_INET, &address.sin_addr, text, sizeof text));
}

// By which ssh has reached this host, if it did: CLIENT PORT SERVER PORT.
static bool take_by_ssh(struct kept *kept)
{
    char address[NETWORK_ADDRESS_BYTES];
    const char *connection = getenv("SSH_CONNECTION");
    return connection != NULL && sscanf(connection, "%*s %*s %15s", address) == 1 &&
           take(kept, address);
}

static void end_server(const char *id)
{
    struct error ignored;
    AUTO_TEXT struct text group = {0};
    AUTO_FREE char *folder = folder_of(id);
    AUTO_FREE char *noted = path_join(folder, GROUP_FILE);
    file_read(noted, &group, &ignored);
    agent_strike(agent_strikes[AGENT_KILL], id, atoi(text_string(&group)), &ignored);
    folder_remove(folder, &ignored);
}

static int begin(struct kept *kept, const json_t *opening, struct error *error)
{
    const char *host = json_string_value(json_object_get(opening, "host"));
    int ports = (int)json_integer_value(json_object_get(opening, "ports"));
    if (host == NULL || ports < 1 || ports > MOST_PORTS)
        return error_set(error, "the first line for a server's agent must say host and ports");
    kept->folder = folder_of(kept->id);
    AUTO_FREE char *data = path_join(kept->folder, "data");
    if (mkdir(kept->folder, 0700) != 0)
        return error_set(error, "cannot make the folder %s: %s", kept->folder, strerror(errno));
    if (agent_guard(kept->id, end_server, error) != 0 || folder_make(data, error) != 0)
        return -1;
    if (!take_by_ssh(kept) && !take_by_name(kept, host) && !take_by_route(kept) &&
        !take(kept, "127.0.0.1"))
        return error_set(error, "no port can be had: %s", strerror(errno));
    for (int i = 1; i < ports; i++)
        kept->ports[i] = network_hold_port(kept->address, &(int){0});
    return 0;
}

// --- its life ------------------------------------------------------------------------------------

// Who ends by itself ends the agent, as whom its end is seen.
static void *wait_for_end(void *context)
{
    struct kept *kept = context;
    int status = 0;
    while (waitpid(kept->process, &status, 0) < 0 && errno == EINTR)
        continue;
    HOLD_MUTEX(&kept->ending);
    if (atomic_load(&kept->is_struck))
        return NULL;
    end_server(kept->id);
    _exit(WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
}

static int write_files(const struct kept *kept, json_t *files, bool anew, struct error *error)
{
    const char *name;
    json_t *content;
    json_object_foreach(files, name, content)
    {
        AUTO_FREE char *path = path_join(kept->folder, name);
        if ((anew || access(path, F_OK) != 0) &&
            file_write(path, json_string_value(content), json_string_length(content), error) != 0)
            return -1;
    }
    return 0;
}

static int64_t start(struct kept *kept, const char *line, struct error *error)
{
    json_auto_t *told = json_loads(line, 0, NULL);
    const json_t *kept_files = json_object_get(told, "kept");
    AUTO_FREE char *data = path_join(kept->folder, "data");
    AUTO_FREE char *variable = text_formatted(AGENT_VARIABLE "=%s", kept->id);
    AUTO_FREE const char **command = agent_texts(json_object_get(told, "command"), NULL);
    AUTO_FREE const char **environment =
        agent_texts(json_object_get(told, "environment"), variable);
    AUTO_FREE const char **names = agent_texts(kept_files, NULL);
    if (command[0] == NULL)
        return error_set(error, "no command is said to start a server with");
    if ((kept_files != NULL && folder_empty(data, names, error) != 0) ||
        write_files(kept, json_object_get(told, "files"), true, error) != 0 ||
        write_files(kept, json_object_get(told, "first"), false, error) != 0)
        return -1;
    // What it prints is a log: not what the agent answers.
    int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    const struct process_settings settings = {.arguments = command,
                                              .environment = environment,
                                              .folder = kept->folder,
                                              .streams = (const int[]){nothing, STDERR_FILENO},
                                              .network_namespace = -1,
                                              .processor = -1,
                                              .own_group = true};
    kept->process = process_start(&settings, error);
    close(nothing);
    AUTO_FREE char *noted = path_join(kept->folder, GROUP_FILE);
    AUTO_FREE char *group = text_formatted("%d\n", (int)kept->process);
    if (kept->process < 0 || file_write(noted, group, strlen(group), error) != 0)
        return -1;
    atomic_store(&kept->is_struck, false);
    int reason = pthread_create(&kept->watcher, NULL, wait_for_end, kept);
    return reason == 0 ? kept->process
                       : error_set(error, "cannot watch the server: %s", strerror(reason));
}

static int64_t do_as_told(void *context, const char *line, struct error *error)
{
    struct kept *kept = context;
    if (strncmp(line, "start ", 6) == 0)
        return start(kept, line + 6, error);
    if (strcmp(line, AGENT_PING) == 0)
        return process_look_again(&kept->threads, kept->process, false, clock_monotonic_ns(),
                                  &kept->look);
    if (!text_is_one_of(line, agent_strikes))
        return error_set(error, "there is no strike '%s'", line);
    bool is_killed = strcmp(line, agent_strikes[AGENT_KILL]) == 0;
    atomic_store(&kept->is_struck, is_killed);
    if (agent_strike(line, kept->id, kept->process, error) != 0)
        return -1;
    if (!is_killed)
        return 0;
    AUTO_FREE char *noted = path_join(kept->folder, GROUP_FILE);
    pthread_join(kept->watcher, NULL);
    kept->process = 0;
    unlink(noted);
    return 0;
}

void agent_serve_server(const char *id)
{
    struct kept kept = {.id = id, .ending = PTHREAD_MUTEX_INITIALIZER};
    struct error error = {0};
    bool is_ours;
    json_auto_t *opening = agent_read_opening(&is_ours);
    bool has_begun = is_ours && begin(&kept, opening, &error) == 0;
    json_auto_t *ports = json_array();
    for (int i = 0; i < MOST_PORTS && kept.ports[i] > 0; i++)
        json_array_append_new(ports, json_integer(kept.ports[i]));
    json_auto_t *answer =
        json_pack("{s:s, s:s*, s:s*, s:s, s:O}", "agent", LOCKPICK_VERSION, "refused",
                  is_ours && !has_begun ? text_clean_line(error.text) : NULL, "folder", kept.folder,
                  "address", kept.address, "ports", ports);
    AUTO_FREE char *text = json_dumps(answer, 0);
    printf("%s\n", text);
    fflush(stdout);
    if (has_begun)
        agent_do_lines(do_as_told, &kept);
    pthread_mutex_lock(&kept.ending);
    atomic_store(&kept.is_struck, true);
    end_server(id);
    free(kept.folder);
    thread_watch_free(&kept.threads);
}
