#include "harness/scenario/foreign.h"

#include "harness/base/clock.h"
#include "harness/base/text.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define FIELD(field) .offset = offsetof(struct exec_settings, field)

static const char *const server_words[] = {"none",      "redis", "zookeeper", "etcd",
                                           "memcached", "mysql", "postgres",  NULL};

// What both kinds have.
#define NAME_KEY                                                                                   \
    {                                                                                              \
        "name", KEY_NAME, FIELD(name), .least = 1, .most = 32, .required = true,                   \
                                       .help = "of the scheme, as reports and 'expect' say it"     \
    }
#define SERVERS_KEY                                                                                \
    {                                                                                              \
        "servers", KEY_CHOICE, FIELD(server), .choices = server_words, .fallback = "none",         \
                                              .help = "what it locks with"                         \
    }
#define TRAITS_KEY                                                                                 \
    {                                                                                              \
        "traits", KEY_WORDS, FIELD(traits),                                                        \
            .least = 1, .most = 16, .words = WORDS_PROMISES, .fallback = "exclusive",              \
            .help = "what it promises: see `lockpick list schemes`"                                \
    }
#define VISIBLE_KEY                                                                                \
    {                                                                                              \
        "visible", KEY_SWITCH, FIELD(visible),                                                     \
            .fallback = "false",                                                                   \
            .help = "redis, memcached: the lock is a key of exactly its name, and can be looked "  \
                    "at there"                                                                     \
    }
#define NEEDS_KEY                                                                                  \
    {                                                                                              \
        "needs", KEY_TEXTS, FIELD(needs), .least = 0, .most = 16, .fallback_text = "nothing",      \
                                          .help = "programs, and files by a path with a '/', "     \
                                                  "without which the scheme is skipped"            \
    }
#define INSTALL_KEY                                                                                \
    {                                                                                              \
        "install", KEY_TEXT, FIELD(install),                                                       \
            .least = 1, .most = 400, .fallback_text = "not said",                                  \
            .help = "the command that installs what it needs, for who is told that it is missing"  \
    }

static const struct key exec_keys[] = {
    NAME_KEY,
    {"command", KEY_TEXTS, FIELD(command), .least = 1, .most = 64, .required = true,
     .help = "the program and its arguments; scripts/drivers/README.md says how it is spoken to"},
    SERVERS_KEY,
    TRAITS_KEY,
    VISIBLE_KEY,
    {"renew", KEY_SWITCH, FIELD(renew), .fallback = "false",
     .help = "it is asked to renew each third of a lease"},
    {"patience", KEY_DURATION, FIELD(patience_ns), .least = 10 * NS_PER_MS, .most = 600 * NS_PER_S,
     .fallback = "10s", .help = "how much later than allowed it may answer"},
    {"folder", KEY_TEXT, FIELD(folder), .least = 1, .most = 4000, .fallback_text = "the scenario's",
     .help = "where it runs"},
    NEEDS_KEY,
    INSTALL_KEY,
    {.help = NULL},
};

static const struct key plugin_keys[] = {
    NAME_KEY,
    {"file", KEY_TEXT, FIELD(file), .least = 1, .most = 4000, .required = true,
     .help = "the shared library; harness/plugin/lockpick.h says what it must export"},
    SERVERS_KEY,
    TRAITS_KEY,
    VISIBLE_KEY,
    {"folder", KEY_TEXT, FIELD(folder), .least = 1, .most = 4000, .fallback_text = "the scenario's",
     .help = "where its file is looked for"},
    NEEDS_KEY,
    INSTALL_KEY,
    {.help = NULL},
};

const struct section exec_section = {
    "exec",    "A lock of your own, as {exec: {name: ..., command: ...}} in 'schemes'.",
    exec_keys, sizeof(struct exec_settings),
    NULL,      offsetof(struct exec_settings, place),
    "scheme",
};
const struct section plugin_section = {
    "plugin",    "The same in C, loaded into the clients, as {plugin: {name: ..., file: ...}}.",
    plugin_keys, sizeof(struct exec_settings),
    NULL,        offsetof(struct exec_settings, place),
    "scheme",
};

// --- binding -------------------------------------------------------------------------------------

