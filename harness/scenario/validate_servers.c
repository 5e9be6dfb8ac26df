// How servers are to be: a topology that there is, as many of them as it can have, a URL that can
// be read.
#include "harness/scenario/validate.h"

#include "harness/base/text.h"
#include "harness/base/url.h"

#include <string.h>

static const char *const kinds[] = {"redis", "zookeeper", "etcd", "memcached", "mysql", "postgres"};

const struct server_settings *scenario_server(const struct scenario *scenario, const char *kind)
{
    const struct servers_settings *servers = &scenario->servers;
    const struct server_settings *const settings[] = {&servers->redis, &servers->zookeeper,
                                                      &servers->etcd,  &servers->memcached,
                                                      &servers->mysql, &servers->postgres};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strcmp(kinds[i], kind) == 0)
            return settings[i];
    }
    return NULL;
}

static const struct topology_name *find_topology(const struct rules *rules, const char *kind,
                                                 const char *name)
{
    const struct topology_name *topologies = rules->vocabulary->topologies;
    for (; topologies != NULL && topologies->name != NULL; topologies++) {
        if (strcmp(topologies->server, kind) == 0 && strcmp(topologies->name, name) == 0)
            return topologies;
    }
    return NULL;
}

static void complain_about_topology(const struct rules *rules, struct node *node, const char *kind)
{
    const char *names[16] = {0};
    size_t count = 0;
    struct suggestion suggestion;
    struct quote shown;
    struct text known = {0};
    const struct topology_name *topologies = rules->vocabulary->topologies;
    for (; topologies != NULL && topologies->name != NULL && count < 15; topologies++) {
        if (strcmp(topologies->server, kind) == 0)
            names[count++] = topologies->name;
    }
    if (*suggest(node->text, names, &suggestion) == '\0') {
        text_add(&known, " (known are ");
        words_join(names, "and", &known);
        text_add(&known, ")");
    }
    complain(rules->complaints, node, "%s has no topology '%s'%s%s", kind,
             quote(node->text, &shown), suggestion.text, text_string(&known));
    text_free(&known);
}

static void check_topology(const struct rules *rules, struct node *map, const char *kind,
                           const struct server_settings *settings)
{
    struct node *node = node_child(map, "topology");
    struct node *nodes = node_child(map, "nodes");
    if (node != NULL && (node->bad || settings->topology == NULL))
        return;
    const char *name = node != NULL ? settings->topology : NULL;
    const struct topology_name *topology = name != NULL ? find_topology(rules, kind, name) : NULL;
    if (name != NULL && topology == NULL)
        complain_about_topology(rules, node, kind);
    if (nodes == NULL || nodes->bad)
        return;
    if (name == NULL)
        complain_key(rules->complaints, nodes,
                     "'nodes' without 'topology': say which one is to have that many");
    else if (topology != NULL &&
             (settings->nodes < topology->least || settings->nodes > topology->most))
        complain(rules->complaints, nodes, "%s of %s has from %d to %d nodes, not %lld",
                 topology->name, kind, topology->least, topology->most, (long long)settings->nodes);
}

static void check_external(const struct rules *rules, struct node *map, const char *kind,
                           const struct server_settings *settings)
{
    struct node *node = node_child(map, "external");
    struct url url;
    struct error error;
    if (node == NULL || node->bad || settings->external == NULL)
        return;
    if (url_read(settings->external, &url, &error) != 0)
        complain(rules->complaints, node, "'external' must be a URL such as %s://host:port: %s",
                 kind, error.text);
    else if (strcmp(url.scheme, kind) != 0)
        complain(rules->complaints, node, "'external' of %s must begin with %s://, not %s://", kind,
                 kind, url.scheme);
    struct node *nodes = node_child(map, "nodes");
    struct node *persistence = node_child(map, "persistence");
    if (nodes != NULL)
        complain_key(rules->complaints, nodes,
                     "'nodes' besides 'external': its URL says how many there are");
    if (persistence != NULL)
        complain_key(rules->complaints, persistence,
                     "'persistence' besides 'external': Lockpick does not start that server");
}

void validate_servers(const struct rules *rules)
{
    const struct node *servers = node_child(rules->root, "servers");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct node *map = node_child(servers, kinds[i]);
        if (map == NULL || map->kind != NODE_MAP)
            continue;
        const struct server_settings *settings = scenario_server(rules->scenario, kinds[i]);
        check_topology(rules, map, kinds[i], settings);
        check_external(rules, map, kinds[i], settings);
    }
}
