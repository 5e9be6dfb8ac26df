#include "harness/cluster/topology.h"

#include "harness/base/clock.h"
#include "harness/base/custom_server.h"
#include "harness/base/scope.h"
#include "harness/cluster/server.h"

#include <stdio.h>
#include <string.h>

#define LIMIT_S 30 // for a whole to come up, on a machine that is busy

const struct topology *topology_at(size_t nth)
{
    for (size_t i = 0; server_catalogue[i] != NULL; i++) {
        const struct topology *const *each = server_catalogue[i]->topologies;
        for (; each != NULL && *each != NULL; each++) {
            if (nth-- == 0)
                return *each;
        }
    }
    return NULL;
}

const struct topology *topology_find(const char *server, const char *name)
{
    const struct topology *topology;
    for (size_t i = 0; (topology = topology_at(i)) != NULL; i++) {
        if (strcmp(topology->form.server, server) == 0 &&
            (name == NULL || strcmp(topology->form.name, name) == 0))
            break;
    }
    return topology;
}

static void add_node(struct server_group *group, const char *name, int number, struct node node)
{
    struct node *added = &group->nodes[group->count++];
    *added = node;
    added->group = group;
    added->number = number;
    snprintf(added->name, sizeof added->name, "%s-%d", name, number);
}

void topology_plan(struct server_group *group)
{
    const struct group_settings *settings = &group->settings;
    const struct topology *topology = settings->topology;
    int leaders = topology->leaders != NULL ? topology->leaders(settings->count) : 1;
    group->count = 0;
    for (int i = 0; i < settings->count; i++) {
        const char *role = topology->roles[i < leaders ? 0 : 1];
        add_node(group, settings->name, i + 1,
                 (struct node){.kind = server_kind_find(topology->form.server),
                               .role = role != NULL ? role : "member",
                               .deferred = topology->one_by_one && i > 0});
    }
    for (int i = 0; i < topology->watchers; i++)
        add_node(group, topology->watcher->name, i + 1,
                 (struct node){
                     .kind = topology->watcher, .role = topology->watcher->name, .deferred = true});
}

void group_describe(const struct server_group *group, struct service *service)
{
    const struct topology *topology = group->settings.topology;
    *service = (struct service){0};
    snprintf(service->kind, sizeof service->kind, "%s", topology->form.server);
    snprintf(service->topology, sizeof service->topology, "%s", topology->form.name);
    service->protocol = group->settings.custom != NULL ? group->settings.custom->protocol : NULL;
    for (int i = 0; i < group->count; i++) {
        const struct node *node = &group->nodes[i];
        struct endpoint *endpoint = node_has_role(node, "sentinel")
                                        ? &service->sentinels[service->sentinel_count++]
                                        : &service->servers[service->server_count++];
        snprintf(endpoint->host, sizeof endpoint->host, "%s", node->end.address);
        endpoint->port = node->port;
    }
}

bool node_is_in(const struct node *node, const char *topology)
{
    return strcmp(node->group->settings.topology->form.name, topology) == 0;
}

bool node_has_role(const struct node *node, const char *role)
{
    return strcmp(node->role, role) == 0;
}

// --- goals ---------------------------------------------------------------------------------------

static bool is_reached(const struct goal *goal, const char *answer)
{
    for (size_t i = 0; i < sizeof goal->signs / sizeof *goal->signs; i++) {
        const char *part = goal->signs[i].part;
        int times = 0;
        for (const char *at = answer; part != NULL && (at = strstr(at, part)) != NULL; at++)
            times++;
        if (part != NULL && times != goal->signs[i].times)
            return false;
    }
    return true;
}

int node_await(const struct node *node, const struct goal *goal, struct error *error)
{
    int64_t give_up_ns = clock_monotonic_ns() + LIMIT_S * NS_PER_S;
    for (;;) {
        AUTO_TEXT struct text answer = {0};
        struct error why = {0};
        bool answered = server_ask(node, goal->request, &answer, &why) == 0;
        bool reached = answered && is_reached(goal, text_string(&answer));
        if (reached)
            return 0;
        if (clock_monotonic_ns() > give_up_ns)
            return error_set(
                error,
                "after %d s it is not yet so that %s; %s on %s:%d is asked '%.200s' and "
                "answers:\n%.400s",
                LIMIT_S, goal->what, node->name, node->end.address, node->port, goal->request,
                answered ? text_string(&answer) : why.text);
        if (!node_pause(node, error))
            return -1;
    }
}

int group_await(const struct server_group *group, const char *role, const struct goal *goal,
                struct error *error)
{
    for (int i = 0; i < group->count; i++) {
        if ((role == NULL || node_has_role(&group->nodes[i], role)) &&
            node_await(&group->nodes[i], goal, error) != 0)
            return -1;
    }
    return 0;
}
