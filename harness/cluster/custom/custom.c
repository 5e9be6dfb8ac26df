// A server of the scenario's own (base/custom_server.h): any program, of which nothing is known but
// how it is started, when it serves, and, if that is said, how one sees who leads.
//
// leads: by the scenario's command. One that serves alone, or as an equal, leads whenever it takes
// connections.
//
// disconnect: the kernel ends the connections (connections.h). has_lock, flush, deny, evict: nobody
// knows how.
#include "harness/base/custom_server.h"
#include "harness/base/file.h"
#include "harness/base/growing.h"
#include "harness/base/scope.h"
#include "harness/cluster/connections.h"
#include "harness/cluster/process.h"
#include "harness/cluster/server.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ASKING_LIMIT_S 5 // for a command of the scenario's

static const struct custom_server *custom_of(const struct node *node)
{
    return node->group->settings.custom;
}

// --- commands ------------------------------------------------------------------------------------

struct values {
    struct text items[9]; // in the order of custom_placeholders
};

static void free_values(struct values *values)
{
    for (size_t i = 0; custom_placeholders[i] != NULL; i++)
        text_free(&values->items[i]);
}
#define AUTO_VALUES __attribute__((cleanup(free_values)))

static void fill(const struct values *values, const char *form, struct text *out)
{
    const char *texts[sizeof values->items / sizeof *values->items];
    for (size_t i = 0; custom_placeholders[i] != NULL; i++)
        texts[i] = text_string(&values->items[i]);
    custom_fill(out, form, texts);
}

static struct values values_without_peers(const struct node *node)
{
    const struct server_group *group = node->group;
    struct values values = {0};
    text_add(&values.items[0], node->end.address);
    text_format(&values.items[1], "%d", node->port);
    text_format(&values.items[2], "%d", node->extra_ports[0]);
    for (int i = 0; i < group->count; i++)
        text_format(&values.items[3], "%s%s:%d", i > 0 ? "," : "", group->nodes[i].end.address,
                    group->nodes[i].port);
    text_add(&values.items[5], node->name);
    text_format(&values.items[6], "%d", node->number);
    text_add(&values.items[7], node->data != NULL ? node->data : ""); // not yet, of later ones
    text_add(&values.items[8], custom_of(node)->folder);
    return values;
}

static struct values values_of(const struct node *node)
{
    const struct server_group *group = node->group;
    struct values values = values_without_peers(node);
    for (int i = 0; i < group->count; i++) {
        AUTO_VALUES struct values peer = values_without_peers(&group->nodes[i]);
        text_add(&values.items[4], i > 0 ? "," : "");
        fill(&peer, custom_of(node)->peer, &values.items[4]);
    }
    return values;
}

// A word of a command that names a file of the scenario's folder becomes its path. The program
// itself does only with a '/': without one, it is looked for in PATH.
static void find_file(const char *folder, bool is_program, struct text *word)
{
    struct stat about;
    const char *name = text_string(word);
    if (name[0] == '/' || name[0] == '\0' || (is_program && strchr(name, '/') == NULL))
        return;
    AUTO_FREE char *joined = path_join(folder, name);
    AUTO_FREE char *path = realpath(joined, NULL);
    if (path == NULL || stat(path, &about) != 0 || !S_ISREG(about.st_mode))
        return;
    word->length = 0;
    text_add(word, path);
}

// The list with its placeholders filled, NULL-terminated; free with free_words.
static char **words_for(const struct node *node, const char *const *list, bool is_command)
{
    AUTO_VALUES struct values values = values_of(node);
    size_t count = 0;
    while (list[count] != NULL)
        count++;
    char **words = memory_zeroed(count + 1, sizeof *words);
    for (size_t i = 0; i < count; i++) {
        struct text word = {0};
        fill(&values, list[i], &word);
        if (is_command)
            find_file(custom_of(node)->folder, i == 0, &word);
        words[i] = text_take(&word);
    }
    return words;
}

static void free_words(char ***words)
{
    for (size_t i = 0; *words != NULL && (*words)[i] != NULL; i++)
        free((*words)[i]);
    free(*words);
}
#define AUTO_WORDS __attribute__((cleanup(free_words)))

// Whether the command succeeds, or -1 with `error` set.
static int succeeds(const struct node *node, const char *const *command, struct error *error)
{
    AUTO_WORDS char **words = words_for(node, command, true);
    AUTO_TEXT struct text output = {0};
    int status =
        process_run((const char *const *)words, "", -1,
                    (struct process_limit){ASKING_LIMIT_S, node->interrupted}, &output, error);
    return status < 0 ? -1 : status == 0;
}

// --- start, ready --------------------------------------------------------------------------------

// In its log, before what each start of it prints.
static const char started[] = "--- started by lockpick ---\n";

static int mark_log(const char *path, struct error *error)
{
    int log = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    bool is_written = log >= 0 && write(log, started, sizeof started - 1) == sizeof started - 1;
    if (log >= 0)
        close(log);
    return is_written ? 0 : error_set(error, "cannot write %s", path);
}

