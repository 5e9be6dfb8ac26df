#include "harness/cluster/server.h"

#include "harness/base/clock_shift.h"
#include "harness/base/file.h"
#include "harness/base/text.h"
#include "harness/cluster/data_cache.h"
#include "harness/cluster/disk.h"
#include "harness/cluster/process.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wordexp.h>

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

void version_ask(const char *name, const char *const *arguments, const char *before, char *out,
                 size_t room)
{
    struct text output = {0};
    snprintf(out, room, "%s", name);
    int status = process_run(arguments, "", -1, (struct process_limit){.seconds = VERSION_LIMIT_S},
                             &output, NULL);
    char *from = strstr(text_string(&output), before);
    const char *number = from != NULL ? strpbrk(from, "0123456789") : NULL;
    if (status == 0 && number != NULL)
        snprintf(out, room, "%s %.*s", name, (int)strcspn(number, " \n,-"), number);
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
        version_ask(kind->program, arguments, "", out, room);
    return out;
}

// What the preload goes by: variables.
struct preload_environment {
    struct text texts[4];
    const char *list[5];
};

static struct preload_environment preload_environment_of(const struct node *node)
{
    struct preload_environment environment = {.list = {NULL}};
    struct text *texts = environment.texts;
    const char *others = getenv("LD_PRELOAD");
    if (!node->kind->takes_preload || (node->clock == NULL && node->disk == NULL && !node->gated))
        return environment;
    text_format(&texts[0], "LD_PRELOAD=%s/" NODE_PRELOAD "%s%s", node->home,
                others != NULL ? ":" : "", others != NULL ? others : "");
    if (node->clock != NULL)
        text_format(&texts[1], CLOCK_SHIFT_VARIABLE "=%s/" NODE_CLOCK_FILE, node->home);
    if (node->disk != NULL)
        text_format(&texts[2], DISK_VARIABLE "=%s/" NODE_DISK_FILE, node->home);
    if (node->gated)
        text_format(&texts[3], GATE_VARIABLE "=%u", geteuid());
    for (int i = 0, count = 0; i < 4; i++) {
        if (texts[i].bytes != NULL)
            environment.list[count++] = texts[i].bytes;
    }
    return environment;
}

pid_t server_run(const struct node *node, bool ordinary_user, struct error *error,
                 const char *format, ...)
{
    char *command = NULL;
    wordexp_t words;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&command, format, arguments) < 0)
        memory_give_up();
    va_end(arguments);
    int reason = wordexp(command, &words, WRDE_NOCMD);
    if (reason != 0)
        error_set(error, "cannot part the command line '%s' into words", command);
    free(command);
    if (reason != 0)
        return -1;
    for (size_t i = 0; node->program != NULL && i < words.we_wordc; i++) {
        const char *slash = strrchr(words.we_wordv[i], '/');
        const char *name = slash != NULL ? slash + 1 : words.we_wordv[i];
        if (strcmp(name, node->kind->program) == 0) { // which a fault has replaced
            free(words.we_wordv[i]);
            words.we_wordv[i] = memory_string(node->program);
        }
    }
    struct preload_environment environment = preload_environment_of(node);
    char *log = path_join(node->folder, "server.log");
    struct process_settings settings = {.arguments = (const char *const *)words.we_wordv,
                                        .environment = environment.list,
                                        .folder = node->home,
                                        .log_path = log,
                                        .network_namespace = node->end.network_namespace,
                                        .processor = node->processor,
                                        .ordinary_user = ordinary_user || node->gated};
    pid_t id = process_start(&settings, error);
    for (int i = 0; i < 4; i++)
        text_free(&environment.texts[i]);
    free(log);
    wordfree(&words);
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

int server_provide_data(const struct node *node, const char *marker,
                        int (*make)(const struct node *node, struct error *error),
                        struct error *error)
{
    char version[80];
    char *path = path_join(node->data, marker);
    bool is_restart = access(path, F_OK) == 0;
    free(path);
    if (is_restart)
        return 0;
    char *cache = NULL;
    if (version_number(server_version(node->kind, version, sizeof version)) != NULL) {
        *strchr(version, ' ') = '-';
        cache = data_cache_path(version);
    }
    int result = cache != NULL ? data_cache_fetch(cache, node->data, node_limit(node)) : -1;
    if (result != 0) {
        // Half of what was kept is no place to make data in.
        result = folder_make(node->data, error) != 0 || data_empty(node, error) != 0
                     ? -1
                     : make(node, error);
        // A server that has served before may have kept something of its group.
        if (result == 0 && cache != NULL && node->ready_ns == 0)
            data_cache_keep(node->data, cache, node_limit(node));
    }
    free(cache);
    return result;
}
