#include "harness/explore/lock.h"

#include "harness/base/scope.h"
#include "harness/cluster/topology.h"
#include "harness/locks/lock.h"
#include "harness/workloads/workload.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_MAJORITY 3       // servers
#define NAME_SUFFIX "-program" // where the name is a scheme's of ours

// A program is named by its last word that is a file's: "my-lock" of "python3 locks/my-lock.py".
static void name_program(const char *command, char *name, size_t room)
{
    const char *from = command;
    size_t length = 0;
    for (const char *word = command; *word != '\0'; word += strcspn(word, " ")) {
        word += strspn(word, " ");
        if (*word != '-' && (word == command || memchr(word, '.', strcspn(word, " ")) != NULL))
            from = word;
    }
    for (const char *at = from; *at != '\0' && *at != ' '; at++)
        from = *at == '/' ? at + 1 : from;
    for (; length + sizeof NAME_SUFFIX < room &&
           (isalnum((unsigned char)from[length]) || from[length] == '-' || from[length] == '_');
         length++)
        name[length] = from[length] == '_' ? '-' : (char)tolower((unsigned char)from[length]);
    name[length] = '\0';
}

// In quotes, of which one inside is doubled.
static void write_quoted(const char *word, struct text *out)
{
    text_add(out, "'");
    for (; *word != '\0'; word++) {
        text_add(out, *word == '\'' ? "'" : "");
        text_add_bytes(out, word, 1);
    }
    text_add(out, "'");
}

// Each word but one.
static void write_list(const char *const *words, const char *but, struct text *out)
{
    const char *before = "[";
    for (; *words != NULL; words++) {
        if (but != NULL && strcmp(*words, but) == 0)
            continue;
        text_add(out, before);
        write_quoted(*words, out);
        before = ", ";
    }
    text_add(out, before[0] == '[' ? "[]" : "]");
}

// The program of ours that loads a plug-in, which is told its traits.
static void write_loader(const struct external_client *program, struct text *out)
{
    AUTO_FREE char *own = realpath("/proc/self/exe", NULL);
    AUTO_LIST struct string_list words = {0};
    const char *const first[] = {own, "agent", "plugin", program->plugin};
    for (size_t i = 0; i < sizeof first / sizeof *first; i++)
        string_list_add(&words, first[i]);
    for (const char *const *trait = program->traits; *trait != NULL; trait++)
        string_list_add(&words, *trait);
    write_list((const char *const *)words.items, NULL, out);
}

// With its traits but that one: a scenario's have the kind of its server among them. Where it is to
// be explored, a plug-in is loaded by a program of ours: its requests and its time are held as any
// program's.
static void write_program(const struct external_client *program, const char *but, bool is_explored,
                          struct text *out)
{
    bool is_plugin = program->plugin != NULL && !is_explored;
    text_format(out, "{%s: {name: %s, %s: ", is_plugin ? "plugin" : "exec", program->name,
                is_plugin ? "file" : "command");
    if (is_plugin)
        write_quoted(program->plugin, out);
    else if (program->plugin != NULL)
        write_loader(program, out);
    else
        write_list(program->command, NULL, out);
    text_add(out, ", folder: ");
    write_quoted(program->folder, out);
    text_add(out, ", servers: ");
    write_quoted(program->server != NULL ? program->server : "none", out);
    text_add(out, ", traits: ");
    write_list(program->traits, but, out);
    text_add(out, "}}");
}

// The words of the text, NULL-terminated, which is cut into them. The caller frees the list.
static const char **split(char *text, const char *separators)
{
    const char **words = memory_zeroed(strlen(text) / 2 + 2, sizeof *words);
    size_t count = 0;
    for (char *word; (word = strtok_r(NULL, separators, &text)) != NULL;)
        words[count++] = word;
    return words;
}

static bool write_item(const struct explored_lock *lock, bool is_explored, char *name,
                       struct text *out)
{
    const char *ending = strrchr(lock->lock, '.');
    bool is_plugin = ending != NULL && strcmp(ending, ".so") == 0;
    name[0] = '\0';
    if (lock->program != NULL) {
        snprintf(name, LOCK_NAME_ROOM, "%s", lock->program->name);
        write_program(lock->program, lock->program->server, is_explored, out);
        return true;
    }
    if (lock_scheme_find(lock->lock) != NULL) {
        snprintf(name, LOCK_NAME_ROOM, "%s", lock->lock);
        text_add(out, lock->lock); // one of ours may be longer
        return true;
    }
    if (lock->servers == NULL)
        return false;
    name_program(lock->lock, name, LOCK_NAME_ROOM);
    if (lock_scheme_find(name) != NULL || name[0] == '\0')
        snprintf(name + strlen(name), LOCK_NAME_ROOM - strlen(name), "%s", NAME_SUFFIX);
    AUTO_FREE char *folder = realpath(".", NULL);
    AUTO_FREE char *words = memory_string(lock->lock);
    AUTO_FREE char *promises = memory_string(lock->traits);
    AUTO_FREE const char **command = split(words, " ");
    AUTO_FREE const char **traits = split(promises, ", ");
    write_program(&(struct external_client){.name = name,
                                            .server = lock->servers,
                                            .command = command,
                                            .plugin = is_plugin ? lock->lock : NULL,
                                            .folder = folder != NULL ? folder : ".",
                                            .traits = traits},
                  NULL, is_explored, out);
    return true;
}