// The folder that the scenario's file is in; the caller frees it.
static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    struct text folder = {0};
    if (slash == path)
        text_add(&folder, "/");
    else if (slash != NULL)
        text_add_bytes(&folder, path, (size_t)(slash - path));
    else
        text_add(&folder, ".");
    char *whole = realpath(folder.bytes, NULL);
    if (whole == NULL)
        return folder.bytes;
    text_free(&folder);
    return whole;
}

static void say_folder(struct node *map, const struct scenario *scenario)
{
    if (map->kind != NODE_MAP || node_child(map, "folder") != NULL)
        return;
    char *folder = folder_of(scenario->path);
    struct node *node = node_new(NODE_TEXT, map->origin, map->place);
    node->text = memory_string(folder);
    node_add(map, "folder", node);
    free(folder);
}

static bool is_taken(const struct binding *binding, const struct scenario *scenario,
                     const char *name)
{
    for (size_t i = 0; i + 1 < scenario->exec_count; i++) {
        if (scenario->execs[i].name != NULL && strcmp(scenario->execs[i].name, name) == 0)
            return true;
    }
    return text_is_one_of(name, binding->vocabulary->schemes) ||
           text_is_one_of(name, binding->vocabulary->traits);
}

static void check_exec(struct binding *binding, const struct scenario *scenario,
                       const struct exec_settings *exec, struct node *map)
{
    struct node *name = node_child(map, "name");
    struct node *renew = node_child(map, "renew");
    struct node *visible = node_child(map, "visible");
    bool has_lease = false;
    for (size_t i = 0; i < exec->traits.count; i++)
        has_lease |= strcmp(exec->traits.items[i], "lease") == 0;
    const char *server = server_words[exec->server];
    if (exec->name != NULL && name != NULL && is_taken(binding, scenario, exec->name))
        complain(binding->complaints, name, "'%s' is the name of another scheme, or of a trait",
                 exec->name);
    if (exec->renew && !has_lease)
        complain_key(binding->complaints, renew, "'renew' without the trait lease: there is none");
    if (exec->visible && strcmp(server, "redis") != 0 && strcmp(server, "memcached") != 0)
        complain_key(binding->complaints, visible,
                     "'visible' with servers %s: only keys of redis and memcached can be looked at",
                     server);
}

// `item` is a mapping in the list of schemes.
static void take(struct binding *binding, struct node *item, struct scenario *scenario)
{
    struct node *program = item->count == 1 ? node_child(item, "exec") : NULL;
    struct node *plugin = item->count == 1 ? node_child(item, "plugin") : NULL;
    struct node *map = program != NULL ? program : plugin;
    if (map == NULL) {
        bool is_flat = node_child(item, "exec") != NULL || node_child(item, "plugin") != NULL;
        complain(binding->complaints, item,
                 "a scheme must be a name, a glob, a trait, {exec: {name: ..., command: ...}}, or "
                 "{plugin: {name: ..., file: ...}}%s",
                 is_flat ? "; its keys must be indented more than 'exec' or 'plugin' is" : "");
        return;
    }
    say_folder(map, scenario);
    scenario->execs =
        memory_resized(scenario->execs, (scenario->exec_count + 1) * sizeof *scenario->execs);
    struct exec_settings *exec = &scenario->execs[scenario->exec_count++];
    *exec = (struct exec_settings){0};
    bind_section(binding, plugin != NULL ? &plugin_section : &exec_section, map, exec);
    check_exec(binding, scenario, exec, map);
}

// --- what it means -------------------------------------------------------------------------------

// Room for a NULL-terminated list of what is in `list` and one more.
static const char **names_of(const struct string_list *list)
{
    const char **names = memory_zeroed(list->count + 3, sizeof *names);
    for (size_t i = 0; i < list->count; i++)
        names[i] = list->items[i];
    return names;
}

static const char **topologies_of(const struct vocabulary *vocabulary, const char *server)
{
    size_t count = 0;
    const char **names = memory_zeroed(1, sizeof *names);
    const struct topology_name *topology = vocabulary->topologies;
    for (; topology != NULL && topology->name != NULL; topology++) {
        if (strcmp(topology->server, server) != 0)
            continue;
        names = memory_resized(names, (count + 2) * sizeof *names);
        names[count++] = topology->name;
        names[count] = NULL;
    }
    return names;
}

