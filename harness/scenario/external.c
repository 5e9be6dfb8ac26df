// What a scenario brings along: programs and plug-ins that lock, `{exec: {command: ...}}` in its
// list of schemes; and the server that they lock with, `{custom: {command: ...}}` in `servers`.
#include "harness/base/scope.h"
#include "harness/scenario/keys.h"

#include <libgen.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

// The folder that the scenario's file is in; the caller frees it.
static char *folder_of(const char *path)
{
    AUTO_FREE char *copy = memory_string(path);
    char *folder = memory_string(dirname(copy));
    char *whole = realpath(folder, NULL);
    if (whole == NULL)
        return folder;
    free(folder);
    return whole;
}

// Written down, so that the scenario as run finds it from anywhere.
static void write_folder(struct node *map, const struct scenario *scenario)
{
    if (map->kind == NODE_MAP && node_child(map, "folder") == NULL) {
        AUTO_FREE char *folder = folder_of(scenario->path);
        node_add(map, "folder", node_new_text(folder, map->origin, map->place));
    }
}

void check_launch(const struct node *map, const char *whose)
{
    if (node_child(map, "hosts") == NULL)
        refuse_key(node_child(map, "launch"), "'launch' without 'hosts': it is for %s there",
                   whose);
}

static void check_exec(const struct vocabulary *vocabulary, const struct node *root,
                       const struct scenario *scenario, const struct exec_settings *exec,
                       struct node *map)
{
    const struct external_client *client = &exec->client;
    bool is_taken =
        text_is_one_of(client->name, vocabulary->schemes) ||
        text_is_one_of(client->name, vocabulary->traits) ||
        (client->name != NULL && scenario_external_client(scenario, client->name) != client);
    if (is_taken)
        refuse(node_child(map, "name"), "'%s' is the name of another scheme, or of a trait",
               client->name);
    if (client->renew && !string_list_has(&exec->traits, "lease"))
        refuse_key(node_child(map, "renew"), "'renew' without the trait lease: there is none");
    const struct server_form *server = server_form_find(vocabulary, client->server);
    const struct node *custom = // what is said of them
        node_child(node_child(root, "servers"), client->server);
    if (server != NULL && server->is_custom && node_child(custom, "command") == NULL &&
        node_child(custom, "external") == NULL)
        refuse_key(node_child(map, "servers"),
                   "'servers: %s' needs servers.%s.command, which starts that server",
                   client->server, client->server);
    check_launch(map, "clients");
    if (exec->hosts.count > 0 && server != NULL && node_child(custom, "external") == NULL &&
        node_child(custom, "hosts") == NULL)
        refuse_key(node_child(map, "hosts"),
                   "'hosts' with servers %s: those that Lockpick boots here are not reached from "
                   "other machines; say servers.%s.hosts, to have them booted there, or "
                   "servers.%s.external, the URL of one that each host reaches",
                   client->server, client->server, client->server);
    if (!client->visible || client->server == NULL || (server != NULL && server->shows_keys))
        return;
    AUTO_LIST struct string_list shown = {0};
    AUTO_TEXT struct text names = {0};
    for (size_t i = 0; vocabulary->none_and_servers[i + 1] != NULL; i++) {
        if (vocabulary->server_forms[i].shows_keys)
            string_list_add(&shown, vocabulary->none_and_servers[i + 1]);
    }
    text_join(&names, (const char *const *)shown.items, "and");
    refuse_key(node_child(map, "visible"),
               "'visible' with servers %s: only keys of %s can be looked at", client->server,
               text_string(&names));
}

// An engine that would ask for a password could not be answered.
static const char *const by_ssh[] = {"ssh", "-oBatchMode=yes", "{host}", "lockpick", "agent"};
#define BY_SSH (sizeof by_ssh / sizeof *by_ssh)

static void complete_launch(const struct string_list *hosts, struct string_list *launch)
{
    for (size_t i = 0, said = launch->count; hosts->count > 0 && said == 0 && i < BY_SSH; i++)
        string_list_add(launch, by_ssh[i]);
}

// What follows from what was said.
static void complete(struct exec_settings *exec, const struct vocabulary *vocabulary)
{
    struct external_client *client = &exec->client;
    if (client->name == NULL)
        client->name = memory_string("");
    if (client->folder == NULL)
        client->folder = memory_string("");
    if (client->renew && !string_list_has(&exec->traits, "renewed"))
        string_list_add(&exec->traits, "renewed");
    if (client->server != NULL && strcmp(client->server, "none") == 0) {
        free((void *)(size_t)client->server);
        client->server = NULL;
    }
    if (client->server != NULL)
        string_list_add(&exec->traits, client->server);
    for (const struct topology_form *topology = vocabulary->topologies;
         client->server != NULL && topology->name != NULL; topology++) {
        if (strcmp(topology->server, client->server) == 0)
            string_list_add(&exec->topologies, topology->name);
    }
    complete_launch(&exec->hosts, &exec->launch);
    if (exec->hosts.count > 0) {
        client->hosts = (const char *const *)exec->hosts.items;
        client->launch = (const char *const *)exec->launch.items;
    }
    client->command = (const char *const *)exec->command.items;
    client->traits = (const char *const *)exec->traits.items;
    client->topologies = (const char *const *)exec->topologies.items;
    client->needs = (const char *const *)exec->needs.items;
}

