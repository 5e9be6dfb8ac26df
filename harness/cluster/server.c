#include "harness/cluster/server.h"

#include "harness/base/clock_shift.h"
#include "harness/base/file.h"
#include "harness/base/text.h"
#include "harness/cluster/disk.h"
#include "harness/cluster/etcd_server.h"
#include "harness/cluster/gate.h"
#include "harness/cluster/memcached_server.h"
#include "harness/cluster/mysql_server.h"
#include "harness/cluster/postgres_server.h"
#include "harness/cluster/process.h"
#include "harness/cluster/redis_server.h"
#include "harness/cluster/zookeeper_server.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#define MOST_ARGUMENTS 63 // of a server

const struct server_kind *const server_catalogue[] = {
    &redis_server,     &redis_sentinel, &zookeeper_server, &etcd_server,
    &memcached_server, &mysql_server,   &postgres_server,  NULL,
};

const struct server_kind *server_kind_find(const char *name)
{
    for (size_t i = 0; server_catalogue[i] != NULL; i++) {
        if (strcmp(server_catalogue[i]->name, name) == 0)
            return server_catalogue[i];
    }
    return NULL;
}

bool server_is_installed(const struct server_kind *kind)
{
    return kind->installed != NULL ? kind->installed() : program_exists(kind->program);
}

void version_ask(const char *name, const char *const *arguments, const char *before,
                 const char *end, char *out, size_t room)
{
    struct text output = {0};
    snprintf(out, room, "%s", name);
    int status = process_run(arguments, "", -1, (struct process_limit){.seconds = VERSION_LIMIT_S},
                             &output, NULL);
    char *from = strstr(text_string(&output), before);
    const char *number = from != NULL ? strpbrk(from, "0123456789") : NULL;
    if (status == 0 && number != NULL)
        snprintf(out, room, "%s %.*s", name, (int)strcspn(number, end), number);
    else if (status < 0)
        snprintf(out, room, "%s (tells no version within %d s)", name, VERSION_LIMIT_S);
    text_free(&output);
}

const char *version_number(const char *version)
{
    const char *space = strchr(version, ' ');
    return space != NULL && isdigit((unsigned char)space[1]) ? space + 1 : NULL;
}

const char *server_version(const struct server_kind *kind, char *out, size_t room)
{
    const char *const arguments[] = {kind->program, "--version", NULL};
    if (kind->version != NULL)
        kind->version(out, room);
    else // "Redis server v=7.0.15 sha=..." and most others: the first word with a digit
        version_ask(kind->program, arguments, "", " \n,-", out, room);
    return out;
}

// What the preload goes by: variables.
struct preload_environment {
    struct text preload;
    struct text shift;
    struct text disk;
    struct text gate;
    const char *list[5];
};

static struct preload_environment preload_environment_of(const struct node *node)
{
    struct preload_environment environment = {.list = {NULL}};
    const char **next = environment.list;
    const char *others = getenv("LD_PRELOAD");
    if (!node->kind->takes_preload || (node->clock == NULL && node->disk == NULL && !node->gated))
        return environment;
    text_format(&environment.preload, "LD_PRELOAD=%s/" NODE_PRELOAD "%s%s", node->home,
                others != NULL ? ":" : "", others != NULL ? others : "");
    *next++ = environment.preload.bytes;
    if (node->clock != NULL) {
        text_format(&environment.shift, CLOCK_SHIFT_VARIABLE "=%s/" NODE_CLOCK_FILE, node->home);
        *next++ = environment.shift.bytes;
    }
    if (node->disk != NULL) {
        text_format(&environment.disk, DISK_VARIABLE "=%s/" NODE_DISK_FILE, node->home);
        *next++ = environment.disk.bytes;
    }
    if (node->gated) {
        text_format(&environment.gate, GATE_VARIABLE "=%u", geteuid());
        *next++ = environment.gate.bytes;
    }
    return environment;
}

// Whether a fault has the node's program replaced, and this is its name, or a path to it.
static bool is_replaced(const struct node *node, const char *argument)
{
    const char *slash = strrchr(argument, '/');
    return node->program != NULL &&
           strcmp(slash != NULL ? slash + 1 : argument, node->kind->program) == 0;
}

pid_t server_run(const struct node *node, const char *const *arguments, bool ordinary_user,
                 struct error *error)
{
    const char *words[MOST_ARGUMENTS + 1] = {NULL};
    for (int i = 0; arguments[i] != NULL && i < MOST_ARGUMENTS; i++)
        words[i] = is_replaced(node, arguments[i]) ? node->program : arguments[i];
    struct preload_environment environment = preload_environment_of(node);
    char *log = path_join(node->folder, "server.log");
    struct process_settings settings = {.arguments = words,
                                        .environment = environment.list,
                                        .folder = node->home,
                                        .log_path = log,
                                        .network_namespace = node->end.network_namespace,
                                        .processor = node->processor,
                                        .ordinary_user = ordinary_user || node->gated};
    pid_t id = process_start(&settings, error);
    text_free(&environment.preload);
    text_free(&environment.shift);
    text_free(&environment.disk);
    text_free(&environment.gate);
    free(log);
    return id;
}

int server_write(const struct node *node, const char *name, const char *settings,
                 struct error *error)
{
    char *used = path_join(node->home, name);
    char *kept = path_join(node->folder, name);
    int result = file_write(used, settings, strlen(settings), error) != 0
                     ? -1
                     : file_write(kept, settings, strlen(settings), error);
    free(used);
    free(kept);
    return result;
}

int server_connect(const struct node *node)
{
    int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0)
        return -1;
    struct timeval patience = {.tv_sec = 1};
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)node->port)};
    inet_pton(AF_INET, node->end.address, &address.sin_addr);
    if (connect(descriptor, (struct sockaddr *)&address, sizeof address) == 0)
        return descriptor;
    close(descriptor);
    return -1;
}
