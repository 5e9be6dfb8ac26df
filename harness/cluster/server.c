#include "harness/cluster/server.h"

#include "harness/base/clock.h"
#include "harness/base/custom_server.h"
#include "harness/base/file.h"
#include "harness/base/scope.h"
#include "harness/cluster/data_cache.h"
#include "harness/cluster/process.h"
#include "harness/cluster/remote.h"

#include <ctype.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wordexp.h>

#define BOOT_LIMIT_S 20 // unless the kind says otherwise

const struct server_kind *server_kind_find(const char *name)
{
    for (size_t i = 0; server_catalogue[i] != NULL; i++) {
        if (strcmp(server_catalogue[i]->name, name) == 0)
            return server_catalogue[i];
    }
    return NULL;
}

const char *node_program(const struct node *node)
{
    const struct custom_server *custom = node->group->settings.custom;
    return node->program != NULL ? node->program
           : custom != NULL      ? custom->command[0]
                                 : node->kind->program;
}

int node_boot_limit_s(const struct node *node)
{
    const struct custom_server *custom = node->group->settings.custom;
    int limit_s = custom != NULL ? (int)(custom->boot_ns / NS_PER_S) : node->kind->boot_limit_s;
    return limit_s > 0 ? limit_s : BOOT_LIMIT_S;
}

int node_ending(const struct node *node)
{
    const struct custom_server *custom = node->group->settings.custom;
    int ending = custom != NULL ? custom->ending : node->kind->ending;
    return ending != 0 ? ending : SIGTERM;
}

enum shifted_clock node_lease_clock(const struct node *node)
{
    const struct custom_server *custom = node->group->settings.custom;
    return custom != NULL ? custom->lease_clock : node->kind->lease_clock;
}

bool node_takes_preload(const struct node *node)
{
    const struct custom_server *custom = node->group->settings.custom;
    return custom != NULL ? custom_takes_preload(custom) : node->kind->takes_preload;
}

bool server_is_installed(const struct server_kind *kind)
{
    return kind->installed != NULL ? kind->installed()
                                   : kind->program == NULL || program_exists(kind->program);
}

void version_ask(const char *name, const char *const *arguments, const char *before, char *out,
                 size_t room)
{
    AUTO_TEXT struct text output = {0};
    snprintf(out, room, "%s", name);
    int status = process_run(arguments, "", -1, (struct process_limit){.seconds = VERSION_LIMIT_S},
                             &output, NULL);
    char *from = strstr(text_string(&output), before);
    const char *number = from != NULL ? strpbrk(from, "0123456789") : NULL;
    if (status == 0 && number != NULL)
        snprintf(out, room, "%s %.*s", name, (int)strcspn(number, " \n,-"), number);
    else if (status < 0)
        snprintf(out, room, "%s (tells no version within %d s)", name, VERSION_LIMIT_S);
}

const char *version_number(const char *version)
{
    const char *space = strchr(version, ' ');
    return space != NULL && isdigit((unsigned char)space[1]) ? space + 1 : NULL;
}

const char *server_version(const struct server_kind *kind, char *out, size_t room)
{
    if (kind->version == NULL)
        return program_version(kind->program, out, room);
    kind->version(out, room);
    return out;
}

const char *node_version(const struct node *node, char *out, size_t room)
{
    return node->program != NULL ? program_version(node->program, out, room)
                                 : server_version(node->kind, out, room);
}

// "Redis server v=7.0.15 sha=..." and most others: the first word with a digit.
const char *program_version(const char *program, char *out, size_t room)
{
    const char *slash = strrchr(program, '/');
    const char *const arguments[] = {program, "--version", NULL};
    version_ask(slash != NULL ? slash + 1 : program, arguments, "", out, room);
    return out;
}

pid_t server_run(const struct node *node, bool ordinary_user, struct error *error,
                 const char *format, ...)
{
    AUTO_FREE char *command = NULL;
    wordexp_t words;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&command, format, arguments) < 0)
        memory_give_up();
    va_end(arguments);
    if (wordexp(command, &words, WRDE_NOCMD) != 0)
        return error_set(error, "cannot part the command line '%s' into words", command);
    for (size_t i = 0; node->program != NULL && i < words.we_wordc; i++) {
        const char *slash = strrchr(words.we_wordv[i], '/');
        const char *name = slash != NULL ? slash + 1 : words.we_wordv[i];
        if (strcmp(name, node->kind->program) == 0) {
            free(words.we_wordv[i]);
            words.we_wordv[i] = memory_string(node->program);
        }
    }
    pid_t id = server_start(node, ordinary_user, (const char *const *)words.we_wordv, error);
    wordfree(&words);
    return id;
}

pid_t server_start(const struct node *node, bool ordinary_user, const char *const *arguments,
                   struct error *error)
{
    AUTO_FREE char *log = path_join(node->folder, "server.log");
    if (node->remote != NULL)
        return remote_start(node->remote, arguments, (const char *const *)node->environment,
                            error) == 0
                   ? node->remote->striker.process
                   : -1;
    struct process_settings settings = {.arguments = arguments,
                                        .environment = (const char *const *)node->environment,
                                        .folder = node->home,
                                        .log_path = log,
                                        .network_namespace = node->end.network_namespace,
                                        .processor = node->processor,
                                        .ordinary_user = ordinary_user || node->gated};
    return process_start(&settings, error);
}

int server_write(const struct node *node, const char *name, const char *settings,
                 struct error *error)
{
    AUTO_FREE char *kept = path_join(node->folder, name);
    return server_put(node, name, settings, false, error) != 0
               ? -1
               : file_write(kept, settings, strlen(settings), error);
}

int server_put(const struct node *node, const char *name, const char *content, bool first,
               struct error *error)
{
    AUTO_FREE char *path = path_join(node->home, name);
    if (node->remote != NULL)
        remote_write(node->remote, name, content, first);
    else if (!first || access(path, F_OK) != 0)
        return file_write(path, content, strlen(content), error);
    return 0;
}

pid_t server_process(const struct node *node)
{
    return node->remote != NULL ? node->remote->process : node->server;
}

int server_provide_data(const struct node *node, const char *marker,
                        int (*make)(const struct node *node, struct error *error),
                        struct error *error)
{
    char version[80];
    AUTO_FREE char *path = path_join(node->data, marker);
    AUTO_FREE char *cache = NULL;
    if (access(path, F_OK) == 0)
        return 0;
    if (version_number(node_version(node, version, sizeof version)) != NULL) {
        *strchr(version, ' ') = '-';
        cache = data_cache_path(version);
    }
    if (cache != NULL && data_cache_fetch(cache, node->data, node_limit(node)) == 0)
        return 0;
    // Half of what was kept is no place to make data in.
    if (folder_make(node->data, error) != 0 || data_empty(node, error) != 0 ||
        make(node, error) != 0)
        return -1;
    // A server that has served before may have kept something of its group.
    if (cache != NULL && node->ready_ns == 0)
        data_cache_keep(node->data, cache, node_limit(node));
    return 0;
}