bool lock_write_item(const struct explored_lock *lock, char name[LOCK_NAME_ROOM], struct text *out)
{
    return write_item(lock, false, name, out);
}

// Of independent servers as few as have a majority that is not all of them.
static void write_servers(const struct lock_scheme *scheme, struct text *out)
{
    const struct topology *topology = scheme->server != NULL && scheme->topologies != NULL
                                          ? topology_find(scheme->server, scheme->topologies[0])
                                          : NULL;
    if (topology != NULL && topology->form.by_majority && topology->form.usual > LEAST_MAJORITY)
        text_format(out, "servers: {%s: {topology: %s, nodes: %d}}\n", scheme->server,
                    topology->form.name, LEAST_MAJORITY);
}

static bool has_trait(const struct explored_lock *lock, const struct lock_scheme *scheme,
                      const char *trait)
{
    if (scheme != NULL)
        return lock_scheme_has(scheme, trait);
    return lock->program != NULL ? text_is_one_of(trait, lock->program->traits)
                                 : strstr(lock->traits, trait) != NULL;
}

// The one that is asked for, or for which alone schemes like that are, or increment. NULL: what is
// asked for is none.
static const struct workload *workload_of(const struct explored_lock *lock,
                                          const struct lock_scheme *scheme)
{
    const struct workload *const *workload = workload_catalogue;
    if (lock->workload != NULL)
        return workload_find(lock->workload);
    while (*workload != NULL && ((*workload)->form.why_only == NULL ||
                                 !has_trait(lock, scheme, (*workload)->form.trait)))
        workload++;
    return *workload != NULL ? *workload : &increment_workload;
}

// Sleeps of programs are time that passes; against so long a lease as theirs it is none.
struct scenario *explored_scenario(const struct explored_lock *lock,
                                   const struct vocabulary *vocabulary)
{
    const struct lock_scheme *scheme = lock->program == NULL ? lock_scheme_find(lock->lock) : NULL;
    const struct workload *workload = workload_of(lock, scheme);
    const char *kind = workload == NULL             ? lock->workload
                       : workload->explored != NULL ? workload->explored
                                                    : workload->name;
    bool has_jobs = workload != NULL && workload->form.has_jobs;
    char name[LOCK_NAME_ROOM];
    AUTO_TEXT struct text item = {0};
    AUTO_TEXT struct text text = {0};
    if (!write_item(lock, true, name, &item))
        return NULL;
    text_format(
        &text,
        "version: 1\nname: explore-%s-%lldx%lldx%lld%s%s%s\nabout: Every order of its steps.\n"
        "workload: {kind: %s, %s: %lld%s}\n"
        "clients: {processes: %lld, threads: %lld}\nlock: %s\n"
        "verdict-only: true\nschemes: [%s]\n",
        name, (long long)lock->clients, (long long)lock->threads, (long long)lock->operations,
        lock->workload != NULL ? "-" : "", lock->workload != NULL ? lock->workload : "",
        lock->rare ? "-rare" : "", kind, has_jobs ? "keys" : "operations",
        (long long)(has_jobs ? lock->operations : lock->clients * lock->threads * lock->operations),
        has_trait(lock, scheme, "fenced") ? ", fenced: true" : "", (long long)lock->clients,
        (long long)lock->threads,
        scheme != NULL ? "{lease: 2s, wait: 5m, retry: 10ms, request: 5s, stuck-after: 6s}"
                       : "{lease: 5m, wait: 1h, retry: 10ms, request: 5s, stuck-after: 15m}",
        item.bytes);
    if (scheme != NULL)
        write_servers(scheme, &text);
    struct scenario *scenario = NULL;
    struct diagnostics *diagnostics = diagnostics_new();
    if (scenario_parse("explore.yaml", text.bytes, text.length, vocabulary, NULL, 0, &scenario,
                       diagnostics) == 0)
        scenario->is_explored = true;
    else
        diagnostics_print(diagnostics, stderr);
    diagnostics_free(diagnostics);
    return scenario;
}