// `item` is a mapping in the list of schemes.
static void take(const struct vocabulary *vocabulary, const struct node *root, struct node *item,
                 struct scenario *scenario)
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
    write_folder(map, scenario);
    scenario->execs =
        memory_resized(scenario->execs, (scenario->exec_count + 1) * sizeof *scenario->execs);
    struct exec_settings *exec = &scenario->execs[scenario->exec_count++];
    *exec = (struct exec_settings){0};
    bind_section(vocabulary, plugin != NULL ? &plugin_section : &exec_section, map, exec);
    check_exec(vocabulary, root, scenario, exec, map);
    complete(exec, vocabulary);
}

// The general words, the schemes that the scenario brings along, and the requests of its server.
static struct vocabulary *extended(const struct vocabulary *general,
                                   const struct scenario *scenario, struct node *requests)
{
    struct vocabulary *own = memory_new(sizeof *own);
    size_t count = 0;
    while (general->schemes[count] != NULL)
        count++;
    const char **schemes = memory_zeroed(count + scenario->exec_count + 1, sizeof *schemes);
    struct scheme_form *forms = memory_zeroed(count + scenario->exec_count + 1, sizeof *forms);
    memcpy(schemes, general->schemes, count * sizeof *schemes);
    memcpy(forms, general->scheme_forms, count * sizeof *forms);
    for (size_t i = 0; i < scenario->exec_count; i++) {
        const struct external_client *client = &scenario->execs[i].client;
        schemes[count + i] = client->name;
        forms[count + i] =
            (struct scheme_form){client->traits, client->server,
                                 client->topologies != NULL ? client->topologies[0] : "single"};
    }
    size_t known = 0;
    while (general->commands[known] != NULL)
        known++;
    const char **commands = memory_zeroed(known + item_count(requests) + 1, sizeof *commands);
    memcpy(commands, general->commands, known * sizeof *commands);
    for (size_t i = 0; i < item_count(requests); i++) {
        const struct node *request = item_node(requests, i);
        commands[known + i] =
            request->kind == NODE_TEXT && request->text != NULL ? request->text : "";
    }
    *own = *general;
    own->schemes = schemes;
    own->commands = commands;
    own->scheme_forms = forms;
    return own;
}

void external_bind(const struct vocabulary *vocabulary, struct node *root,
                   struct scenario *scenario)
{
    struct node *schemes = node_child(root, "schemes");
    struct node *servers = node_child(root, "servers");
    struct node *requests = NULL;
    for (size_t i = 0; i < item_count(schemes); i++) {
        if (item_node(schemes, i)->kind == NODE_MAP)
            take(vocabulary, root, item_node(schemes, i), scenario);
    }
    for (size_t i = 0; servers != NULL && servers->kind == NODE_MAP && i < servers->count; i++) {
        struct node *map = servers->children[i];
        const struct server_form *form = server_form_find(vocabulary, map->key);
        if (form == NULL || !form->is_custom)
            continue;
        write_folder(map, scenario);
        requests = node_child(map, "requests");
    }
    if (scenario->exec_count > 0)
        scenario->vocabulary = extended(vocabulary, scenario, requests);
}

static const char *const *list_of(const struct string_list *list)
{
    static const char *const none[] = {NULL};
    return list->count > 0 ? (const char *const *)list->items : none;
}

void external_complete(struct scenario *scenario)
{
    static const int endings[] = {
        [CUSTOM_SIGTERM] = SIGTERM, [CUSTOM_SIGINT] = SIGINT, [CUSTOM_SIGQUIT] = SIGQUIT};
    for (struct server_settings *settings = scenario->servers; settings->kind != NULL; settings++) {
        struct custom_settings *custom = &settings->custom;
        struct custom_server *server = &custom->server;
        complete_launch(&settings->hosts, &settings->launch);
        server->command = list_of(&custom->command);
        server->environment = list_of(&custom->environment);
        server->ready_command = list_of(&custom->ready_command);
        server->leads = list_of(&custom->leads);
        server->ending = endings[custom->ending];
        if (custom_uses(server->command, CUSTOM_DATA) ||
            custom_uses(server->environment, CUSTOM_DATA))
            settings->persistence = PERSISTENCE_AOF_ALWAYS;
    }
}

void external_free(struct scenario *scenario)
{
    for (size_t i = 0; i < scenario->exec_count; i++) {
        struct exec_settings *exec = &scenario->execs[i];
        string_list_free(&exec->topologies);
        unbind_section(exec->client.plugin != NULL ? &plugin_section : &exec_section, exec);
    }
    if (scenario->vocabulary != NULL) {
        free((void *)(size_t)scenario->vocabulary->schemes);
        free((void *)(size_t)scenario->vocabulary->commands);
        free((void *)(size_t)scenario->vocabulary->scheme_forms);
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
        const struct external_client *client = &scenario->execs[i].client;
        if (client->name != NULL && strcmp(client->name, scheme) == 0)
            return client;
    }
    return NULL;
}
