// Schemes that a scenario brings along: programs and plug-ins that lock, `{exec: {command: ...}}`
// in its list of schemes.
#include "harness/base/text.h"
#include "harness/scenario/keys.h"

#include <stdlib.h>
#include <string.h>

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

static void check_visible(const struct vocabulary *vocabulary, const char *server,
                          struct node *visible)
{
    const char *shown[MAX_SERVER_KINDS + 1] = {NULL};
    size_t count = 0;
    struct text names = {0};
    for (size_t i = 0; vocabulary->none_and_servers[i + 1] != NULL; i++) {
        if (vocabulary->server_forms[i].shows_keys)
            shown[count++] = vocabulary->none_and_servers[i + 1];
    }
    words_join(shown, "and", &names);
    if (!text_is_one_of(server, shown))
        refuse_key(visible, "'visible' with servers %s: only keys of %s can be looked at", server,
                   text_string(&names));
    text_free(&names);
}

static void check_exec(const struct vocabulary *vocabulary, const struct scenario *scenario,
                       const struct exec_settings *exec, struct node *map)
{
    bool is_taken = exec->name != NULL && (text_is_one_of(exec->name, vocabulary->schemes) ||
                                           text_is_one_of(exec->name, vocabulary->traits));
    for (size_t i = 0; exec->name != NULL && i + 1 < scenario->exec_count; i++)
        is_taken |=
            scenario->execs[i].name != NULL && strcmp(scenario->execs[i].name, exec->name) == 0;
    bool has_lease = false;
    for (size_t i = 0; i < exec->traits.count; i++)
        has_lease |= strcmp(exec->traits.items[i], "lease") == 0;
    if (is_taken)
        refuse(node_child(map, "name"), "'%s' is the name of another scheme, or of a trait",
               exec->name);
    if (exec->renew && !has_lease)
        refuse_key(node_child(map, "renew"), "'renew' without the trait lease: there is none");
    if (exec->visible && exec->server != NULL)
        check_visible(vocabulary, exec->server, node_child(map, "visible"));
}

// `item` is a mapping in the list of schemes.
static void take(const struct vocabulary *vocabulary, struct node *item, struct scenario *scenario)
{
    struct node *plugin = item->count == 1 ? node_child(item, "plugin") : NULL;
    struct node *map = item->count == 1 ? node_child(item, "exec") : NULL;
    if (map == NULL)
        map = plugin;
    if (map == NULL) {
        bool is_flat = node_child(item, "exec") != NULL || node_child(item, "plugin") != NULL;
        refuse(item,
               "a scheme must be a name, a glob, a trait, {exec: {name: ..., command: ...}}, or "
               "{plugin: {name: ..., file: ...}}%s",
               is_flat ? "; its keys must be indented more than 'exec' or 'plugin' is" : "");
        return;
    }
    // Written down, so that the scenario as run finds it from anywhere.
    if (map->kind == NODE_MAP && node_child(map, "folder") == NULL) {
        char *folder = folder_of(scenario->path);
        node_add(map, "folder", node_new_text(folder, map->origin, map->place));
        free(folder);
    }
    scenario->execs =
        memory_resized(scenario->execs, (scenario->exec_count + 1) * sizeof *scenario->execs);
    struct exec_settings *exec = &scenario->execs[scenario->exec_count++];
    *exec = (struct exec_settings){0};
    bind_section(vocabulary, plugin != NULL ? &plugin_section : &exec_section, map, exec);
    check_exec(vocabulary, scenario, exec, map);
}

// --- what it means -------------------------------------------------------------------------------

// A NULL-terminated list of what is in `list`, with room for two more.
static const char **names_of(const struct string_list *list)
{
    const char **names = memory_zeroed(list->count + 3, sizeof *names);
    for (size_t i = 0; i < list->count; i++)
        names[i] = list->items[i];
    return names;
}

static void describe(struct exec_settings *exec, const struct vocabulary *vocabulary)
{
    const char *server =
        exec->server != NULL && strcmp(exec->server, "none") != 0 ? exec->server : NULL;
    const char **traits = names_of(&exec->traits);
    const char **topologies = server != NULL ? memory_zeroed(1, sizeof *topologies) : NULL;
    size_t count = exec->traits.count;
    if (exec->renew && !text_is_one_of("renewed", traits))
        traits[count++] = "renewed";
    traits[count] = server;
    count = 0;
    for (const struct topology_name *topology = vocabulary->topologies;
         server != NULL && topology != NULL && topology->name != NULL; topology++) {
        if (strcmp(topology->server, server) != 0)
            continue;
        topologies = memory_resized(topologies, (count + 2) * sizeof *topologies);
        topologies[count++] = topology->name;
        topologies[count] = NULL;
    }
    exec->external_client = (struct external_client){
        .name = exec->name != NULL ? exec->name : "",
        .server = server,
        .command = names_of(&exec->command),
        .plugin = exec->file,
        .folder = exec->folder != NULL ? exec->folder : "",
        .traits = traits,
        .topologies = topologies,
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
        const struct external_client *external_client = &scenario->execs[i - count].external_client;
        schemes[i] = external_client->name;
        traits[i] = external_client->traits;
        servers[i].kind = external_client->server;
        servers[i].topology =
            external_client->topologies != NULL ? external_client->topologies[0] : "single";
    }
    own->schemes = schemes;
    own->scheme_traits = traits;
    own->scheme_servers = servers;
    return own;
}

void external_bind(const struct vocabulary *vocabulary, struct node *root,
                   struct scenario *scenario)
{
    struct node *schemes = node_child(root, "schemes");
    if (schemes != NULL && schemes->kind == NODE_MAP)
        take(vocabulary, schemes, scenario);
    for (size_t i = 0; schemes != NULL && schemes->kind == NODE_LIST && i < schemes->count; i++) {
        if (schemes->children[i]->kind == NODE_MAP)
            take(vocabulary, schemes->children[i], scenario);
    }
    for (size_t i = 0; i < scenario->exec_count; i++)
        describe(&scenario->execs[i], vocabulary);
    if (scenario->exec_count > 0)
        scenario->vocabulary = extended(vocabulary, scenario);
}

static void free_array(const void *array)
{
    free((void *)(size_t)array);
}

void external_free(struct scenario *scenario)
{
    for (size_t i = 0; i < scenario->exec_count; i++) {
        free_array(scenario->execs[i].external_client.command);
        free_array(scenario->execs[i].external_client.traits);
        free_array(scenario->execs[i].external_client.needs);
        free_array(scenario->execs[i].external_client.topologies);
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

const struct external_client *scenario_external_client(const struct scenario *scenario,
                                                       const char *scheme)
{
    for (size_t i = 0; i < scenario->exec_count; i++) {
        if (strcmp(scenario->execs[i].external_client.name, scheme) == 0)
            return &scenario->execs[i].external_client;
    }
    return NULL;
}