static void describe(struct exec_settings *exec, const struct vocabulary *vocabulary)
{
    const char *server = exec->server > 0 ? server_words[exec->server] : NULL;
    const char **traits = names_of(&exec->traits);
    size_t count = exec->traits.count;
    if (exec->renew && !text_is_one_of("renewed", traits))
        traits[count++] = "renewed";
    traits[count] = server;
    exec->foreign = (struct foreign_settings){
        .name = exec->name != NULL ? exec->name : "",
        .server = server,
        .command = names_of(&exec->command),
        .plugin = exec->file,
        .folder = exec->folder != NULL ? exec->folder : "",
        .traits = traits,
        .topologies = server != NULL ? topologies_of(vocabulary, server) : NULL,
        .needs = names_of(&exec->needs),
        .install = exec->install,
        .patience_ns = exec->patience_ns,
        .renew = exec->renew,
        .visible = exec->visible,
    };
}

// The general words, and the schemes that the scenario brings along.
static struct vocabulary *extended(const struct vocabulary *general,
                                   const struct scenario *scenario)
{
    struct vocabulary *own = memory_new(sizeof *own);
    *own = *general;
    size_t count = 0;
    while (general->schemes[count] != NULL)
        count++;
    size_t all = count + scenario->exec_count;
    const char **schemes = memory_zeroed(all + 1, sizeof *schemes);
    const char *const **traits = memory_zeroed(all + 1, sizeof *traits);
    struct scheme_servers *servers = memory_zeroed(all + 1, sizeof *servers);
    for (size_t i = 0; i < count; i++) {
        schemes[i] = general->schemes[i];
        traits[i] = general->scheme_traits[i];
        servers[i] = general->scheme_servers[i];
    }
    for (size_t i = count; i < all; i++) {
        const struct foreign_settings *foreign = &scenario->execs[i - count].foreign;
        schemes[i] = foreign->name;
        traits[i] = foreign->traits;
        servers[i].kind = foreign->server;
        servers[i].topology = foreign->topologies != NULL ? foreign->topologies[0] : "single";
    }
    own->schemes = schemes;
    own->scheme_traits = traits;
    own->scheme_servers = servers;
    return own;
}

void foreign_bind(struct binding *binding, struct node *root, struct scenario *scenario)
{
    struct node *schemes = node_child(root, "schemes");
    if (schemes != NULL && schemes->kind == NODE_MAP)
        take(binding, schemes, scenario);
    for (size_t i = 0; schemes != NULL && schemes->kind == NODE_LIST && i < schemes->count; i++) {
        if (schemes->children[i]->kind == NODE_MAP)
            take(binding, schemes->children[i], scenario);
    }
    for (size_t i = 0; i < scenario->exec_count; i++)
        describe(&scenario->execs[i], binding->vocabulary);
    if (scenario->exec_count > 0)
        scenario->vocabulary = extended(binding->vocabulary, scenario);
}

static void free_array(const void *array)
{
    free((void *)(size_t)array);
}

void foreign_free(struct scenario *scenario)
{
    for (size_t i = 0; i < scenario->exec_count; i++) {
        free_array(scenario->execs[i].foreign.command);
        free_array(scenario->execs[i].foreign.traits);
        free_array(scenario->execs[i].foreign.needs);
        free_array(scenario->execs[i].foreign.topologies);
        bool is_plugin = scenario->execs[i].file != NULL;
        unbind_section(is_plugin ? &plugin_section : &exec_section, &scenario->execs[i]);
    }
    if (scenario->vocabulary != NULL) {
        free_array(scenario->vocabulary->schemes);
        free_array(scenario->vocabulary->scheme_traits);
        free_array(scenario->vocabulary->scheme_servers);
    }
    free(scenario->vocabulary);
    free(scenario->execs);
}

const struct vocabulary *scenario_vocabulary(const struct scenario *scenario,
                                             const struct vocabulary *vocabulary)
{
    return scenario->vocabulary != NULL ? scenario->vocabulary : vocabulary;
}

const struct foreign_settings *scenario_foreign(const struct scenario *scenario, const char *scheme)
{
    for (size_t i = 0; i < scenario->exec_count; i++) {
        if (strcmp(scenario->execs[i].foreign.name, scheme) == 0)
            return &scenario->execs[i].foreign;
    }
    return NULL;
}