static pid_t start(const struct node *node, struct error *error)
{
    AUTO_FREE char *log = path_join(node->folder, "server.log");
    AUTO_WORDS char **command = words_for(node, custom_of(node)->command, true);
    AUTO_WORDS char **variables = words_for(node, custom_of(node)->environment, false);
    AUTO_FREE const char **line = NULL;
    size_t count = 0, room = 0;
    *APPEND(line, count, room) = "env";
    for (size_t i = 0; variables[i] != NULL; i++)
        *APPEND(line, count, room) = variables[i];
    for (size_t i = 0; command[i] != NULL; i++)
        *APPEND(line, count, room) = i == 0 && node->program != NULL ? node->program : command[i];
    *APPEND(line, count, room) = NULL;
    return mark_log(log, error) != 0 ? -1 : server_start(node, false, line, error);
}

static bool log_has(const struct node *node, const char *sign)
{
    AUTO_FREE char *path = path_join(node->folder, "server.log");
    AUTO_TEXT struct text log = {0};
    if (file_read(path, &log, NULL) != 0)
        return false;
    const char *last = text_string(&log);
    for (const char *next; (next = strstr(last, started)) != NULL;)
        last = next + sizeof started - 1;
    return strstr(last, sign) != NULL;
}

static bool takes_connections(struct session *session)
{
    int descriptor = peer_connect(&session->peer, session->error);
    if (descriptor >= 0)
        close(descriptor);
    return descriptor >= 0;
}

// Whether it answers a GET with the status: "HTTP/1.1 200 OK".
static bool answers(struct session *session, const struct custom_server *custom)
{
    AUTO_VALUES struct values values = values_of(session->node);
    AUTO_TEXT struct text path = {0}, request = {0};
    fill(&values, custom->ready_path, &path);
    text_format(&request, "GET %s HTTP/1.0\r\nHost: %s:%d\r\n\r\n", text_string(&path),
                session->node->end.address, session->node->port);
    long long status = 0;
    return session_converse(session, request.bytes, request.length) == 0 &&
           sscanf(text_string(&session->answer), "HTTP/%*s %lld", &status) == 1 &&
           status == custom->ready_status;
}

static bool ready(const struct node *node)
{
    const struct custom_server *custom = custom_of(node);
    AUTO_CLOSE struct session session = {0};
    if (custom->ready_log != NULL)
        return log_has(node, custom->ready_log);
    if (custom->ready_command[0] != NULL)
        return succeeds(node, custom->ready_command, NULL) == 1;
    if (session_open(&session, node, NULL, SESSION_LIMIT_S, NULL) != 0)
        return false;
    return custom->ready_path != NULL ? answers(&session, custom) : takes_connections(&session);
}

// --- control -------------------------------------------------------------------------------------

static int leads(struct session *session)
{
    const struct node *node = session->node;
    const char *const *command = custom_of(node)->leads;
    if (command[0] != NULL)
        return succeeds(node, command, session->error);
    if (node->group->settings.topology->replicates)
        return error_set(session->error,
                         "nobody knows which of the servers leads: servers.custom.leads, a command "
                         "that succeeds for the one that does, is not said");
    return takes_connections(session) ? 1 : -1;
}

static const struct server_control control = {
    .leads = leads,
    CONNECTIONS_CONTROL,
};

// --- all -----------------------------------------------------------------------------------------

// An interpreter is asked as what it is: a script has none of these headers.
bool custom_takes_preload(const struct custom_server *custom)
{
    const char *program = custom->command[0];
    AUTO_FREE char *path = program[0] == '/'              ? memory_string(program)
                           : strchr(program, '/') != NULL ? path_join(custom->folder, program)
                                                          : program_path(program);
    Elf64_Ehdr header;
    Elf64_Phdr segment;
    FILE *file = path != NULL ? fopen(path, "rbe") : NULL;
    bool is_program = file != NULL && fread(&header, sizeof header, 1, file) == 1 &&
                      memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
                      fseek(file, (long)header.e_phoff, SEEK_SET) == 0;
    bool has_interpreter = !is_program;
    for (int i = 0;
         is_program && i < header.e_phnum && fread(&segment, sizeof segment, 1, file) == 1; i++)
        has_interpreter |= segment.p_type == PT_INTERP;
    if (file != NULL)
        fclose(file);
    return has_interpreter;
}

static const struct topology single = SINGLE_SERVER("custom");
static const struct topology independent = INDEPENDENT_SERVERS("custom");
static const struct topology ensemble = ENSEMBLE_OF_SERVERS("custom");

const struct server_kind custom_server = {
    .name = "custom",
    .form = {.title = "a server of one's own",
             .durability = {"custom: keeps nothing that Lockpick knows of", NULL,
                            "custom: what it writes to its data folder"},
             .is_custom = true},
    .port = 7000,
    .extra_ports = 1,
    .topologies = (const struct topology *const[]){&single, &independent, &ensemble, NULL},
    .start = start,
    .ready = ready,
    .ask = connections_ask,
    .takes_preload = true,
    .control = &control,
};
